"""config_ex, config_ld, config_st, preload and the double buffer: every register they change holds the stated field afterwards, in every mode."""

from __future__ import annotations

import pytest
import z3

from proofs.designs import Case, gemmini
from proofs.dma import RS1, RS2
from proofs.meaning import array, meaning, variable
from proofs.solve import prove_equal

DIM = 4
PROPAGATE = variable("execute_controller.in_prop", 1)
BANK = z3.Extract(4, 3, RS1)


def field(word: z3.BitVecRef, high: int, low: int) -> z3.BitVecRef:
    return z3.Extract(high, low, word)


def unless(condition: z3.BoolRef, name: str, bits: int, value: z3.BitVecRef) -> z3.BitVecRef:
    """The register keeps its value under `condition`."""
    return z3.If(condition, variable(name, bits), value)


ONLY_STRIDES = field(RS1, 7, 7) == 1
REGISTERS = {
    ("config_ex", "execute_controller.a_addr_stride"): field(RS1, 31, 16),
    ("config_ex", "execute_controller.activation"): unless(ONLY_STRIDES, "execute_controller.activation", 2, field(RS1, 4, 3)),
    ("config_ex", "execute_controller.bd_transpose"): unless(ONLY_STRIDES, "execute_controller.bd_transpose", 1, field(RS1, 9, 9)),
    ("config_ex", "execute_controller.c_addr_stride"): field(RS2, 63, 48),
    ("config_ex", "execute_controller.current_dataflow"): unless(ONLY_STRIDES, "execute_controller.current_dataflow", 1, field(RS1, 2, 2)),
    ("config_ex", "execute_controller.in_shift"): unless(ONLY_STRIDES, "execute_controller.in_shift", 5, field(RS2, 4, 0)),
    ("config_st", "store_controller.activation"): field(RS1, 3, 2),
    ("config_st", "store_controller.stride"): field(RS2, 31, 0),
    ("preload", "execute_controller.c_addr"): field(RS2, 31, 0),
    ("preload", "execute_controller.c_cols"): field(RS2, 47, 32),
    ("preload", "execute_controller.c_rows"): field(RS2, 63, 48),
    ("compute_preloaded", "execute_controller.in_prop"): ~PROPAGATE,
}
BANKED = {"strides": field(RS2, 39, 0), "block_strides": field(RS1, 29, 16), "shrinks": field(RS1, 2, 2)}


def facts(case: Case) -> z3.BoolRef:
    return meaning(case.facts).results[0] == 1


def ids(values: list[tuple[str, str]]) -> list[str]:
    return [f"gemmini-{instruction}-{target}" for instruction, target in values]


@pytest.mark.parametrize(("instruction", "target"), REGISTERS, ids=ids(list(REGISTERS)))
def test_a_register_takes_its_field(instruction: str, target: str) -> None:
    stated = REGISTERS[instruction, target]
    for case in gemmini(DIM)[instruction]:
        after = meaning(case.targets[target].lifted).results[0] if target in case.targets else variable(target, stated.size())
        prove_equal(f"{instruction} mode {case.number}, {target}", stated, after, [facts(case)])


@pytest.mark.parametrize("name", BANKED, ids=[f"gemmini-config_ld-load_controller.{name}" for name in BANKED])
def test_config_ld_changes_the_chosen_bank_alone(name: str) -> None:
    before = array(f"load_controller.{name}", BANKED[name].size())
    for case in gemmini(DIM)["config_ld"]:
        target = case.targets.get(f"load_controller.{name}")
        after = before
        for store in meaning(target.lifted).stores if target else []:
            after = z3.If(store.condition, z3.Store(after, store.address, store.data), after)
        for bank in range(3):
            stated = z3.If(bank == BANK, BANKED[name], z3.Select(before, bank))
            prove_equal(f"config_ld mode {case.number}, {name} of bank {bank}", stated, z3.Select(after, bank), [facts(case)])


@pytest.mark.parametrize("instruction", ["compute_preloaded", "compute_accumulated"], ids=lambda value: f"gemmini-{value}-execute_controller.in_prop")
def test_only_compute_preloaded_flips_the_double_buffer(instruction: str) -> None:
    changed = {"execute_controller.in_prop" in case.targets for case in gemmini(DIM)[instruction]}
    assert changed == {instruction == "compute_preloaded"}
