"""Instructions that move rows in loops: one iteration of the lifted function at a free row and block is the specification's elements of that row and block.

A row of a block has DIM columns: iteration (block, row) is about the elements i = row, j = DIM * block + lane.  That each element of the specification is of
exactly one iteration that happens is proved too, so by induction over the iterations the loops do what the specification says.
"""

from __future__ import annotations

from dataclasses import dataclass

import z3

from act.taidl import Slice, Write
from lift.ir.subterms import free
from proofs.dma import resize
from proofs.integers import Integer, constant, plus, times, unsigned
from proofs.meaning import Access, Meaning, array, variable
from proofs.solve import prove, prove_equal
from proofs.specification import BUFFERS, Command

BLOCK_BITS = 2


@dataclass(frozen=True, slots=True)
class Position:
    """A row and a block as variables of a few bits."""

    row: z3.BitVecRef
    block: z3.BitVecRef

    def index(self, lane: int, dim: int) -> tuple[Integer, Integer]:
        """(i, j)."""
        return unsigned(self.row), plus(times(unsigned(self.block), constant(dim)), constant(lane))


def position(dim: int, mark: str = "") -> Position:
    return Position(variable(f"row{mark}", dim.bit_length() - 1), variable(f"block{mark}", BLOCK_BITS))


def at(access: Access, here: Position) -> Access:
    """An access in the iteration `here`.  What the loops store to has its first contents there: see `prove_once`."""
    block, row = access.loops
    found = access.substituted({row.index: resize(here.row, 64), block.index: resize(here.block, 64)})
    pairs = [_first_contents(name, found) for name in sum(BUFFERS.values(), ())]
    used = [p for pair in pairs for p in pair]
    address, data, condition = (z3.substitute(v, *used) for v in (found.address, found.data, found.condition))
    return Access(found.array, address, data, condition, found.loops)  # type: ignore[arg-type]


def _first_contents(name: str, access: Access) -> list[tuple[z3.ExprRef, z3.ExprRef]]:
    found: list[tuple[z3.ExprRef, z3.ExprRef]] = []
    for term in free([access.data]):
        if z3.is_array(term) and term.decl().name().startswith(f"{name} in iteration "):
            found.append((term, array(name, term.sort().range().size())))
    return found


def prove_loops(what: str, dim: int, access: Access, under: list[z3.BoolRef]) -> None:
    """Row and block fit their few bits in every iteration."""
    block, row = access.loops
    within = [*under, *(z3.ULT(loop.index, loop.count) for loop in access.loops)]
    prove(f"{what}: rows are below DIM", z3.ULT(row.index, dim), within)
    prove(f"{what}: blocks are below {1 << BLOCK_BITS}", z3.ULT(block.index, 1 << BLOCK_BITS), within)


def reached(access: Access) -> list[z3.BoolRef]:
    return [z3.ULT(loop.index, loop.count) for loop in access.loops]


def prove_complete(what: str, dim: int, command: Command, slice_: Slice, access: Access, under: list[z3.BoolRef]) -> None:
    """Every element (i, j) of the specification is of the iteration row = i, block = j / DIM."""
    i, j, found = variable("i", 64), variable("j", 64), [*slice_.indices[:2]]
    extents = [command.inside(Slice(slice_.buffer, slice_.coordinates, (n,)), (v,)) for n, v in zip(found, (unsigned(i), unsigned(j)), strict=True)]
    block, row = access.loops
    happens = z3.And(z3.ULT(i, row.count), z3.ULT(z3.UDiv(j, z3.BitVecVal(dim, 64)), block.count))
    prove(f"{what}: every element is of some iteration", happens, [*under, *extents])


def prove_once(what: str, dim: int, command: Command, slice_: Slice, access: Access, under: list[z3.BoolRef]) -> None:
    """The first element of the row of each iteration is one that is written.  So if two iterations stored to one word, the specification would write that
    element twice, which has no meaning: each word has its first contents when it is stored to."""
    here = position(dim)
    first = command.inside(slice_, here.index(0, dim)[: len(slice_.indices)])
    prove(f"{what}: an iteration writes its first element", first, [*under, *reached(at(access, here))])


def prove_words(what: str, dim: int, command: Command, write: Write, effect: Meaning, under: list[z3.BoolRef]) -> int:
    """One store of a row of elements in each iteration; how many elements it has."""
    (store,) = effect.stores
    prove_loops(what, dim, store, under)
    prove_complete(what, dim, command, write.slice, store, under)
    prove_once(what, dim, command, write.slice, store, under)
    here = position(dim)
    found = at(store, here)
    within = [*under, *reached(found)]
    for lane in range(dim):
        index = here.index(lane, dim)
        inside = command.inside(write.slice, index)
        (place,) = command.places(write.slice, index)
        assert place.lane is not None
        prove(f"{what}: element {lane} is stored to", z3.Implies(inside, found.condition), within)
        reaching = [*within, inside, found.condition]
        prove_equal(f"{what}: row of element {lane}", place.address, found.address, reaching)
        prove_equal(f"{what}: lane of element {lane}", z3.BitVecVal(lane, 64), place.lane.resized(64), reaching)
        old = z3.Select(array(found.array, found.data.size()), found.address)
        bits = slice(place.width * (lane + 1) - 1, place.width * lane)
        after, before = (z3.Extract(bits.start, bits.stop, word) for word in (found.data, old))
        stated = command.tensors.element(write.name, index)
        prove_equal(f"{what}: element {lane}", stated, after, reaching)
        prove_equal(f"{what}: element {lane} beyond the columns", before, after, [*within, z3.Not(inside), found.condition])
    return dim


def prove_bytes(what: str, dim: int, command: Command, write: Write, effect: Meaning, under: list[z3.BoolRef]) -> int:
    """Stores of single elements, in the order of their addresses; how many elements an iteration has."""
    parts = 1 if len(write.slice.indices) == 2 else _constant(command, write)
    prove_loops(what, dim, effect.stores[0], under)
    prove_complete(what, dim, command, write.slice, effect.stores[0], under)
    here = position(dim)
    for number, store in enumerate(effect.stores):
        found = at(store, here)
        within = [*under, *reached(found)]
        if number >= dim * parts:
            prove(f"{what}: there is no byte {number}", z3.Not(found.condition), within)
            continue
        lane, part = divmod(number, parts)
        index = (*here.index(lane, dim), *((constant(part),) if parts > 1 else ()))
        (place,) = command.places(write.slice, index)
        prove(f"{what}: byte {number} is written", found.condition == command.inside(write.slice, index), within)
        reaching = [*within, found.condition]
        prove_equal(f"{what}: address of byte {number}", place.address, found.address, reaching)
        prove_equal(f"{what}: byte {number}", command.tensors.element(write.name, index), found.data, reaching)
    assert len(effect.stores) >= dim * parts, f"{what}: {len(effect.stores)} stores for {dim * parts} elements"
    return dim * parts


def _constant(command: Command, write: Write) -> int:
    extent = command.tensors.integer(write.slice.indices[2].extent).constant
    assert extent is not None
    return extent


__all__ = ["Position", "at", "position", "prove_bytes", "prove_words", "reached"]
