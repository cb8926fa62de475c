"""The tokens of an instruction -> attributes that say whether it waits for a token, or gives one.

`pop full if wait == 1` --> the attribute `wait`, which has no other meaning: 1 waits, 0 does not.  So an order between units can be made of
any instructions, after they were chosen.
"""

from __future__ import annotations

from act.generator.address import NotSelectable
from act.records import dataclass
from act.taidl.expr import names
from act.taidl.model import Accelerator, Binary, Expr, Instruction, Int, Name, TokenUse


@dataclass(frozen=True, slots=True)
class Signal:
    """`token` is taken (or `given`) by `instruction`, on `unit`, when `attribute` is 1, and not when it is 0."""

    instruction: str
    unit: str
    token: str
    given: bool
    attribute: str


def signals(operation: Instruction) -> tuple[Signal, ...]:
    """`NotSelectable` when a token is taken or given whether an attribute asks for it or not, or the attribute means something else, too."""
    uses = [(use, given) for given, each in ((False, operation.pops), (True, operation.pushes)) for use in each]
    if uses and operation.unit is None:
        raise NotSelectable("it waits for tokens, or gives them, and no unit executes it")
    found = tuple(Signal(operation.name, operation.unit or "", use.token, given, _attribute(operation, use)) for use, given in uses)
    if len({each.attribute for each in found}) < len(found):
        raise NotSelectable("one attribute asks for several tokens")
    return found


def _attribute(operation: Instruction, use: TokenUse) -> str:
    match use.condition:
        case Name(name) | Binary("==", Name(name), Int(1)) | Binary("!=", Name(name), Int(0)):
            if name in operation.attributes and not any(name in names(each) for each in _others(operation)):
                return name
    raise NotSelectable("it waits for tokens, or gives them, when no attribute of its own says so")


def _others(operation: Instruction) -> list[Expr]:
    """Where else attributes have a meaning, but for the body, which has no use for one that is 0 or 1 alone."""
    found = [each for piece in operation.slices for each in (*piece.coordinates, *(index.extent for index in piece.indices))]
    return [*found, *operation.when, *(each.value for each in operation.sets)]


def all_signals(accelerator: Accelerator) -> dict[str, tuple[Signal, ...]]:
    """Of every instruction and composite that the compiler may issue."""
    found = {}
    for operation in (*accelerator.instructions.values(), *(each.operation for each in accelerator.composites.values())):
        try:
            found[operation.name] = signals(operation)
        except NotSelectable:
            found[operation.name] = ()
    return found


def unasked(operation: Instruction) -> bool:
    """Whether all attributes only ask for tokens, so that none are taken or given when all are 0."""
    try:
        return {each.attribute for each in signals(operation)} == {*operation.attributes}
    except NotSelectable:
        return False
