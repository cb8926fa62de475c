"""The compiled machine leaves the same bits as the one in numpy, in all memories and registers."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from act.backend.compile import Backend, compile_module
from act.backend.verify import inputs
from act.errors import UserError
from act.hlo import Module, parse_module
from act.oracle import Executor, Machine, MachineError
from act.oracle.streams import Streams
from act.program import Program
from act.taidl.encode import expand
from tests.act.backend.backends import backend_of, hlo
from tests.end_to_end.vta_random import generate as rows
from tests.fuzz_kernels import module
from tests.fuzz_language import language
from tests.kernels import generate

ROOT = Path(__file__).parents[3]
MACHINES = {name: ROOT / path for name, path in {
    "wraps": "isas/reference/gemmini.taidl", "saturates": "isas/generated/gemmini.taidl", "composites": "isas/reference/systolic16.taidl",
    "look-ups": "tests/act/backend/machines/micro.taidl", "floats": "isas/reference/h_qkv.taidl", "masks and macros": "isas/generated/vta.taidl",
}.items()}  # fmt: skip

PRODUCT = hlo("a = bf16[64,64] parameter(0)", "b = bf16[64,64] parameter(1)", "d = bf16[64,64] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}")


def backend(name: str) -> Backend:
    return backend_of(MACHINES[name].read_text())


def kernels(name: str) -> Iterator[Module]:
    """Random ones; where those have no program others of the machine's own kind."""
    if name == "floats":
        yield parse_module(PRODUCT)
    elif name == "masks and macros":
        yield from (parse_module(rows(seed, 16), f"rows {seed}") for seed in range(3))
    else:
        yield from (parse_module(generate(seed), f"network {seed}") for seed in range(3))
        yield from (module(language(backend(name).rules), seed, 15) for seed in range(3))


def programs(name: str) -> Iterator[tuple[Module, Program]]:
    for kernel in kernels(name):
        try:
            yield kernel, compile_module(backend(name), kernel, budget=4000).program
        except UserError:
            continue


@pytest.mark.parametrize("name", MACHINES)
def test_random_programs_leave_the_same_bits(name: str) -> None:
    jitted = pytest.importorskip("jax") and pytest.importorskip("act.oracle.jitted")
    machine, count = backend(name), 0
    for kernel, program in programs(name):
        values = dict(inputs(kernel, 1))["random 0"]
        one, other = Machine(machine.accelerator, seed=3), jitted.JittedMachine(machine.accelerator, seed=3)
        expected, found = one.run(program, values), other.run(program, values)
        assert [each.tobytes() for each in found.values()] == [each.tobytes() for each in expected.values()]
        assert all(other.buffers[each].tobytes() == contents.tobytes() for each, contents in one.buffers.items())
        assert other.registers == one.registers
        assert other.tokens == one.tokens
        count += 1
    assert count > 0
    assert jitted._loops, "nothing was compiled"


def test_what_a_stream_of_operations_leaves_is_the_same() -> None:
    """Each is drawn on one machine, which executes it, and then executed on the other."""
    pytest.importorskip("jax")
    from act.oracle.jitted import JittedMachine

    accelerator = backend("composites").accelerator
    one, other = (kind(accelerator, {"dram": np.full(1 << 16, 0x5A, np.uint8)}, seed=5) for kind in (Machine, JittedMachine))
    issued = Streams(one, 7).draw(40)
    Executor(other).execute([part for name, attributes in issued for part in expand(accelerator, name, attributes)])
    other.complete()
    assert len(issued) >= 40
    assert all(other.buffers[each].tobytes() == contents.tobytes() for each, contents in one.buffers.items())


def test_it_refuses_what_the_other_refuses() -> None:
    pytest.importorskip("jax")
    from act.oracle.jitted import JittedMachine

    messages = []
    for kind in (Machine, JittedMachine):
        machine = kind(backend("wraps").accelerator, {"dram": np.zeros(64, np.uint8)})
        with pytest.raises(MachineError) as refused:
            machine.step("mvin_spad", {"rows": 16, "cols": 16, "stride": 16, "addr": 0, "row": 0})
        messages.append(str(refused.value))
    assert messages[0] == messages[1]


def test_without_jax_it_says_what_to_install() -> None:
    hidden = "import sys; sys.modules['jax'] = None\nfrom act.errors import UserError\ntry:\n  import act.oracle.jitted\nexcept UserError as e:\n  print(e)"
    done = subprocess.run([sys.executable, "-c", hidden], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "jax is not installed" in done.stdout
    assert "pip install" in done.stdout
