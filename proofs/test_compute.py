"""preload, compute_preloaded and compute_accumulated, lifted: the specification's matrix products, element by element, for all operands and memories."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product

import pytest
import z3

from lift.ir.subterms import subterms
from proofs import compute
from proofs.compute import ACCUMULATOR, C_ADDRESS, DATAFLOW, GARBAGE, PROPAGATE, SCRATCHPAD, TRANSPOSE
from proofs.designs import Case, gemmini
from proofs.meaning import array, meaning, variable
from proofs.pe import OUTPUT_STATIONARY, WEIGHT_STATIONARY, sign_extend
from proofs.products import sum_of
from proofs.solve import Refuted, prove, prove_equal

sizes = pytest.mark.parametrize("dim", [4], ids=lambda dim: f"DIM{dim}")
instructions = pytest.mark.parametrize("instruction", ["compute_preloaded", "compute_accumulated"], ids=lambda name: f"gemmini-{name}")
modes = pytest.mark.parametrize("propagate", [0, 1], ids=lambda bit: f"in_prop{bit}")


def case(dim: int, instruction: str, propagate: int, dataflow: int = WEIGHT_STATIONARY, leaves: bool = True, transposes: int = 0) -> Case:
    """The mode for these values of the propagate bit, of the dataflow and of B's transposition; output stationary, whether the sums leave."""
    fixed = [(PROPAGATE, z3.BitVecVal(propagate, 1)), (DATAFLOW, z3.BitVecVal(dataflow, 1)), (TRANSPOSE, z3.BitVecVal(transposes, 1))]
    if dataflow == OUTPUT_STATIONARY:
        fixed.append((C_ADDRESS, z3.BitVecVal(0 if leaves else GARBAGE, 32)))
    chosen = []
    for each in gemmini(dim)[instruction]:
        holds = z3.simplify(z3.substitute(meaning(each.facts).results[0] == 1, *fixed))
        assert z3.is_true(holds) or z3.is_false(holds), "the mode depends on more than that"
        chosen += [each] if z3.is_true(holds) else []
    assert len(chosen) == 1
    return chosen[0]


def buffers(instruction: str, propagate: int) -> tuple[str, str]:
    """(active, passive) while the instruction runs: compute_preloaded flips them first."""
    bit = 1 - propagate if instruction == "compute_preloaded" else propagate
    return ("c2", "c1") if bit else ("c1", "c2")


@sizes
@instructions
@modes
@pytest.mark.parametrize("place", [SCRATCHPAD, ACCUMULATOR])
def test_each_row_of_the_product_is_stored_where_stated(dim: int, instruction: str, propagate: int, place: str) -> None:
    active, _ = buffers(instruction, propagate)
    stores = meaning(case(dim, instruction, propagate).targets[place].lifted, opaque_products=True).stores
    assert len(stores) == dim
    for row, store in enumerate(stores):
        what = f"{instruction}, row {row} of C in {place}"
        prove(f"{what}: condition", store.condition == compute.written(place, row))
        prove_equal(f"{what}: address", compute.c_address(place, row), store.address, [store.condition])
        _prove_lanes(what, _without_loads(what, store.data, place, active, row, dim, [row]), place, row, dim)


def _prove_lanes(what: str, data: z3.BitVecRef, place: str, row: int, dim: int) -> None:
    bits = 8 if place == SCRATCHPAD else 32
    for col, lane in enumerate(_lanes(data, bits, dim)):
        prove_equal(f"{what}: lane {col}", compute.stored(place, row, col, dim), _without_products(what, lane, row, col, dim))


QUICK = [("compute_preloaded", 0, SCRATCHPAD), ("compute_accumulated", 1, ACCUMULATOR)]
LEAVING = [
    pytest.param(i, bit, place, id=f"gemmini-{i}-in_prop{bit}-{place}", marks=[] if (i, bit, place) in QUICK else pytest.mark.slow)
    for i, bit, place in product(["compute_preloaded", "compute_accumulated"], [0, 1], [SCRATCHPAD, ACCUMULATOR])
]


