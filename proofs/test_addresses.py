"""mvin and mvout: trip counts, addresses with strides, and the data moved, of the lifted functions, for symbolic loop indices.

Every store and load of a lifted function is compared with what `proofs.dma` states, for all commands within bounds, configurations and memories.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import z3

from proofs import dma
from proofs.designs import Case, gemmini
from proofs.dma import Mvin, Mvout
from proofs.meaning import Access, Meaning, meaning, variable
from proofs.solve import Refuted, at_some_point, is_possible, prove, prove_equal, satisfiable

DIM = 4
SIZES = [DIM, pytest.param(16, marks=pytest.mark.slow)]
sizes = pytest.mark.parametrize("dim", SIZES, ids=lambda value: f"DIM{value}")


def kinds(instruction: str) -> list[tuple[str, bool, bool]]:
    """(place, elements are bytes, zero fill)."""
    return [(dma.SCRATCHPAD, True, z) for z in (False, True)] + [(dma.ACCUMULATOR, n, z) for n in (False, True) for z in (False, True)]


def name(instruction: str, place: str, narrow: bool, zeros: bool) -> str:
    return f"gemmini-{instruction}-{place.split('.')[0]}-{'8' if narrow else '32'}bit-{'zeros' if zeros else 'memory'}"


MVINS = [(i, *kind) for i in dma.BANKS for kind in kinds(i)]
Rows = Callable[[z3.BitVecRef, z3.BitVecRef], z3.BitVecRef]
Pairs = dict[z3.ExprRef, z3.ExprRef]

mvins = pytest.mark.parametrize(("instruction", "place", "narrow", "zeros"), MVINS, ids=[name(*m) for m in MVINS])
mvouts = pytest.mark.parametrize("place", [dma.SCRATCHPAD, dma.ACCUMULATOR], ids=lambda place: f"gemmini-mvout-{place.split('.')[0]}")
instructions = pytest.mark.parametrize("instruction", [*dma.BANKS, "mvout"], ids=lambda value: f"gemmini-{value}")


def holds(condition: z3.FuncDeclRef) -> z3.BoolRef:
    return meaning(condition).results[0] == 1


def lifted(dim: int, instruction: str, selected: list[z3.BoolRef], target: str) -> list[tuple[Meaning, list[z3.BoolRef]]]:
    """The lifted functions of the modes that these conditions allow, each with the conditions, the bounds and the mode's own conditions."""
    under = [*selected, dma.in_bounds(dim)]
    satisfiable(instruction, under)
    chosen = [case for case in gemmini(dim)[instruction] if _chooses(case, under)]
    assert chosen, f"no mode of {instruction}"
    return [(meaning(case.targets[target].lifted), [*under, holds(case.facts)]) for case in chosen]


def _chooses(case: Case, under: list[z3.BoolRef]) -> bool:
    return is_possible([*under, holds(case.facts)])


def prove_trips(what: str, dim: int, access: Access, under: list[z3.BoolRef]) -> None:
    block, row = access.loops
    prove_equal(f"{what}: blocks", dma.block_count(dim), block.count, under)
    prove_equal(f"{what}: rows", dma.resize(dma.ROWS, 64), row.count, under)


def at(dim: int, access: Access, under: list[z3.BoolRef]) -> tuple[z3.BitVecRef, z3.BitVecRef, Access]:
    """(row, block, access) with the loop indices as the few bits that they are proved to be."""
    block, row = access.loops
    names = {row.index: variable("row", dim.bit_length() - 1), block.index: variable("block", 2)}
    few = {index: dma.resize(name, 64) for index, name in names.items()}
    within = [*under, *access.reached]
    prove("rows are below DIM", z3.ULT(row.index, dim), within)
    prove("blocks are below 4", z3.ULT(block.index, 4), within)
    return few[row.index], few[block.index], access.substituted(few)


@sizes
@instructions
def test_the_loops_are_right_exactly_within_the_stated_bounds(dim: int, instruction: str) -> None:
    for case in gemmini(dim)[instruction]:
        prove(f"{instruction} mode {case.number}: bounds", holds(case.domain) == dma.bounds(dim, instruction), [holds(case.facts)])


@sizes
@instructions
def test_each_command_has_exactly_one_mode(dim: int, instruction: str) -> None:
    facts = [holds(case.facts) for case in gemmini(dim)[instruction]]
    prove(f"{instruction}: some mode", z3.Or(*facts))
    prove(f"{instruction}: one mode", z3.And(*(z3.Not(z3.And(a, b)) for n, a in enumerate(facts) for b in facts[:n])))


