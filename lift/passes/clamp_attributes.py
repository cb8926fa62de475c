"""A form (forms.py) -> the attributes that say it, and the same as an expression, which is what has to be proved."""

from __future__ import annotations

from functools import cache

from xdsl.dialects.builtin import BoolAttr, DictionaryAttr, IntegerAttr, StringAttr
from xdsl.ir import Attribute, SSAValue

from lift.ir.operations import width
from lift.passes.forms import SUM, Form
from lift.prove.claims import binary, bits, clamp, resize
from lift.prove.cone import Value
from lift.prove.rounding_claims import scaled

CLAMP, RELU, WRAP, ROUND = "tensorlift.clamp", "tensorlift.relu", "tensorlift.wrap", "tensorlift.round"


def claim(form: Form, leaves: tuple[SSAValue, ...], to: int) -> Value:
    """The form of these values in `to` bits."""
    x: Value = _exact(form, leaves) if form.of is not None else leaves[0]
    read_signed = form.signed or form.of is not None
    if form.shift != 0:
        amount = leaves[1] if form.shift is None else form.shift
        room = to if form.bounds is None else bits(x) + 2
        x, read_signed = scaled(x, amount, form.mode, form.signed, room), True
    return x if form.bounds is None else _clamped(x, form.bounds, read_signed, to)


def _clamped(x: Value, bounds: tuple[int, int], signed: bool, to: int) -> Value:
    """In so many bits that the bounds are numbers of the same sign as what is read."""
    needed = max(*(b.bit_length() for b in bounds), bits(x)) + 1 if signed else bits(x)
    return clamp(resize(x, needed, signed), *bounds, signed, to)


def _exact(form: Form, leaves: tuple[SSAValue, ...]) -> Value:
    n = width(leaves[0]) + 2
    a, b = (resize(v, n, form.signed) for v in leaves)
    return binary("addi" if form.of == SUM else "subi", a, b)


def attributes_of(form: Form, leaves: tuple[SSAValue, ...]) -> dict[str, Attribute]:
    n = width(leaves[0]) + (form.of is not None)
    found: dict[str, Attribute] = {}
    if form.mode is not None:
        found[ROUND] = _attribute(mode=form.mode, signed=form.signed, width=n, **_shift(form))
    relu = form.signed and form.bounds is not None and form.bounds[0] == 0 and form.of is None
    greatest = (1 << (n - 1)) - 1
    if form.bounds is not None and not (relu and form.shift == 0 and form.bounds[1] == greatest):
        extra = {} if form.of is None else {"of": form.of}
        if form.mode is None:
            extra |= _shift(form)
        found[CLAMP] = _attribute(low=form.bounds[0], high=form.bounds[1], signed=form.signed, width=n, **extra)
    if relu:
        found[RELU] = _attribute(width=n)
    return found


def _shift(form: Form) -> dict[str, int]:
    """Given if it is a constant."""
    return {"shift": form.shift} if form.shift else {}


def wrapped(bits_kept: int, signed: bool) -> DictionaryAttr:
    return _attribute(width=bits_kept, signed=signed)


def guarded(bits_read: int, side: int) -> DictionaryAttr:
    return _attribute(width=bits_read, guard=side)


@cache
def _attribute(**entries: int | bool | str) -> DictionaryAttr:
    return DictionaryAttr({key: _one(value) for key, value in entries.items()})


def _one(value: int | bool | str) -> Attribute:
    match value:
        case bool(): return BoolAttr.from_bool(value)
        case int(): return IntegerAttr(value, 64)
        case str(): return StringAttr(value)
