"""Memories whose rows instructions see as matrices -> the same memories with rows of two dimensions.

Before --> after:  `buffer wgt : s8[64][256]`, read as `wgt[row][16 * i + j : i < 16, j < 16]` and written as `wgt[row][l : l < 256]` -->
`buffer wgt : s8[64][16, 16]`, `wgt[row][i, j : ...]` and `wgt[row][l, l_ : l < 16, l_ < 16]`
"""

from __future__ import annotations

from act.generator.address import NotSelectable
from act.generator.bodies import changed, with_split_dimension
from act.generator.forms import with_slices
from act.records import replace
from act.taidl.expr import names, substitute
from act.taidl.model import Accelerator, Binary, Buffer, Expr, Index, Instruction, Int, Name, Slice
from act.taidl.simplify import constant, polynomial, simplify


def with_matrices(accelerator: Accelerator) -> Accelerator:
    """The accelerator with rows of two dimensions where all instructions can be written so; itself where there is nothing to do."""
    for buffer in accelerator.buffers.values():
        accelerator = _with_matrices(accelerator, buffer)
    return accelerator


def _with_matrices(accelerator: Accelerator, buffer: Buffer) -> Accelerator:
    if buffer.hbm or len(buffer.unit) != 1:
        return accelerator
    pieces = [piece for each in accelerator.instructions.values() for piece in each.slices if piece.buffer == buffer.name]
    sizes = {size for piece in pieces if (size := _block(piece, buffer.unit[0])) is not None}
    if len(sizes) != 1 or any(piece.buffer == buffer.name for each in accelerator.composites.values() for piece in each.operation.slices):
        return accelerator
    (size,) = sizes
    unit = (buffer.unit[0] // size, size)
    try:
        instructions = {name: _rewritten(each, buffer, unit) for name, each in accelerator.instructions.items()}
    except NotSelectable:
        return accelerator
    return replace(accelerator, buffers={**accelerator.buffers, buffer.name: replace(buffer, unit=unit)}, instructions=instructions)


def _block(piece: Slice, whole: int) -> int | None:
    """The size of the blocks in which a slice sees a row of `whole` elements; None where it does not see two dimensions of all of it."""
    extents = {index.name: constant(index.extent) for index in piece.indices}
    factors = _factors(piece)
    if len(factors) != 2 or not factors.keys() <= extents.keys():
        return None
    (inner, step), (outer, size) = sorted(factors.items(), key=lambda pair: pair[1])
    return size if step == 1 and extents[inner] == size and extents[outer] == whole // size and whole % size == 0 else None


def _factors(piece: Slice) -> dict[str, int]:
    """What names are multiplied with in the last coordinate; nothing when it is not a sum of such."""
    terms = polynomial(piece.coordinates[-1])
    if not all(len(monomial) == 1 and isinstance(monomial[0], Name) for monomial in terms):
        return {}
    return {monomial[0].name: number for monomial, number in terms.items() if isinstance(monomial[0], Name)}


def _rewritten(instruction: Instruction, buffer: Buffer, unit: tuple[int, int]) -> Instruction:
    """With matrices for rows of the buffer."""
    pieces = [piece for piece in instruction.slices if piece.buffer == buffer.name]
    whole = [piece for piece in pieces if _block(piece, buffer.unit[0]) is None]
    if not pieces:
        return instruction
    instruction = with_slices(instruction, lambda piece: _as_blocks(piece, unit) if piece.buffer == buffer.name and piece not in whole else piece)
    positions = {_position(piece, buffer.unit[0]) for piece in whole}
    for position in positions:
        instruction = _split(instruction, position, buffer.name, unit)
    return instruction


def _as_blocks(piece: Slice, unit: tuple[int, int]) -> Slice:
    (inner, _), (outer, _) = sorted(_factors(piece).items(), key=lambda pair: pair[1])
    return replace(piece, coordinates=(*piece.coordinates[:-1], Name(outer), Name(inner)))


def _position(piece: Slice, whole: int) -> int:
    """The dimension that is a whole row."""
    last = piece.coordinates[-1]
    for position, index in enumerate(piece.indices):
        alone = not any(index.name in names(each) for each in piece.coordinates[:-1])
        if last == Name(index.name) and constant(index.extent) == whole and alone:
            return position
    raise NotSelectable(f"it sees some of a row of {piece.buffer}")


def _split(instruction: Instruction, position: int, buffer: str, unit: tuple[int, int]) -> Instruction:
    """With two dimensions for the one at `position` of everything it reads and writes."""
    whole = unit[0] * unit[1]
    if any(len(piece.indices) <= position or constant(piece.indices[position].extent) != whole for piece in instruction.slices):
        raise NotSelectable("not everything it reads and writes has such rows")
    body = changed(instruction, lambda body: with_split_dimension(body, position, unit))
    return replace(with_slices(instruction, lambda piece: _divided(piece, position, buffer, unit)), body=body)


def _divided(piece: Slice, position: int, buffer: str, unit: tuple[int, int]) -> Slice:
    old = piece.indices[position]
    outer, inner = Index(old.name, Int(unit[0])), Index(_fresh(piece, old.name), Int(unit[1]))
    indices = (*piece.indices[:position], outer, inner, *piece.indices[position + 1 :])
    if piece.buffer == buffer:
        return Slice(piece.buffer, (*piece.coordinates[:-1], Name(outer.name), Name(inner.name)), indices)
    number: dict[str, Expr] = {old.name: Binary("+", Binary("*", Int(unit[1]), Name(outer.name)), Name(inner.name))}
    return Slice(piece.buffer, tuple(simplify(substitute(each, number)) for each in piece.coordinates), indices)


def _fresh(piece: Slice, name: str) -> str:
    taken = {index.name for index in piece.indices} | set().union(*map(names, piece.coordinates))
    while name in taken:
        name += "_"
    return name