def cut(what: str, dim: int, effect: Meaning, under: list[z3.BoolRef], source: Rows | None, local: Rows) -> tuple[Pairs, set[int]]:
    """(load -> what stands for it, offsets of the bytes loaded from memory): each load is proved to be of a byte of the stated row in memory or of the stated
    row of the local memory."""
    pairs, offsets = {}, set()
    for load in effect.loads:
        if load.array not in (dma.MEMORY, dma.SCRATCHPAD, dma.ACCUMULATOR):
            continue
        row, block, access = at(dim, load, under)
        within = [*under, *access.reached]
        if load.array == dma.MEMORY:
            assert source is not None, f"{what} loads from memory"
            base = source(row, block)
            offset = _offset(access.address, base)
            prove_equal(f"{what}: address of byte {offset} of a row", dma.resize(base + offset, 64), access.address, within)
            offsets.add(offset)
            pairs[access.data] = dma.memory_byte(offset)
        else:
            prove_equal(f"{what}: row loaded", local(row, block), access.address, within)
            pairs[access.data] = dma.local_word(access.data.size())
    return pairs, offsets


@sizes
@mvins
def test_trip_counts_addresses_and_data(dim: int, instruction: str, place: str, narrow: bool, zeros: bool) -> None:
    """Rows x blocks stores, each to the stated row, of the stated data; it is loaded from base + row * stride + block offset: the row's bytes, no other."""
    stated = Mvin(dma.BANKS[instruction], place, narrow, zeros, dim)
    for effect, under in lifted(dim, instruction, stated.selected, place):
        assert len(effect.stores) == 1
        prove_trips(instruction, dim, effect.stores[0], under)
        prove(f"{instruction}: unconditional", effect.stores[0].condition, under)
        loads, offsets = cut(instruction, dim, effect, under, stated.source, stated.address)
        assert offsets == (set() if zeros else set(range(dim * stated.element_bytes)))
        row, block, store = at(dim, effect.stores[0], under)
        within = [*under, *store.reached]
        prove_equal(f"{instruction}: row stored to", stated.address(row, block), store.address, within)
        prove_equal(f"{instruction}: data", stated.data(block), z3.substitute(store.data, *loads.items()), within)


@sizes
@mvouts
def test_mvout_writes_each_byte_of_each_row_where_stated(dim: int, place: str) -> None:
    """Store k of the body is byte k of the row: trip counts, address, condition and data; no byte of the row is left out."""
    stated = Mvout(place, dim)
    for effect, under in lifted(dim, "mvout", stated.selected, dma.MEMORY):
        loads, _ = cut("mvout", dim, effect, under, None, stated.row)
        offsets = [_prove_byte(stated, dim, store, under, loads) for store in effect.stores]
        assert sorted(offsets) == list(range(len(offsets)))
        prove("mvout: all bytes", z3.ULE(stated.valid_bytes(variable("any block", 64)), len(offsets)), under)


def _prove_byte(stated: Mvout, dim: int, found: Access, under: list[z3.BoolRef], loads: Pairs) -> int:
    """Which byte of the row a store is of, after proving that it is."""
    prove_trips("mvout", dim, found, under)
    row, block, store = at(dim, found, under)
    base, inside = stated.address(row, block), [*under, *(z3.ULT(loop.index, loop.count) for loop in store.loops)]
    offset = _offset(store.address, base)
    prove_equal(f"mvout: address of byte {offset}", dma.resize(base + offset, 64), store.address, inside)
    prove(f"mvout: byte {offset} is written", store.condition == z3.ULT(offset, stated.valid_bytes(block)), inside)
    prove_equal(f"mvout: byte {offset}", stated.byte(offset), z3.substitute(store.data, *loads.items()), [*inside, store.condition])
    return offset


@pytest.mark.parametrize("changed", [{"bank": 1}, {"narrow": False}, {"dim": 8}], ids=lambda c: f"gemmini-mvin-other-{next(iter(c))}")
def test_a_statement_about_something_else_is_refuted(changed: dict[str, int]) -> None:
    """Another bank's stride, another element size, another block size."""
    right = Mvin(0, dma.ACCUMULATOR, True, False, DIM)
    ((effect, under),) = lifted(DIM, "mvin", right.selected, dma.ACCUMULATOR)
    wrong = replace(right, **changed)
    with pytest.raises(Refuted, match=r"load_controller\.strides|rs2 = 0x"):
        cut("mvin", DIM, effect, under, wrong.source, wrong.address)


def _offset(address: z3.BitVecRef, base: z3.BitVecRef) -> int:
    """The distance of two addresses at one point; that it is the same everywhere is proved by the caller."""
    return at_some_point(dma.resize(address, dma.MEMORY_BITS) - base)
