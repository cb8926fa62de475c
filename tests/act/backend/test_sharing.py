"""Outputs in the memory of inputs, where that was declared: everything is read before it is overwritten."""

from itertools import pairwise

import numpy as np
import pytest

from act.backend.choose import Choice
from act.backend.compile import compile_module
from act.backend.replay import WrongProgram, check
from act.backend.verify import disagreement
from act.cli import cc_main, gen_main
from act.errors import UserError
from act.hlo import parse_module
from act.oracle import Machine
from tests.act.backend.backends import SYSTOLIC, hlo, systolic

PRODUCT = hlo(
    "a = s32[32,32] parameter(0)",
    "x = s8[32,16] parameter(1)",
    "y = s8[16,32] parameter(2)",
    "d = s32[32,32] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
    "s = s32[32,32] add(a, d)",
)
SHARED = Choice(aliases=((0, "a"),))


def test_an_accumulator_in_host_memory_is_updated_in_place():
    module = parse_module(PRODUCT)
    compiled = compile_module(systolic(), module, choice=SHARED)
    regions = {region.name: region.address for region in compiled.program.regions}
    assert regions["out0"] == regions["a"]
    assert disagreement(systolic().accelerator, module, compiled.program, rounds=2) is None


def test_without_a_declaration_nothing_is_shared():
    program = compile_module(systolic(), parse_module(PRODUCT)).program
    spans = sorted((region.address, region.end) for region in program.regions)
    assert all(end <= begin for (_, end), (begin, _) in pairwise(spans))


SWAPPED = hlo(
    "a = s8[32,16] parameter(0)",
    "top = s8[16,16] slice(a), slice={[0:16], [0:16]}",
    "bottom = s8[16,16] slice(a), slice={[16:32], [0:16]}",
    "c = s8[32,16] concatenate(bottom, top), dimensions={0}",
)


def test_everything_is_read_before_it_is_overwritten():
    """The halves of a tensor change places in its own memory."""
    module = parse_module(SWAPPED)
    compiled = compile_module(systolic(), module, choice=SHARED)
    first_store = next(time for time, each in enumerate(compiled.operations) if each.name == "mvout")
    loads = [time for time, each in enumerate(compiled.operations) if each.name.startswith("mvin")]
    assert len(loads) == 2 and max(loads) < first_store
    assert disagreement(systolic().accelerator, module, compiled.program, rounds=1) is None


def test_a_read_after_the_overwrite_is_seen_by_the_replay():
    compiled = compile_module(systolic(), parse_module(SWAPPED))
    allocation = compiled.allocation
    output = next(tensor for tensor in allocation.address if tensor.kind == "output")
    source = next(tensor for tensor in allocation.address if tensor.kind == "input")
    allocation.shared = {output: source}
    allocation.address[output] = allocation.address[source]
    with pytest.raises(WrongProgram):
        check(systolic().accelerator, compiled.graph, compiled.operations, allocation, compiled.program)


@pytest.mark.parametrize(
    ("aliases", "message"),
    [
        (((1, "a"),), "the kernel has out0 to out0 and a, x, y"),
        (((0, "b"),), "'out0' cannot take over the memory of 'b'"),
        (((0, "x"),), "it has 512 bytes, and the output 4096"),
    ],
)
def test_what_cannot_be_shared_is_refused(aliases, message):
    with pytest.raises(UserError) as error:
        compile_module(systolic(), parse_module(PRODUCT), choice=Choice(aliases=aliases))
    assert message in str(error.value)


def test_the_option_of_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kernel.hlo").write_text(SWAPPED)
    assert gen_main([str(SYSTOLIC), "-o", "backend"]) == 0
    assert cc_main(["backend", "kernel.hlo", "--alias", "out0=a", "--check", "-o", "out.asm"]) == 0
    text = (tmp_path / "out.asm").read_text()
    assert "input a : s8[32,16] = dram[0x40]" in text and "output out0 : s8[32,16] = dram[0x40]" in text
    with pytest.raises(SystemExit):
        cc_main(["backend", "kernel.hlo", "--alias", "a"])
    capsys.readouterr()


def test_the_memory_of_the_input_holds_the_output():
    program = compile_module(systolic(), parse_module(SWAPPED), choice=SHARED).program
    a = np.arange(512, dtype=np.int8).reshape(32, 16)
    found = Machine(systolic().accelerator).run(program, {"a": a})
    np.testing.assert_array_equal(found["out0"], np.concatenate([a[16:], a[:16]]))
