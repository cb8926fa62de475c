"""Every instruction of an assembled accelerator does what the update functions that it was assembled from do, on random states.

The two sides share nothing but the map from state variables to buffers: one executes TAIDL with numpy, the other evaluates terms for the encoded
command words, parts of composites one after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from act.oracle.streams import Streams
from act.taidl import Accelerator, Binary, Instruction, Int, Name, simplify, substitute, verify
from tests.specification import CheckedMachine, Reference, lifted

ROOT = Path(__file__).parents[2]
DESIGNS = ROOT / "tests/lift/designs"
TOY = DESIGNS / "toy"
HOST_BYTES = 1 << 14

Design = tuple[Reference, Accelerator]


@cache
def design(folder: Path, top: str, dim: int | None = None, macro: str | None = None) -> Design:
    given = ({} if dim is None else {"parameters": {"DIM": dim}}) | ({} if macro is None else {"defines": {macro: ""}})
    lift, accelerator, opaque = lifted(folder, top, **given)
    assert not opaque
    assert not verify(accelerator)
    return Reference(lift), accelerator


@pytest.fixture(scope="module")
def toy() -> Design:
    return design(TOY, "Toy")


@pytest.fixture(scope="module")
def systolic() -> Design:
    return design(ROOT / "rtl/gemmini", "Gemmini", 4)


def execute(reference: Reference, accelerator: Accelerator, name: str, seed: int) -> bool:
    """Whether `name` was executed, after operations that make it possible; all of them are compared."""
    hosts = [n for n, b in accelerator.buffers.items() if b.hbm]
    memory = np.random.default_rng(seed).integers(0, 256, HOST_BYTES, dtype=np.uint8)
    machine = CheckedMachine(accelerator, reference, dict.fromkeys(hosts, memory), seed)
    issued = Streams(machine, seed, parts=True).reach(name)
    return bool(issued) and issued[-1][0] == name


def compare(of: Design, seeds: int) -> None:
    for name in (*of[1].instructions, *of[1].composites):
        assert all(execute(*of, name, seed) for seed in range(seeds)), f"{name} is never possible"


@pytest.mark.parametrize(
    ("folder", "top"),
    [
        ("tensor_core", "TensorCore"),
        ("vector", "Vector"),
        ("filters", "Filters"),
        ("outer", "Outer"),
        ("moves", "Moves"),
        ("packing", "Packing"),
        ("sums", "Sums"),
    ],
)
def test_a_design_that_keeps_data_in_registers_is_what_its_update_functions_are(folder: str, top: str) -> None:
    compare(design(DESIGNS / folder, top), 6)


@pytest.mark.parametrize(
    ("folder", "top", "instruction", "operation"),
    [
        ("tensor_core", "TensorCore", "mma", "dot(%v0, %v1), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
        ("vector", "Vector", "vmax", "maximum(%x0, %x1)"),
        ("vector", "Vector", "vredmax", "dimensions={0}, to_apply=maximum"),
        ("vector", "Vector", "vaddi", "constant(`(immediate + 128) % 256 - 128`)"),
        ("filters", "Filters", "filter", "dot(%v0, %v1), lhs_contracting_dims={1}, rhs_contracting_dims={0}"),
        ("filters", "Filters", "depthwise", "lhs_batch_dims={0}, rhs_batch_dims={0}"),
        ("filters", "Filters", "pool", "dimensions={1}, to_apply=maximum"),
        ("sums", "Sums", "run", "s16[2, 2] multiply"),
        ("sums", "Sums", "store", "s16[2, 2] parameter(0)"),
        ("outer", "Outer", "run", "dot(%v0, %v1), lhs_contracting_dims={0}, rhs_contracting_dims={0}"),
        ("outer", "Outer", "run_results", "shift-right-arithmetic(%v7, %v18)"),
        ("packing", "Packing", "pack", "u8[`count`, 4] copy(%x0)"),
        ("packing", "Packing", "unpack", "u8[`count`, 4] copy(%x0)"),
        ("packing", "Packing", "round", "shift-right-arithmetic(%v5, %v7)"),
        ("packing", "Packing", "enter", "u8[`count`] copy(%x0)"),
    ],
)
def test_a_grid_becomes_one_operation(folder: str, top: str, instruction: str, operation: str) -> None:
    _, accelerator = design(DESIGNS / folder, top)
    assert operation in accelerator.instructions[instruction].body


def test_a_small_accelerator_is_what_its_update_functions_are(toy: Design) -> None:
    compare(toy, 10)


def test_so_is_one_whose_configuration_clears_state() -> None:
    compare(design(TOY, "Toy", macro="CLEAR"), 5)


def test_so_is_a_systolic_array(systolic: Design) -> None:
    compare(systolic, 2)


def test_pooling_is_a_window_over_a_padded_image(systolic: Design) -> None:
    for size in (1, 2, 3):
        body = systolic[1].instructions[f"mvout_accumulator_pool_size_{size}_relu"].body
        assert "pad(" in body
        assert f"window={{size={size}x{size}x1 stride=`pool_stride`x`pool_stride`x1}}, to_apply=maximum" in body


@pytest.mark.slow
def test_so_is_a_systolic_array_of_full_size() -> None:
    compare(design(ROOT / "rtl/gemmini", "Gemmini"), 2)


def changed(accelerator: Accelerator, name: str, change: Callable[[Instruction], Instruction]) -> Accelerator:
    if name in accelerator.composites:
        whole = accelerator.composites[name]
        return replace(accelerator, composites={**accelerator.composites, name: replace(whole, operation=change(whole.operation))})
    instructions = {n: change(i) if n == name else i for n, i in accelerator.instructions.items()}
    return replace(accelerator, instructions=instructions)


def expect_found(of: Design, name: str, change: Callable[[Instruction], Instruction]) -> None:
    """A wrong specification differs from the update functions, or is not even one that can be executed."""
    reference, accelerator = of
    wrong = changed(accelerator, name, change)
    assert wrong != accelerator
    with pytest.raises((AssertionError, ValueError)):
        assert all(execute(reference, wrong, name, seed) for seed in range(10))


def on_writes(old: str, new: str) -> Callable[[Instruction], Instruction]:
    """Another value in place of a name in the coordinates of what is written."""

    def change(each: Instruction) -> Instruction:
        value = Binary("+", Name(old), Int(1)) if new == "+1" else Name(new)
        slices = [replace(w.slice, coordinates=tuple(simplify(substitute(c, {old: value})) for c in w.slice.coordinates)) for w in each.writes]
        return replace(each, writes=tuple(replace(w, slice=s) for w, s in zip(each.writes, slices, strict=True)))

    return change


def in_body(old: str, new: str) -> Callable[[Instruction], Instruction]:
    return lambda each: replace(each, body=each.body.replace(old, new))


def moved_field(name: str) -> Callable[[Instruction], Instruction]:
    """The field one bit higher, and so one bit narrower."""

    def change(each: Instruction) -> Instruction:
        return replace(each, encode=tuple(replace(f, low=f.low + 1, high=f.high + 1) if f.value == Name(name) else f for f in each.encode))

    return change


def other_mode(state: str, value: int) -> Callable[[Instruction], Instruction]:
    return lambda each: replace(each, uses=tuple(replace(u, equals=Int(value)) if u.state == state and u.equals is not None else u for u in each.uses))


def without_set(state: str) -> Callable[[Instruction], Instruction]:
    return lambda each: replace(each, sets=tuple(s for s in each.sets if s.state != state))


TOY_MUTATIONS = {
    "an element too far": ("weights", lambda each: replace(each, body=each.body.replace("copy(%x0)", "transpose(%x0), dimensions={1,0}"))),
    "a row too far": ("load", on_writes("destination", "+1")),
    "a field moved": ("dot", moved_field("origin")),
    "the other mode": ("dot_relu", other_mode("relu", 0)),
    "a register not set": ("config", without_set("relu")),
    "no ReLU": ("dot_relu", in_body("maximum(%v2, %v4)", "add(%v2, %v4)")),
    "a difference for a product": ("weights_dot", in_body("s32[2] convert(%x0)", "s32[2] negate(%x0)")),
}


@pytest.mark.parametrize("mutation", TOY_MUTATIONS)
def test_a_wrong_instruction_is_found(mutation: str, toy: Design) -> None:
    name, change = TOY_MUTATIONS[mutation]
    expect_found(toy, name, change)


SYSTOLIC_MUTATIONS = {
    "a result not added": ("mvin_accumulator_accumulate", in_body("add(%x0, %v0)", "add(%v0, %v0)")),
    "rows for columns": ("mvin_scratchpad", on_writes("j", "i")),
    "a ReLU that is none": ("mvout_accumulator_relu", in_body("constant(0)", "constant(-128)")),
    "a sum that is rounded down": ("compute_preloaded_accumulator_output_stationary", in_body("select(%v34, %v35, %v24)", "select(%v34, %v24, %v24)")),
    "the wrong tile": ("compute_preloaded_accumulator", in_body("lhs_contracting_dims={1}", "lhs_contracting_dims={0}")),
    "pads that lose": ("mvout_scratchpad_pool_size_2", in_body("constant(0)", "constant(-128)")),
    "the least for the greatest": ("mvout_scratchpad_pool_size_2", in_body("to_apply=maximum", "to_apply=minimum")),
    "a composite that forgets a register": ("preload_compute_preloaded_accumulator", without_set("c_addr")),
    "a composite that forgets its operand": ("preload_compute_preloaded_accumulator_add", in_body("add(%v3, %v2)", "add(%v2, %v2)")),
}


@pytest.mark.parametrize("mutation", SYSTOLIC_MUTATIONS)
def test_a_wrong_systolic_instruction_is_found(mutation: str, systolic: Design) -> None:
    name, change = SYSTOLIC_MUTATIONS[mutation]
    expect_found(systolic, name, change)
