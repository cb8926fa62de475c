"""preload, compute_preloaded and compute_accumulated, lifted: the specification's matrix product, element by element, for all operands and memories."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import z3

from lift.ir.subterms import subterms
from proofs import compute
from proofs.compute import ACCUMULATOR, PROPAGATE, SCRATCHPAD
from proofs.designs import Case, gemmini
from proofs.meaning import array, meaning
from proofs.solve import Refuted, prove, prove_equal

sizes = pytest.mark.parametrize("dim", [4], ids=lambda dim: f"DIM{dim}")
instructions = pytest.mark.parametrize("instruction", ["compute_preloaded", "compute_accumulated"], ids=lambda name: f"gemmini-{name}")
modes = pytest.mark.parametrize("propagate", [0, 1], ids=lambda bit: f"in_prop{bit}")


def case(dim: int, instruction: str, propagate: int) -> Case:
    """The mode for this value of the propagate bit."""
    chosen = []
    for each in gemmini(dim)[instruction]:
        holds = z3.simplify(z3.substitute(meaning(each.facts).results[0] == 1, (PROPAGATE, z3.BitVecVal(propagate, 1))))
        assert z3.is_true(holds) or z3.is_false(holds), "the mode depends on more than the propagate bit"
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
        _prove_lanes(what, _without_loads(what, store.data, place, active, row, dim), place, row, dim)


def _prove_lanes(what: str, data: z3.BitVecRef, place: str, row: int, dim: int) -> None:
    bits = 8 if place == SCRATCHPAD else 32
    for col in range(dim):
        lane = z3.simplify(z3.Extract(bits * (col + 1) - 1, bits * col, data))
        prove_equal(f"{what}: lane {col}", compute.stored(place, row, col, dim), _without_products(what, lane, row, col, dim))


def _without_loads(what: str, data: z3.BitVecRef, place: str, active: str, row: int, dim: int) -> z3.BitVecRef:
    """The data with what stands for each load, after proving that the load is from where that is."""
    pairs = []
    for load in [t for t in subterms([data]) if z3.is_select(t)]:
        name, address = load.arg(0).decl().name(), z3.simplify(load.arg(1))
        if name == compute.buffer(active):
            pairs.append((load, compute.weight(*divmod(address.as_long(), dim))))
            continue
        known = {"C": (place, compute.c_address(place, row), compute.old_line(place, row, dim))}
        known |= {o.name: (SCRATCHPAD, o.address(row), o.line(row, dim)) for o in (compute.A, compute.D)}
        found = [line for where, at, line in known.values() if where == name and z3.is_true(z3.simplify(at == address))]
        assert len(found) == 1, f"{what}: a load from {name} at {address}"
        pairs.append((load, found[0]))
    return z3.substitute(data, *pairs)


def _without_products(what: str, lane: z3.BitVecRef, row: int, col: int, dim: int) -> z3.BitVecRef:
    """The lane with what stands for each product, after proving that its factors are the stated ones."""
    pairs = []
    for found in [t for t in subterms([lane]) if z3.is_app(t) and t.decl().name().startswith("product of")]:
        k = next(k for k in range(dim) if any(t.eq(compute.weight(k, col)) for t in subterms([found.arg(1)])))
        for stated, factor in zip(compute.factors(row, k, col, dim), found.children(), strict=True):
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
def test_preload_brings_the_tile_into_the_passive_buffer(dim: int, propagate: int) -> None:
    """Row i of B goes to row i of the array, sign-extended; elements beyond its rows and columns, and garbage, are zeros."""
    passive = "c1" if propagate else "c2"
    lines = [(compute.B.line(row, dim), z3.Select(array(SCRATCHPAD, 8 * dim), compute.B.address(row))) for row in range(dim)]

    def stated(row: int, col: int) -> z3.BitVecRef:
        return z3.substitute(z3.SignExt(24, compute.B.element(row, col, dim)), *lines)

    assert _elements(case(dim, "preload", propagate), passive, dim, stated) == dim * dim


def _elements(found: Case, passive: str, dim: int, stated: Callable[[int, int], z3.BitVecRef]) -> int:
    """Proves that every element of the passive buffer is stored to once, with what is stated; how many."""
    stores = meaning(found.targets[compute.buffer(passive)].lifted).stores
    for store in stores:
        index = z3.simplify(store.address).as_long()
        prove("unconditional", store.condition)
        prove_equal(f"{found.instruction}: {passive} of row {index // dim}, column {index % dim}", stated(index // dim, index % dim), store.data)
    return len({z3.simplify(store.address).as_long() for store in stores})
