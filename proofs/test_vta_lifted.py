"""rtl/vta with small blocks: its modules are what yosys reads, the idle state lasts, each pass is proved, and the text does what was lifted.

A text of the same form is proved, which is assembled from this lift; the one in the tree is that of larger blocks and buffers.
"""

from __future__ import annotations

import random
from functools import cache

import pytest

from act.taidl import Instruction
from lift.crosscheck import Given, compare_definitions
from lift.crosscheck.invariant import stays_at_rest
from lift.crosscheck.verdicts import Verdict
from proofs import yosys
from proofs.commands import Selected, prove_case
from proofs.designs import Case, text_of
from proofs.encodings import prove_modes
from proofs.recording import Recorder
from proofs.samples import run
from proofs.specification import BUFFERS, REGISTERS, Command
from proofs.steps import nest
from proofs.vta import RTL, SMALL, lift_of_vta, netlist, specification, vta
from proofs.vta_effects import Effect, code_of, selected, tokens_are_there

MODULES = sorted(file.stem for file in RTL.glob("*.v"))
TOKENS = ["compute_to_load", "compute_to_store", "load_to_compute", "store_to_compute"]
MEMORIES = {
    "store": ["mem"], "load_id_uop": ["compute.uop.mem"], "load_id_wgt": ["wgt.mem"], "load_id_inp": ["inp.mem"], "load_id_acc": ["compute.acc.mem"],
    "finish": ["compute.finish"], **{name: ["compute.acc.mem", "out.mem"] for name in ("gemm", "alu_min", "alu_max", "alu_add", "alu_3")},
}  # fmt: skip
TAKEN = {
    "store": ["store_to_compute", "compute_to_store"],
    "load_id_wgt": ["load_to_compute", "compute_to_load"],
    "load_id_inp": ["load_to_compute", "compute_to_load"],
}
EFFECTS = {name: [*memories, *(f"{t}.count" for t in TAKEN.get(name, TOKENS))] for name, memories in MEMORIES.items()}
PAIRS = [(i, t) for i, targets in EFFECTS.items() for t in targets]
each = pytest.mark.parametrize(("instruction", "target"), PAIRS, ids=[f"vta-{i}-{t}" for i, t in PAIRS])
instructions = pytest.mark.parametrize("instruction", EFFECTS, ids=[f"vta-{name}" for name in EFFECTS])
SAMPLES = 3
# The whole design is lifted for these: minutes.
slow = pytest.mark.slow


@cache
def verdicts(size: str) -> tuple[Verdict, ...]:
    given = SMALL if size == "small" else {}
    return tuple(compare_definitions(netlist(**given), Given(given)))


@pytest.mark.skipif(not yosys.is_installed(), reason="yosys is not installed: the independent reading of the RTL is not compared")
@pytest.mark.parametrize("module", MODULES, ids=[f"vta-{name}-step" for name in MODULES])
@pytest.mark.parametrize("size", ["small", pytest.param("full", marks=pytest.mark.slow)])
def test_a_definition_is_the_reading_by_yosys(size: str, module: str) -> None:
    own = [v for v in verdicts(size) if v.subject.split(" ")[0] == module]
    assert own
    assert [v for v in own if v.status != "agreed"] == []


@slow
def test_the_idle_state_lasts() -> None:
    found = list(stays_at_rest(lift_of_vta()))
    assert len(found) > 100
    assert [v for v in found if v.status != "agreed"] == []


@slow
@instructions
def test_the_instruction_changes_these_state_variables_and_no_other(instruction: str) -> None:
    assert sorted(vta()) == sorted(EFFECTS)
    assert {target for case in vta()[instruction] for target in case.targets} == set(EFFECTS[instruction])


def functions(instruction: str, target: str) -> list[Case]:
    """The modes that change it, one for each function before and after the passes."""
    found: dict[tuple[str, str], Case] = {}
    for case in vta()[instruction]:
        if target in case.targets:
            found.setdefault((text_of(case.targets[target].raw), text_of(case.targets[target].lifted)), case)
    assert found, f"no mode of {instruction} changes {target}"
    return list(found.values())


@slow
@each
def test_every_application_is_proved(instruction: str, target: str) -> None:
    for case in (c for c in vta()[instruction] if target in c.targets):
        assert [r for r in case.targets[target].reports if r.unknown or r.refuted] == []


@slow
@each
def test_the_lifted_function_is_the_unlifted_one(instruction: str, target: str) -> None:
    for case in functions(instruction, target):
        prove_case(f"{instruction} mode {case.number}, {target}", case, case.targets[target].raw, case.targets[target].lifted)


@slow
@each
def test_the_lifted_function_does_what_the_unlifted_one_does(instruction: str, target: str) -> None:
    """By execution, on random arguments, with few rows and elements."""
    rng = random.Random(f"vta {instruction} {target}")
    for case in functions(instruction, target):
        for sample in range(SAMPLES):
            bits = rng.getrandbits(128) & ~(0xFFFF << 64 | 0xFFFF << 80) | rng.randrange(4) << 64 | rng.randrange(4) << 80
            before, after = (run(f, {"bits": bits}, f"{sample} ") for f in (case.targets[target].raw, case.targets[target].lifted))
            assert before == after, f"{instruction} mode {case.number}, {target}: {bits:#x}"


@cache
def commands(instruction: str) -> tuple[Command, ...]:
    every = (Command(specification(), operation) for operation in specification().instructions.values() if operation.encode)
    found = tuple(each for each in every if code_of(each) == instruction)
    assert found, f"nothing is stated of {instruction}"
    return found


@cache
def choices(instruction: str) -> tuple[tuple[Command, tuple[Selected, ...]], ...]:
    """Each of its commands, and the modes that it can select."""
    return tuple((stated, tuple(selected(stated))) for stated in commands(instruction))


@slow
@each
def test_the_specification_does_what_was_lifted(instruction: str, target: str, recorder: Recorder) -> None:
    """In every mode that its command can select; what modes have in common is proved once."""
    for stated, modes in choices(instruction):
        proved = set[tuple[object, ...]]()
        for chosen in modes:
            effect = Effect(stated, chosen, target)
            if effect.depends_on not in proved:
                with recorder(instruction=stated.operation.name, effect=target, mode=chosen.case.number):
                    effect.prove()
            proved.add(effect.depends_on)


@slow
@instructions
def test_the_encoding_selects_modes_that_were_compared(instruction: str) -> None:
    """In every state in which the tokens that it pops are there: without them it waits."""
    for stated, modes in choices(instruction):
        prove_modes(stated, list(modes), tokens_are_there(stated))


@slow
@instructions
def test_the_specification_changes_nothing_else(instruction: str) -> None:
    """What it writes and sets are state variables that some mode changes, steps included; these set no state and use no tokens."""
    for stated in commands(instruction):
        operation, step = stated.operation, step_of(stated)
        changed = {n for each in (operation, step) for w in each.writes for n in BUFFERS[w.slice.buffer]} | {REGISTERS[s.state] for s in operation.sets}
        changed |= {f"{use.token}.count" for use in (*operation.pops, *operation.pushes)}
        assert changed <= set(EFFECTS[instruction])
        assert not operation.clobbers and not operation.opaque
        assert step is operation or not (step.clobbers or step.opaque or step.steps or step.sets or step.pops or step.pushes)


def step_of(stated: Command) -> Instruction:
    """Of a macro, else the instruction itself."""
    return stated.accelerator.instructions[nest(stated).part.instruction] if stated.operation.steps else stated.operation
