"""Integer expressions -> Python expressions, for slices that are evaluated element by element.  The name x is `v_x`; look-ups have no value."""

from __future__ import annotations

from typing import NoReturn

from act.taidl.expr import ExprError
from act.taidl.source import PYTHON_CHOICE, PYTHON_INVERTED, Syntax, python_binary


def _no_lookup(buffer: str) -> NoReturn:
    raise ExprError(f"a look-up in '{buffer}' has no value without its contents")


python_source = Syntax(
    number=lambda value: f"({value})",
    name=lambda name: f"v_{name}",
    inverted=PYTHON_INVERTED,
    choice=PYTHON_CHOICE,
    binary=lambda op, left, right, _: python_binary(op, left, right),
    lookup=_no_lookup,
).source
