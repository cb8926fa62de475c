"""Every application of a pass to every lifted function is proved again from scratch, and each whole function after the passes is the one before.

Three routes that share no code but the list of operations: the lemmas of `lift.prove`, Z3 on the whole functions, execution on random arguments.
"""

from __future__ import annotations

import random

import pytest

from proofs.commands import prove_case
from proofs.designs import Target, gemmini, lift_of_gemmini
from proofs.replay import about
from proofs.replay_command import by_function
from proofs.samples import operands, run

ACCUMULATOR, SCRATCHPAD = "accumulator.bank.memory.mem", "scratchpad.bank.memory.mem"
ELEMENT = "execute_controller.mesh_with_delays.mesh.row.col.tile.pe"
POOL = ("lpad", "ocols", "orows", "out_dim", "pocols", "porows", "size", "stride", "upad")
EFFECTS = {
    "config_ex": [f"execute_controller.{n}" for n in ("a_addr_stride", "activation", "bd_transpose", "c_addr_stride", "current_dataflow", "in_shift")],
    "config_ld": ["load_controller.block_strides", "load_controller.shrinks", "load_controller.strides"],
    "config_st": ["store_controller.activation", *(f"store_controller.pool_{n}" for n in POOL), "store_controller.stride"],
    "mvin": [ACCUMULATOR, SCRATCHPAD],
    "mvin2": [ACCUMULATOR, SCRATCHPAD],
    "mvin3": [ACCUMULATOR, SCRATCHPAD],
    "mvout": ["mem"],
    "preload": ["execute_controller.c_addr", "execute_controller.c_cols", "execute_controller.c_rows", f"{ELEMENT}.c1", f"{ELEMENT}.c2"],
    "compute_preloaded": [ACCUMULATOR, SCRATCHPAD, "execute_controller.in_prop", f"{ELEMENT}.c1", f"{ELEMENT}.c2"],
    "compute_accumulated": [ACCUMULATOR, SCRATCHPAD, f"{ELEMENT}.c1", f"{ELEMENT}.c2"],
}
SIZES = [4, pytest.param(16, marks=pytest.mark.slow)]
SAMPLES = 20

PAIRS = [(i, t) for i, targets in EFFECTS.items() for t in targets]

each = pytest.mark.parametrize(("instruction", "target"), PAIRS, ids=[f"gemmini-{i}-{t}" for i, t in PAIRS])
sizes = pytest.mark.parametrize("dim", SIZES, ids=lambda value: f"DIM{value}")

# Products of 16 x 16 elements are more than Z3 decides at once: there, the lemmas and execution remain, and this claim is not made.
TOO_LARGE = [(i, t) for i in ("compute_preloaded", "compute_accumulated") for t in (ACCUMULATOR, SCRATCHPAD, f"{ELEMENT}.c1", f"{ELEMENT}.c2")]
WHOLE = [pytest.param(4, i, t, id=f"gemmini-{i}-{t}-DIM4") for i, t in PAIRS]
WHOLE += [pytest.param(16, i, t, id=f"gemmini-{i}-{t}-DIM16", marks=pytest.mark.slow) for i, t in PAIRS if (i, t) not in TOO_LARGE]


def modes(dim: int, instruction: str, target: str) -> list[tuple[int, Target]]:
    """The modes of an instruction that change a state variable."""
    found = [(case.number, case.targets[target]) for case in gemmini(dim)[instruction] if target in case.targets]
    assert found, f"no mode of {instruction} changes {target}"
    return found


@sizes
@pytest.mark.parametrize("instruction", EFFECTS)
def test_the_instruction_changes_these_state_variables_and_no_other(dim: int, instruction: str) -> None:
    changed = {target for case in gemmini(dim)[instruction] for target in case.targets}
    assert sorted(changed) == sorted(EFFECTS[instruction])


@sizes
def test_every_instruction_is_lifted(dim: int) -> None:
    assert sorted(gemmini(dim)) == sorted(EFFECTS)


@sizes
@each
def test_every_application_is_proved(dim: int, instruction: str, target: str) -> None:
    """By a prover that remembers nothing; `unknown` counts as a failure, and no pass proposes what is false."""
    for mode, function in modes(dim, instruction, target):
        doubtful = [r for r in function.reports if r.unknown or r.refuted]
        assert not doubtful, f"{instruction} mode {mode}, {target}: {doubtful}"


@pytest.mark.parametrize(("dim", "instruction", "target"), WHOLE)
def test_the_lifted_function_is_the_unlifted_one(dim: int, instruction: str, target: str) -> None:
    """By Z3, for all arguments."""
    for case in (case for case in gemmini(dim)[instruction] if target in case.targets):
        function = case.targets[target]
        with about(by_function(lift_of_gemmini(dim), function.raw, function.lifted, instruction, target)):
            prove_case(f"{instruction} mode {case.number}, {target}", case, function.raw, function.lifted)


@sizes
@each
def test_the_lifted_function_does_what_the_unlifted_one_does(dim: int, instruction: str, target: str) -> None:
    """By execution, on random arguments within the bounds of the loops."""
    rng = random.Random(f"{dim} {instruction} {target}")
    for mode, function in modes(dim, instruction, target):
        for sample in range(SAMPLES if dim == 4 else 2):
            words = operands(dim, 4 * dim, rng)
            before, after = (run(f, words, f"{sample} ") for f in (function.raw, function.lifted))
            assert before == after, f"{instruction} mode {mode}, {target}: {words}"
