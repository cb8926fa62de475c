"""Scripts in the published spelling run; what is ill-typed in them is explained, and can be restricted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from act.taidl import TaidlErrors, body_of, parse, print_expr, to_python

SCRIPT = '''
{imports}

vec = Accelerator("VEC 8")
vec.add_data_model("rows", [32], [8], "bf16")
vec.add_data_model("tile", [8], [8], "bf16")
vec.add_data_model("flat", [64, 8], [], "s8")

instr = vec.add_instruction("load", ["n"], ["addr_in", "addr_out"])
instr.set_inputs([["d0", ["@a.addr_in"], ["@c.n * 16"]]])
instr.set_outputs([["rows", ["@a.addr_out"], ["@c.n"]]])
instr.add_semantics("""
ENTRY load {{
    %In1 = u8[`@c.n * 16`] parameter(0);
    %a = u8[`@c.n`,8,2] reshape(%In1);
    ROOT %Out0 = bf16[`@c.n`,8] bitcast_convert(%a);
}}
""")

instr = vec.add_instruction("load_turned", ["n"], ["addr_in", "addr_out"])
instr.set_inputs([["d0", ["@a.addr_in"], ["@c.n * 16"]]])
instr.set_outputs([["rows", ["@a.addr_out"], ["@c.n"]]])
instr.add_semantics("""
ENTRY load_turned {{
    %In1 = u8[`@c.n * 16`] parameter(0);
    %a = u8[`@c.n`,8,2] reshape(%In1);
    %b = bf16[`@c.n`,8] bitcast_convert(%a);
    ROOT %Out0 = bf16[8,`@c.n`] transpose(%b), dimensions={{1,0}};
}}
""")

instr = vec.add_instruction("normalise", ["n"], ["addr"])
instr.set_inputs([["tile", ["@a.addr"], ["@c.n"]]])
instr.set_outputs([["tile", ["@a.addr"], ["@c.n"]]])
instr.add_semantics("""
ENTRY normalise {{
    %In1 = bf16[`@c.n`,8] parameter(0);
    %a = bf16[`@c.n`,8] exponential(%In1);
    %sums = bf16[`@c.n`] reduce_add(%a), dimensions={{1}};
    %b = bf16[`@c.n`,8] broadcast(%sums), dimensions={{0}};
    ROOT %Out0 = bf16[`@c.n`,8] divide(%a, %b);
}}
""")

instr = vec.add_instruction("scaled", ["m", "n", "scale"], ["src", "dst"])
instr.set_inputs([["d0", ["@a.src"], ["@c.m * @c.n"]]])
instr.set_outputs([["flat", ["@a.dst", 0], ["@c.m", "@c.n"]]])
instr.add_semantics("""
ENTRY scaled {{
    %In1 = u8[`@c.m * @c.n`] parameter(0);
    %a = u8[`@c.m`,`@c.n`] reshape(%In1);
    %b = s8[`@c.m`,`@c.n`] bitcast_convert(%a);
    %scale = s8[1] constant(`@c.scale`);
    %all = s8[`@c.m`,`@c.n`] broadcast(%scale), dimensions={{}};
    ROOT %Out0 = s8[`@c.m`,`@c.n`] multiply(%b, %all);
}}
""")
'''
IMPORTS = ["from act.taidl import Accelerator", "from taidl import Accelerator", "from act.taidl.builder import Accelerator"]


def run(imports: str = IMPORTS[0], end: str = "") -> dict:
    variables: dict = {}
    exec(SCRIPT.format(imports=imports) + end, variables)
    return variables


@pytest.mark.parametrize("imports", IMPORTS)
def test_what_holds_for_some_values_only_is_explained(imports):
    with pytest.raises(TaidlErrors) as caught:
        run(imports)["vec"].build(legacy=False)
    turned, scaled = str(caught.value).split("error: ")[1:3]
    assert "load_turned: the slice of rows is bf16[`n`,8], but '%Out0' is bf16[8,`n`]" in turned and "it holds for n == 8 only" in turned
    assert "scaled: expected '{' to open a constant with dimensions [1]" in scaled
    assert "read as a scalar and it holds for -128 <= scale and scale <= 127 only" in scaled


def test_a_reason_comes_with_the_place_in_the_script():
    with pytest.raises(TaidlErrors) as caught:
        run()["vec"].build(legacy=False)
    lines = SCRIPT.format(imports=IMPORTS[0]).splitlines()
    outputs = [number for number, line in enumerate(lines, 1) if line.startswith("instr.set_outputs")]
    scale = next(number for number, line in enumerate(lines, 1) if "%scale = s8[1]" in line)
    assert [error.location for error in caught.value.errors] == [f"<string>:{outputs[1]}:1", f"<string>:{scale}:25"]


def test_legacy_restricts_it_to_the_values_for_which_it_holds():
    model = run()["vec"].build(legacy=True)
    limits = {name: [print_expr(condition) for condition in each.when] for name, each in model.instructions.items()}
    assert limits == {"load": [], "load_turned": ["n == 8"], "normalise": [], "scaled": ["n <= 8", "-128 <= scale", "scale <= 127"]}
    assert model.name == "VEC_8"


def test_the_environment_stands_for_legacy_in_scripts_that_cannot_say_it(monkeypatch, tmp_path):
    monkeypatch.setenv("ACT_LEGACY", "1")
    monkeypatch.chdir(tmp_path)
    run(end="from act.generators import generate_oracle\nfrom act.generator import generate_backend\ngenerate_oracle(vec)\ngenerate_backend(vec)\n")
    assert (tmp_path / "backends" / "VEC_8" / "isa.taidl").exists()


def test_the_oracle_computes_what_the_script_says():
    machine = run()["vec"].generate_oracle(legacy=True)
    memory = np.arange(64, dtype=np.uint8)
    machine.attach({"d0": memory})
    machine.step("scaled", {"m": 4, "n": 5, "scale": -3, "src": 7, "dst": 2})
    np.testing.assert_array_equal(machine.buffers["flat"][2:6, :5], (memory[7:27].view(np.int8).reshape(4, 5) * np.int8(-3)))
    machine.buffers["tile"][:] = 0
    machine.step("normalise", {"n": 3, "addr": 5})
    np.testing.assert_array_equal(machine.buffers["tile"][5:], np.full((3, 8), 0.125, np.float32))


def test_the_python_form_of_a_model_builds_the_model_again():
    model = run()["vec"].build(legacy=True)
    form = to_python(model)
    variables: dict = {}
    exec(form.text, variables)
    assert form.omitted == ()
    again = variables["isa"].build(legacy=False)
    assert {name: replace(each, body="") for name, each in again.instructions.items()} == {n: replace(each, body="") for n, each in model.instructions.items()}
    assert all(body_of(again.instructions[name]) == body_of(each) for name, each in model.instructions.items())


def test_the_python_form_lists_what_it_cannot_say():
    form = to_python(parse(Path("isas/reference/systolic16.taidl").read_text()))
    assert ("dram", "the host memory is called d0 there") in form.omitted
    assert ("funct", "there are no encodings") in form.omitted
    assert any(name == "mvin" and "register" in why for name, why in form.omitted)
    assert "import" in form.text


def test_states_updates_and_costs_have_the_published_spelling():
    script = (
        IMPORTS[0]
        + """
isa = Accelerator("states")
isa.add_data_model("b", [16], [4], "s32")
isa.add_state("bias", "s32")
i = isa.add_instruction("set_bias", ["value"], [], "1", ["@s.bias = @c.value"])
i = isa.add_instruction("biased", ["n"], ["a"], cost="4 + @c.n // 2", constraints=["@c.n >= 1", "@s.bias > 0"])
i.set_inputs([["b", ["@a.a"], ["@c.n"]]])
i.set_outputs([["b", ["@a.a"], ["@c.n"]]])
i.add_semantics("%x = s32[`@c.n`,4] parameter(0); %c = s32[] constant(`@s.bias`);"
    "%d = s32[`@c.n`,4] broadcast(%c), dimensions={}; ROOT %y = s32[`@c.n`,4] add(%x, %d)")
"""
    )
    variables: dict = {}
    exec(script, variables)
    machine = variables["isa"].generate_oracle()
    machine.buffers["b"][:] = 1
    machine.step("set_bias", {"value": 5})
    machine.step("biased", {"n": 2, "a": 3})
    assert machine.buffers["b"].sum() == 16 * 4 + 5 * 8
