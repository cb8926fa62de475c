"""Single numbers on chip -> vectors of one element, or matrices of one in memories of two dimensions, which other instructions read there.

Before --> after:  `write sums[c] = %s` of s32[] --> `write sums[c + one : one < 1] = %s.alone` with `%s.alone = s32[1] reshape(%s)`
"""

from __future__ import annotations

from collections.abc import Mapping

from act.generator.bodies import BY_ELEMENT, changed, shape_of
from act.generator.extents import RANK
from act.generator.forms import Form
from act.hlo.model import Computation, Shape
from act.hlo.model import Instruction as Value
from act.records import replace
from act.taidl.body import body_of
from act.taidl.model import Accelerator, Binary, Index, Instruction, Int, Name, Slice


def with_vectors(accelerator: Accelerator, form: Form) -> Form:
    """The form without single numbers on chip."""
    operation = form.operation
    places = {each.name: each.slice for each in (*operation.reads, *operation.writes)}
    ranks = {name: min(RANK, len(piece.coordinates)) for name, piece in places.items() if _is_number(accelerator, piece)}
    if not operation.body or not ranks:
        return form
    alone = len(ranks) == len(places) and len({*ranks.values()}) == 1 and _is_of_numbers(operation)
    body = changed(operation, lambda body: _as_vectors(body, max(ranks.values())) if alone else _with_reshapes(body, ranks))
    named = {} if alone else {name: _alone(name) for name in ranks if all(name != each.name for each in operation.reads)}
    reads = tuple(replace(each, slice=_vector(operation, each.slice, ranks.get(each.name, 0))) for each in operation.reads)
    writes = tuple(
        replace(each, name=named.get(each.name, each.name), slice=_vector(operation, each.slice, ranks.get(each.name, 0))) for each in operation.writes
    )
    return replace(form, operation=replace(operation, reads=reads, writes=writes, body=body))


def _is_number(accelerator: Accelerator, piece: Slice) -> bool:
    return not piece.indices and not accelerator.buffers[piece.buffer].hbm


def _alone(name: str) -> str:
    return f"{name}.alone"


def _vector(operation: Instruction, piece: Slice, rank: int) -> Slice:
    """With an index of extent 1 along each of the last `rank` coordinates."""
    taken = {*operation.attributes} | {use.name for use in operation.uses}
    names = ["one" + "_" * count for count in range(rank + len(taken))]
    added = [name for name in names if name not in taken][:rank]
    first = len(piece.coordinates) - rank
    moved = tuple(Binary("+", coordinate, Name(name)) for coordinate, name in zip(piece.coordinates[first:], added, strict=True))
    return piece if not rank else Slice(piece.buffer, (*piece.coordinates[:first], *moved), tuple(Index(name, Int(1)) for name in added))


def _is_of_numbers(operation: Instruction) -> bool:
    """Whether the body is of single numbers only, each of which becomes a vector."""
    body = body_of(operation, operation.name)
    return all(each.opcode in BY_ELEMENT | {"parameter", "constant"} and not shape_of(each).dims for each in body)


def _as_vectors(body: Computation, rank: int) -> Computation:
    def vector(each: Value) -> Value:
        attributes = dict(each.attributes)
        if each.opcode == "constant":
            for _ in range(rank):
                attributes["value"] = (attributes["value"],)
        return replace(each, shape=Shape(shape_of(each).dtype, (1,) * rank), attributes=attributes)

    return replace(body, instructions=tuple(map(vector, body)))


def _with_reshapes(body: Computation, ranks: Mapping[str, int]) -> Computation:
    """With parameters and results of one element, around the same computation."""
    numbers = {each.name: f"{each.name}.number" for each in body if each.opcode == "parameter" and each.name in ranks}
    found: list[Value] = []
    for each in body:
        each = replace(each, operands=tuple(numbers.get(operand, operand) for operand in each.operands))
        number, wide = shape_of(each), Shape(shape_of(each).dtype, (1,) * ranks.get(each.name, 0))
        if each.name in numbers:
            found += [replace(each, shape=wide), Value(numbers[each.name], number, "reshape", (each.name,))]
        elif each.name in ranks:
            found += [each, Value(_alone(each.name), wide, "reshape", (each.name,))]
        else:
            found.append(each)
    root = _alone(body.root) if body.root in ranks and body.root not in numbers else body.root
    return replace(body, instructions=tuple(found), root=root)
