"""An operator that one value of an attribute makes do nothing -> the instruction as it is, and with that value, without the operator.

Before --> after:  `clamp(low, shift-right-arithmetic(x, by), high)` --> the same, and with by = 0 `clamp(low, x, high)`
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from act.generator.bodies import changed, shape_of
from act.generator.forms import Form, pinned
from act.hlo.dtypes import is_float
from act.hlo.model import Computation
from act.hlo.model import Instruction as Value
from act.records import replace
from act.taidl.body import body_of
from act.taidl.model import Int, Name

NEUTRAL = dict.fromkeys(("shift-right-arithmetic", "shift-right-logical", "shift-left", "add", "subtract", "or", "xor"), 0) | {"multiply": 1, "divide": 1}
"""The second operand with which an integer operator gives the first."""
MOVES = frozenset("parameter constant broadcast copy convert reshape transpose bitcast-convert slice".split())


def with_neutral_values(form: Form) -> Iterator[Form]:
    """The form, and one for each attribute that can be given such a value, as long as it computes something then."""
    yield form
    if not form.operation.body or not form.operation.alpha:
        return
    body = body_of(form.operation, form.operation.name)
    for attribute, (value, name) in _found(body, form).items():
        simpler = pinned(form, {attribute: Int(value)})
        text = changed(simpler.operation, lambda body, name=name: _without(body, name))
        simpler = replace(simpler, operation=replace(simpler.operation, body=text))
        possible = not any(isinstance(condition, Int) for condition in simpler.operation.when)
        if possible and any(each.opcode not in MOVES for each in body_of(simpler.operation, form.operation.name)):
            yield simpler


def _found(body: Computation, form: Form) -> Mapping[str, tuple[int, str]]:
    """For attributes that are the second operand of an operator everywhere: the value, and which operator that is."""
    found = {}
    for each in body:
        if each.opcode not in NEUTRAL or is_float(shape_of(each).dtype):
            continue
        second = body[each.operands[1]]
        second = body[second.operands[0]] if second.opcode == "broadcast" else second
        value = second.attributes.get("value")
        if second.opcode == "constant" and isinstance(value, Name) and value.name in form.operation.alpha:
            found[value.name] = (NEUTRAL[each.opcode], each.name)
    return found


def _without(body: Computation, name: str) -> Computation:
    """With a copy of its first operand for an operator."""

    def copied(each: Value) -> Value:
        return replace(each, opcode="copy", operands=each.operands[:1], attributes={}) if each.name == name else each

    return replace(body, instructions=tuple(map(copied, body)))