@sizes
@pytest.mark.parametrize(("instruction", "propagate", "place"), LEAVING)
def test_output_stationary_each_row_of_the_sums_is_stored_where_stated(dim: int, instruction: str, propagate: int, place: str) -> None:
    """They leave last row first."""
    active, _ = buffers(instruction, propagate)
    stores = meaning(case(dim, instruction, propagate, OUTPUT_STATIONARY).targets[place].lifted, opaque_products=True).stores
    assert len(stores) == dim
    for row, store in enumerate(reversed(stores)):
        what, somewhere = f"{instruction}, output stationary, row {row} of C in {place}", C_ADDRESS != GARBAGE
        prove(f"{what}: condition", store.condition == compute.written(place, row), [somewhere])
        prove_equal(f"{what}: address", compute.c_address(place, row), store.address, [store.condition])
        data = _without_loads(what, store.data, place, active, row, dim, range(dim))
        for col, lane in enumerate(_lanes(data, 8 if place == SCRATCHPAD else 32, dim)):
            left, total = _cut(what, _without_products(what, lane, row, col, dim, OUTPUT_STATIONARY), row, col, dim)
            prove_equal(f"{what}: lane {col}", compute.stored_as(compute.leaving(total), place, row, col, dim), left)


@sizes
@instructions
@modes
@pytest.mark.parametrize("leaves", [True, False], ids=["they-leave", "they-stay"])
def test_output_stationary_sums_stay_or_leave(dim: int, instruction: str, propagate: int, leaves: bool) -> None:
    """Where they have left, zeros remain."""
    found, (active, passive) = case(dim, instruction, propagate, OUTPUT_STATIONARY, leaves), buffers(instruction, propagate)
    assert _elements(found, passive, dim, lambda row, col: z3.BitVecVal(0, 32)) == dim * dim
    if leaves:
        assert _elements(found, active, dim, lambda row, col: z3.BitVecVal(0, 32)) == dim * dim
        return
    stores = meaning(found.targets[compute.buffer(active)].lifted, opaque_products=True).stores
    for store in stores:
        row, col = divmod(z3.simplify(store.address).as_long(), dim)
        what = f"{instruction}, sum of row {row}, column {col}"
        data = _without_products(what, _without_loads(what, store.data, SCRATCHPAD, active, row, dim, range(dim)), row, col, dim, OUTPUT_STATIONARY)
        prove_equal(what, sign_extend(compute.sums(row, col, dim), 32), data)
    assert len({z3.simplify(s.address).as_long() for s in stores}) == dim * dim


def _cut(what: str, lane: z3.BitVecRef, row: int, col: int, dim: int) -> tuple[z3.BitVecRef, z3.BitVecRef]:
    """The lane with a variable for the sum, after proving that it is the one that is stated; the variable."""
    total, cut = sum_of(what, lane), variable("sum", 20)
    prove_equal(f"{what}: sum of column {col}", compute.sums(row, col, dim), total)
    return z3.substitute(lane, (total, cut)), cut


def _lanes(data: z3.BitVecRef, bits: int, dim: int) -> list[z3.BitVecRef]:
    return [z3.simplify(z3.Extract(bits * (col + 1) - 1, bits * col, data)) for col in range(dim)]


def _without_loads(what: str, data: z3.BitVecRef, place: str, active: str, row: int, dim: int, rows: Iterable[int]) -> z3.BitVecRef:
    """The data with what stands for each load, after proving that the load is from where that is; `rows` of the operands are those that count."""
    pairs = []
    known = [(place, compute.c_address(place, row), compute.old_line(place, row, dim))]
    known += [(SCRATCHPAD, o.address(r), o.line(r, dim)) for o in (compute.A, compute.D) for r in rows]
    for load in [t for t in subterms([data]) if z3.is_select(t)]:
        name, address = load.arg(0).decl().name(), z3.simplify(load.arg(1))
        if name == compute.buffer(active):
            pairs.append((load, compute.held(*divmod(address.as_long(), dim))))
            continue
        found = [line for where, at, line in known if where == name and z3.is_true(z3.simplify(at == address))]
        assert len(found) == 1, f"{what}: a load from {name} at {address}"
        pairs.append((load, found[0]))
    return z3.substitute(data, *pairs)


