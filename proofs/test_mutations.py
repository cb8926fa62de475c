"""The proofs can fail: wrong RTL is refuted by the specification, a wrong rewrite by the function before it, each with a counterexample in RTL names.

Each mutation of the RTL is a change of a copy; its counterexample is replayed on the simulator of the netlist, which must show the difference too.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from xdsl.dialects.func import FuncOp

from lift.netlist.model import Netlist
from lift.netlist.simulate import Simulator
from proofs import dma, pe
from proofs import test_controllers as stepwise
from proofs.commands import prove_case
from proofs.designs import RTL, Target, cycle, gemmini, lift_of_gemmini, netlist
from proofs.meaning import Incomparable, meaning, prove_same
from proofs.mutate import mutants
from proofs.replay import about, must_be_confirmed
from proofs.replay_command import by_function
from proofs.solve import NotProved, Refuted, prove_equal

MAC, PE = "MacUnit.v", "PE.v"
UNWRAPPED = "(in_control_propagate ? c2 : c1) + {{24{in_a[7]}}, in_a} * {{24{in_b[7]}}, in_b[7:0]}"
MUTATIONS = {
    "sum-becomes-difference": (MAC, "product} + in_c", "product} - in_c"),
    "product-becomes-sum": (MAC, "$signed(in_a) * $signed(in_b)", "$signed(in_a) + $signed(in_b)"),
    "activation-unsigned": (MAC, "$signed(in_a) *", "$signed({1'b0, in_a}) *"),
    "weight-unsigned": (MAC, "* $signed(in_b)", "* $signed({1'b0, in_b})"),
    "product-zero-extended": (MAC, "{{4{product[15]}}, product}", "{4'd0, product}"),
    "addend-dropped": (MAC, "product} + in_c", "product}"),
    "sum-does-not-wrap": (PE, "= {{12{mac_d[19]}}, mac_d}", f"= {UNWRAPPED}"),
    "sum-zero-extended": (PE, "= {{12{mac_d[19]}}, mac_d}", "= {12'd0, mac_d}"),
    "preload-zero-extended": (PE, "{{12{in_d[19]}}, in_d}", "{12'd0, in_d}"),
    "shift-logical": (PE, "passive >>> shift", "passive >> shift"),
    "shift-left": (PE, "passive >>> shift", "passive <<< shift"),
    "shift-always": (PE, "(last_s != in_control_propagate) ? in_control_shift : 5'd0", "in_control_shift"),
    "shift-on-the-wrong-row": (PE, "last_s != in_control_propagate", "last_s == in_control_propagate"),
    "half-up": (PE, "(shifted_out == half) & shifted[0]", "(shifted_out == half)"),
    "half-odd": (PE, "& shifted[0]", "& ~shifted[0]"),
    "half-too-small": (PE, "(32'd1 << shift) >> 1", "(32'd1 << shift) >> 2"),
    "rounding-dropped": (PE, "shifted + {31'd0, round_up}", "shifted"),
    "clip-dropped": (PE, "? LARGEST_20[19:0]", "? rounded[19:0]"),
    "clip-one-lower": (PE, "32'sd524287", "32'sd524286"),
    "clip-one-higher": (PE, "-32'sd524288", "-32'sd524287"),
    "dataflows-swapped": (PE, "OUTPUT_STATIONARY = 1'b0", "OUTPUT_STATIONARY = 1'b1"),
    "buffers-swapped": (PE, "? c2[19:0] : c1[19:0]", "? c1[19:0] : c2[19:0]"),
    "updates-when-invalid": (PE, "if (in_valid) begin", "if (1'b1) begin"),
    "never-updates-c1": (PE, "c1 <= accumulated", "c1 <= c1"),
    "propagate-not-remembered": (PE, "last_s <= in_control_propagate", "last_s <= last_s"),
    "sum-passed-through-b": (PE, "output_stationary ? in_b : mac_d", "output_stationary ? mac_d : in_b"),
}


def mutated(folder: Path, file: str, old: str, new: str) -> Netlist:
    """The processing element read from a copy in which one place differs."""
    for name in (MAC, PE):
        (folder / name).write_text((RTL / name).read_text())
    text = (folder / file).read_text()
    assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times"
    (folder / file).write_text(text.replace(old, new))
    return netlist("PE", folder)


def first_refutation(design: Netlist) -> tuple[str, Target, Refuted] | None:
    """The first claim of test_pe that does not hold: state variable, function, counterexample."""
    made = cycle(design)
    subject = made.subject
    for name, target in made.all.items():
        for mode in pe.MODES.values():
            try:
                with about(subject):
                    prove_equal(f"PE {name} in mode {mode}", pe.statement(*mode)[name], subject.values[name], pe.in_mode(*mode))
            except Refuted as refuted:
                return name, target, refuted
    return None


def simulated(design: Netlist, values: dict[str, int]) -> dict[str, int]:
    """Outputs and next registers in the state and under the inputs of a counterexample."""
    simulator = Simulator(design)
    simulator.registers.update({name: values.get(name, 0) for name in simulator.registers})
    return simulator.step({name: values.get(name, 0) for name in design.inputs}) | simulator.registers


def test_nothing_is_refuted_without_a_mutation(tmp_path: Path) -> None:
    assert first_refutation(mutated(tmp_path, PE, "endmodule", "endmodule // as it is")) is None


@pytest.mark.parametrize("mutation", MUTATIONS, ids=[f"gemmini-PE-step-{name}" for name in MUTATIONS])
def test_a_mutation_of_the_rtl_is_refuted(tmp_path: Path, mutation: str) -> None:
    design = mutated(tmp_path, *MUTATIONS[mutation])
    found = first_refutation(design)
    assert found is not None, "the mutant is not refuted"
    name, target, refuted = found
    must_be_confirmed(refuted)
    assert any(f"{variable} = 0x" in str(refuted) for variable in pe.VARIABLES)
    assert simulated(design, refuted.values)[name] != simulated(netlist("PE"), refuted.values)[name]
    prove_same(f"the mutant's {name} is lifted faithfully", target.raw, target.lifted)


# Mutations of the controllers

CONTROLLERS = {
    "LoadController": {
        "row-not-multiplied": ("row_wide * stride", "row_wide + stride"),
        "stride-of-another-bank": ("(load_id == 2'd0) ? strides_0 : (load_id == 2'd1) ? strides_1 : strides_2", "(load_id == 2'd0) ? strides_0 : strides_1"),
        "block-bytes-dropped": ("vaddr + row_wide * stride + block_byte", "vaddr + row_wide * stride"),
        "block-stride-dropped": ("+ {12'd0, block_counter} * block_stride", "+ {12'd0, block_counter}"),
        "one-row-less": ("rows - 16'd1)", "rows - 16'd2)"),
        "one-block-more": ("cols_left <= BLOCK_COLS", "cols_left < BLOCK_COLS"),
        "element-size": ("{22'd0, block_col, 2'd0}", "{23'd0, block_col, 1'd0}"),
        "zero-fill": ("(cmd_rs1 == 64'd0)", "(cmd_rs1[31:0] == 32'd0)"),
        "bank-of-mvin3": ("(cmd_funct == FUNCT_MVIN3) ? 2'd2", "(cmd_funct == FUNCT_MVIN3) ? 2'd1"),
        "request-not-awaited": ("if (dma_req_ready) control_state", "if (1'b1) control_state"),
    },
    "StoreController": {
        "row-not-multiplied": ("row_wide * {8'd0, stride}", "row_wide + {8'd0, stride}"),
        "stride-sign-extended": ("row_wide * {8'd0, stride}", "row_wide * {{8{stride[31]}}, stride}"),
        "base-sign": ("local_row + row_14", "local_row - row_14"),
        "one-row-less": ("rows - 16'd1)", "rows - 16'd2)"),
        "wrong-operand": ("rows <= cmd_rs2[63:48]", "rows <= cmd_rs1[63:48]"),
    },
}
COMMON = [
    stepwise.test_it_rests_at_position_0, stepwise.test_a_command_begins_a_request_with_its_operands, stepwise.test_no_other_command_begins_one,
    stepwise.test_nothing_moves_until_it_is_accepted_and_answered, stepwise.test_each_answer_moves_on_by_one_position_and_the_last_ends,
    stepwise.test_each_request_is_at_its_stated_address,
]  # fmt: skip


def claims_hold(controller: stepwise.Controller) -> None:
    """Everything that test_controllers claims."""
    for claim in COMMON:
        claim(controller)
    if controller.unit == "LoadController":
        for instruction in stepwise.MVIN:
            stepwise.test_each_mvin_uses_its_bank(controller, instruction)


WRONG = [(unit, mutation) for unit, mutations in CONTROLLERS.items() for mutation in mutations]


@pytest.mark.parametrize(("unit", "mutation"), WRONG, ids=[f"gemmini-{unit}-step-{mutation}" for unit, mutation in WRONG])
def test_a_mutation_of_a_controller_is_refuted(tmp_path: Path, unit: str, mutation: str) -> None:
    old, new = CONTROLLERS[unit][mutation]
    text = (RTL / f"{unit}.v").read_text()
    assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times"
    (tmp_path / f"{unit}.v").write_text(text.replace(old, new))
    changed = stepwise.Controller(unit, 4, tmp_path)
    with pytest.raises(Refuted) as caught, about(changed.subject):
        claims_hold(changed)
    must_be_confirmed(caught.value)


# Mutations of what the passes made


@cache
def samples() -> dict[str, tuple[FuncOp, FuncOp, tuple[int, int] | None]]:
    """name -> (before, after, mode of the processing element if it was specialised)."""
    element = cycle(netlist("PE"))
    modes = {"c1": (0, 0), "out_b": (1, 1), "out_c": (0, 1)}
    found: dict[str, tuple[FuncOp, FuncOp, tuple[int, int] | None]] = {}
    for name, mode in modes.items():
        found[f"gemmini-PE-step-{name}"] = element.all[name].raw, element.all[name].specialised(*pe.MODE)[mode], mode
    return found | _moves()


def _moves() -> dict[str, tuple[FuncOp, FuncOp, None]]:
    targets = [case.targets[dma.SCRATCHPAD] for case in gemmini(4)["mvin"] if dma.SCRATCHPAD in case.targets]
    target = next(t for t in targets if any(load.array == dma.MEMORY for load in meaning(t.lifted).loads))
    return {"gemmini-mvin-scratchpad": (target.raw, target.lifted, None)}


def verdict(before: FuncOp, after: FuncOp, mode: tuple[int, int] | None) -> str:
    """Refused: no proof, but no counterexample either, as loops or stores do not correspond."""
    try:
        prove_same("mutant", before, after, pe.in_mode(*mode) if mode else ())
    except NotProved as error:
        return {Refuted: "refuted", Incomparable: "refused"}.get(type(error), "undecided")
    return "proved equal"


@pytest.mark.parametrize("name", ["gemmini-PE-step-c1", "gemmini-PE-step-out_b", "gemmini-PE-step-out_c", "gemmini-mvin-scratchpad"])
def test_every_mutation_of_a_pass_result_is_refuted_or_makes_no_difference(name: str) -> None:
    """Of every operation in turn; what makes no difference is proved to make none, and is rare."""
    before, after, mode = samples()[name]
    verdicts = {what: verdict(before, mutant, mode) for what, mutant in mutants(after)}
    assert "undecided" not in verdicts.values(), verdicts
    harmless = [what for what, answer in verdicts.items() if answer == "proved equal"]
    assert len(harmless) <= len(verdicts) // 4, harmless


def test_a_counterexample_names_the_rtl() -> None:
    before, after, mode = samples()["gemmini-PE-step-c1"]
    assert mode is not None
    mutant = next(copy for what, copy in mutants(after) if "addi to" in what)
    with pytest.raises(Refuted) as caught:
        prove_same("PE c1", before, mutant, pe.in_mode(*mode))
    print(caught.value)
    assert "in_valid = 0x1" in str(caught.value) and "before is 0x" in str(caught.value) and "after is 0x" in str(caught.value)


def test_the_rtl_does_what_the_function_before_the_wrong_pass_does() -> None:
    """A whole instruction, from the state of the counterexample."""
    case = next(c for c in gemmini(4)["mvin"] if dma.SCRATCHPAD in c.targets)
    right = case.targets[dma.SCRATCHPAD]
    _, wrong = next(mutants(right.lifted))
    with pytest.raises(Refuted) as caught, about(by_function(lift_of_gemmini(4), right.raw, wrong, "mvin", dma.SCRATCHPAD)):
        prove_case("mutant", case, right.raw, wrong)
    must_be_confirmed(caught.value)
