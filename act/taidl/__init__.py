"""TAIDL: the model of an accelerator's instructions, and its text form."""

from typing import TYPE_CHECKING

from act.lazy import names_of
from act.taidl.simplify import equal, simplify

if TYPE_CHECKING:
    from act.taidl.beyond import beyond_selection
    from act.taidl.body import body_of
    from act.taidl.expr import ExprError, conjuncts, evaluate, lookups, names, substitute
    from act.taidl.expr_text import parse_expr, print_expr
    from act.taidl.inline import inlined
    from act.taidl.model import (
        Accelerator,
        Binary,
        Branch,
        Buffer,
        Choice,
        Composite,
        Expr,
        Field,
        Index,
        Instruction,
        Int,
        Lookup,
        Loop,
        Name,
        Note,
        Part,
        Read,
        Set,
        Slice,
        State,
        Token,
        TokenUse,
        Unary,
        Use,
        Word,
        Write,
    )
    from act.taidl.print import print_text
    from act.taidl.python_form import PythonForm, to_python
    from act.taidl.text import Locations, TaidlErrors, parse, parse_located
    from act.taidl.verify import load, verify

__getattr__ = names_of(
    __name__,
    {
        "beyond": "beyond_selection",
        "body": "body_of",
        "expr": "ExprError conjuncts evaluate lookups names substitute",
        "expr_text": "parse_expr print_expr",
        "inline": "inlined",
        "model": "Accelerator Binary Branch Buffer Choice Composite Expr Field Index Instruction Int Lookup Loop Name Note Part Read Set Slice State Token "
        "TokenUse Unary Use Word Write",
        "print": "print_text",
        "text": "Locations TaidlErrors parse parse_located",
        "python_form": "PythonForm to_python",
        "verify": "load verify",
    },
)

__all__ = [
    "Accelerator", "Binary", "Branch", "Buffer", "Choice", "Composite", "Expr", "ExprError", "Field", "Index", "Instruction", "Int", "Locations",
    "Lookup", "Loop", "Name", "Note", "Part", "PythonForm", "Read", "Set", "Slice", "State", "TaidlErrors", "Token", "TokenUse", "Unary",
    "Use", "Word", "Write", "beyond_selection", "body_of", "conjuncts", "equal",
    "evaluate", "inlined", "load", "lookups", "names", "parse", "parse_expr", "parse_located", "print_expr", "print_text", "simplify", "substitute",
    "to_python", "verify",
]  # fmt: skip
