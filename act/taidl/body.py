"""The HLO text of an instruction's body -> a computation whose symbolic integers are `Expr`."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

from act.hlo.model import Computation
from act.hlo.parse import parse_body
from act.taidl.expr_text import parse_expr
from act.taidl.model import Expr, Instruction
from act.taidl.simplify import constant


def body_of(instruction: Instruction, filename: str = "<body>", line: int = 1, indent: int = 0, wrap: Callable[[Expr], Any] = lambda expr: expr) -> Computation:
    """The body with back-quoted text as `wrap(Expr)`, or as an int where it depends on nothing; `UserError` where it is no HLO.

    `line` and `indent` tell where the body stands in its file.  Shapes are not checked: see `verify`.
    """

    def expression(text: str, location: str) -> Any:
        expr = parse_expr(text, location)
        value = constant(expr)
        return wrap(expr) if value is None else value

    return parse_body(textwrap.indent(instruction.body, " " * indent), expression, filename, line)
