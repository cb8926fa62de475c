"""Terms as a person writes them, for reports: `rs2[31:0] == 4294967295`, `strides[1] + rs1`."""

from __future__ import annotations

from lift.unroll.terms import Term

DEPTH = 6
ARITHMETIC = {"add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^", "shl": "<<", "lshr": ">>", "ashr": ">>>"}
INFIX = ARITHMETIC | {"eq": "==", "ult": "<", "ule": "<=", "slt": "<s", "sle": "<=s"}
PREFIX = {"not": "~", "neg": "-"}
SILENT = ("zext", "sext")  # widths are not shown


def term_text(term: Term, depth: int = DEPTH) -> str:
    """`term` down to `depth` levels; what is below is an ellipsis."""
    if term.op == "const":
        return str(term.attr)
    if term.op == "sym":
        return str(term.attr)
    if depth == 0:
        return "…"
    inner = [term_text(a, depth - 1) for a in term.args]
    match term.op:
        case "load":
            return f"{term.attr}[{inner[0]}]"
        case "extract":
            low = int(term.attr or 0)
            return f"{_atom(term.args[0], inner[0])}[{low if term.width == 1 else f'{low + term.width - 1}:{low}'}]"
        case "mux":
            return f"{_atom(term.args[0], inner[0])} ? {_atom(term.args[1], inner[1])} : {_atom(term.args[2], inner[2])}"
        case "concat":
            return "{" + ", ".join(inner) + "}"
        case op if op in SILENT:
            return inner[0]
        case op if op in PREFIX:
            return PREFIX[op] + _atom(term.args[0], inner[0])
        case op if op in INFIX:
            return f" {INFIX[op]} ".join(_atom(a, t) for a, t in zip(term.args, inner, strict=True))
    return f"{term.op}({', '.join(inner)})"


def _atom(term: Term, text: str) -> str:
    """In parentheses, unless it needs none."""
    while term.op in SILENT:
        term = term.args[0]
    return text if term.op in ("const", "sym", "load", "extract", "concat", *PREFIX) or text == "…" else f"({text})"


def fact_text(predicate: Term, holds: bool) -> str:
    return term_text(predicate) if holds else f"not ({term_text(predicate)})"