def _without_products(what: str, lane: z3.BitVecRef, row: int, col: int, dim: int, dataflow: int = WEIGHT_STATIONARY) -> z3.BitVecRef:
    """The lane with what stands for each product, after proving that its factors are the stated ones."""
    pairs = []
    for found in [t for t in subterms([lane]) if z3.is_app(t) and t.decl().name().startswith("product of")]:
        marks = [compute.held(k, col) if dataflow == WEIGHT_STATIONARY else compute.D.line(k, dim) for k in range(dim)]
        k = next(k for k in range(dim) if any(t.eq(marks[k]) for t in subterms([found.arg(1)])))
        for stated, factor in zip(compute.factors(row, k, col, dim, dataflow), found.children(), strict=True):
            prove_equal(f"{what}: factor of product {k} of lane {col}", stated, factor)
        pairs.append((found, compute.partial_product(k)))
    assert len(pairs) == dim, f"{what}: {len(pairs)} products in lane {col}"
    return z3.substitute(lane, *pairs)


WRONG = {
    "addend-dropped": ("result", lambda row, col, dim: z3.BitVecVal(0, 20)),
    "every-row-written": ("written", lambda place, row: z3.Extract(31, 31, compute.C_ADDRESS) == 0),
    "not-saturated": ("_narrowed", lambda total: z3.Extract(7, 0, total)),
    "stride-ignored": ("c_address", lambda place, row: compute.resize(z3.Extract(13, 0, compute.C_ADDRESS) + row, 64)),
}


@pytest.mark.parametrize("wrong", WRONG, ids=[f"gemmini-compute_accumulated-{name}" for name in WRONG])
def test_a_wrong_statement_is_refuted(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compute, *WRONG[wrong])
    with pytest.raises(Refuted, match="= 0x"):
        test_each_row_of_the_product_is_stored_where_stated(4, "compute_accumulated", 0, SCRATCHPAD)


@sizes
@instructions
@modes
def test_the_passive_buffer_is_emptied(dim: int, instruction: str, propagate: int) -> None:
    """Zeros enter through d."""
    _, passive = buffers(instruction, propagate)
    assert _elements(case(dim, instruction, propagate), passive, dim, lambda row, col: z3.BitVecVal(0, 32)) == dim * dim


@sizes
@modes
@pytest.mark.parametrize("dataflow", [WEIGHT_STATIONARY, OUTPUT_STATIONARY], ids=["weight", "output"])
@pytest.mark.parametrize("transposes", [0, 1], ids=["as-it-is", "transposed"])
def test_preload_brings_the_tile_into_the_passive_buffer(dim: int, propagate: int, dataflow: int, transposes: int) -> None:
    """Row i of B goes to row i of the array, or weight stationary, where that is configured, to column i, sign-extended; elements beyond the rows and
    columns that it has in the array, and garbage, are zeros."""
    passive = "c1" if propagate else "c2"
    lines = [(compute.B.line(row, dim), z3.Select(array(SCRATCHPAD, 8 * dim), compute.B.address(row))) for row in range(dim)]

    def stated(row: int, col: int) -> z3.BitVecRef:
        transposed = transposes and dataflow == WEIGHT_STATIONARY
        element = compute.B.turned.element(col, row, dim) if transposed else compute.B.element(row, col, dim)
        return z3.substitute(z3.SignExt(24, element), *lines)

    assert _elements(case(dim, "preload", propagate, dataflow, transposes=transposes), passive, dim, stated) == dim * dim


def _elements(found: Case, passive: str, dim: int, stated: Callable[[int, int], z3.BitVecRef]) -> int:
    """Proves that every element of the passive buffer is stored to once, with what is stated; how many."""
    stores = meaning(found.targets[compute.buffer(passive)].lifted).stores
    for store in stores:
        index = z3.simplify(store.address).as_long()
        prove("unconditional", store.condition)
        prove_equal(f"{found.instruction}: {passive} of row {index // dim}, column {index % dim}", stated(index // dim, index % dim), store.data)
    return len({z3.simplify(store.address).as_long() for store in stores})
