"""The processing element: its lifted functions are the unlifted ones and what the specification says, for all inputs and states, in every mode."""

from __future__ import annotations

from fractions import Fraction

import pytest
import z3
from hypothesis import example, given, settings
from hypothesis import strategies as st
from xdsl.dialects.func import FuncOp

from proofs import pe
from proofs.designs import Cycle, cycle, netlist
from proofs.meaning import meaning, prove_same, variable
from proofs.solve import prove, prove_equal

modes = pytest.mark.parametrize("mode", pe.MODES.values(), ids=[f"gemmini-PE-step-{name}" for name in pe.MODES])
targets = pytest.mark.parametrize("target", pe.TARGETS)


Values = dict[str, dict[tuple[int, ...], z3.BitVecRef]]


@pytest.fixture(scope="module")
def element() -> Cycle:
    return cycle(netlist("PE"))


@pytest.fixture(scope="module")
def functions(element: Cycle) -> dict[str, dict[tuple[int, ...], FuncOp]]:
    """target -> (dataflow, propagate) -> the function lifted for that mode."""
    return {name: target.specialised(*pe.MODE) for name, target in element.all.items()}


@pytest.fixture(scope="module")
def specialised(functions: dict[str, dict[tuple[int, ...], FuncOp]]) -> Values:
    return {name: {mode: meaning(f).results[0] for mode, f in by_mode.items()} for name, by_mode in functions.items()}


def test_every_register_and_output_is_stated(element: Cycle) -> None:
    assert sorted(element.all) == sorted(pe.TARGETS)


@pytest.mark.parametrize("target", pe.TARGETS, ids=[f"gemmini-PE-step-{name}" for name in pe.TARGETS])
def test_lifted_is_unlifted(element: Cycle, target: str) -> None:
    """The eight passes without a mode, for all inputs and states."""
    prove_same(f"PE {target}", element.all[target].raw, element.all[target].lifted)


@modes
@targets
def test_lifted_is_the_specification(specialised: Values, target: str, mode: tuple[int, int]) -> None:
    prove_equal(f"PE {target} in mode {mode}", pe.statement(*mode)[target], specialised[target][mode], pe.in_mode(*mode))


@modes
@targets
def test_unlifted_is_the_specification(element: Cycle, target: str, mode: tuple[int, int]) -> None:
    """Without passes in between."""
    prove_equal(f"PE {target} in mode {mode}", pe.statement(*mode)[target], meaning(element.all[target].raw).results[0], pe.in_mode(*mode))


@modes
@targets
def test_the_multiplexer_chooses_the_specialised_function(element: Cycle, specialised: Values, target: str, mode: tuple[int, int]) -> None:
    """The general function is the specialised one where the mode holds."""
    general = meaning(element.all[target].raw).results[0]
    prove_equal(f"PE {target} in mode {mode}", general, specialised[target][mode], pe.in_mode(*mode))


def test_the_modes_cover_all_inputs() -> None:
    prove("some mode holds", z3.Or(*(z3.And(*pe.in_mode(*mode)) for mode in pe.MODES.values())))


def test_no_specialised_function_reads_the_mode(specialised: Values) -> None:
    for values in specialised.values():
        for value in values.values():
            other = z3.substitute(value, *((pe.VARIABLES[name], ~pe.VARIABLES[name]) for name in pe.MODE))
            prove_equal("independence of the mode bits", value, other)


def test_multiply_accumulate_is_annotated_where_the_specification_has_one(functions: dict[str, dict[tuple[int, ...], FuncOp]]) -> None:
    each = ((name, mode, f) for name, by_mode in functions.items() for mode, f in by_mode.items())
    annotated = {(name, mode) for name, mode, f in each if any("tensorlift.mac" in op.attributes for op in f.walk())}
    assert annotated == {("c1", (0, 0)), ("c2", (0, 1)), ("out_b", (1, 0)), ("out_b", (1, 1))}


# The specification's own definitions


def test_a_product_of_bytes_fits_16_bits() -> None:
    a, b = variable("in_a", 8), variable("in_b", 8)
    exact = pe.sign_extend(a, 32) * pe.sign_extend(b, 32)
    prove_equal("8 x 8 bit product", exact, pe.sign_extend(pe.sign_extend(a, 16) * pe.sign_extend(b, 16), 32))


@settings(deadline=None)
@given(st.integers(-(2**31), 2**31 - 1), st.integers(0, 31))
@example(3, 1)
@example(1, 1)
@example(-1, 1)
@example(-(2**31), 31)
def test_stated_rounding_is_to_the_nearest_integer_ties_to_even(x: int, shift: int) -> None:
    stated = z3.simplify(pe.round_half_even(z3.BitVecVal(x, 32), z3.BitVecVal(shift, 5))).as_signed_long()
    assert stated == round(Fraction(x, 2**shift))


@settings(deadline=None)
@given(st.integers(-(2**32), 2**32))
def test_stated_clip_is_the_nearest_20_bit_integer(x: int) -> None:
    stated = z3.simplify(pe.clip20(z3.BitVecVal(x, 64))).as_signed_long()
    assert stated == min(max(x, -(2**19)), 2**19 - 1)
