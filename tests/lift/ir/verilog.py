"""Terms and values -> what Icarus Verilog says their value is: a wire for each subterm, so that no context changes a width or a sign."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from lift.unroll.terms import Term, walk

MISSING = [name for name in ("iverilog", "vvp") if shutil.which(name) is None]
_BINARY = {"add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^", "udiv": "/", "urem": "%", "shl": "<<", "lshr": ">>"}
_COMPARE = {"eq": "==", "ult": "<", "ule": "<="}
_UNARY = {"not": "~", "neg": "-", "redor": "|", "redand": "&", "redxor": "^"}
_SIGNED = {"sdiv": "/", "srem": "%", "slt": "<", "sle": "<="}


def values(terms: Sequence[Term], given: Sequence[tuple[Mapping[str, int], Sequence[int]]], folder: Path) -> list[int]:
    """The value of each term where symbols and words of the array `m` are given; by one simulation."""
    lines = ["module top;", *(line for number, term in enumerate(terms) for line in _module(number, term, *given[number])), "  initial begin #1;"]
    lines += [f'    $display("%0d", r{number});' for number in range(len(terms))]
    (folder / "top.v").write_text("\n".join([*lines, "  end", "endmodule", ""]))
    subprocess.run(["iverilog", "-g2005", "-o", folder / "top", folder / "top.v"], check=True)
    done = subprocess.run(["vvp", folder / "top"], check=True, capture_output=True, text=True)
    return [int(word) for word in done.stdout.split()]


def _module(number: int, root: Term, symbols: Mapping[str, int], words: Sequence[int]) -> list[str]:
    """Declarations whose wire r<number> is the value of `root`."""
    names: dict[Term, str] = {}
    lines = [f"  reg [7:0] m{number} [0:{len(words) - 1}];", "  initial begin", *(f"    m{number}[{k}] = {w};" for k, w in enumerate(words)), "  end"]
    for place, term in enumerate(walk(root)):
        names[term] = f"t{number}_{place}"
        lines.append(f"  wire [{term.width - 1}:0] {names[term]} = {_expression(number, term, [names[a] for a in term.args], symbols)};")
    return [*lines, f"  wire [{root.width - 1}:0] r{number} = {names[root]};"]


def _expression(number: int, term: Term, args: list[str], symbols: Mapping[str, int]) -> str:
    match term.op:
        case "const":
            return f"{term.width}'d{term.attr}"
        case "sym":
            return f"{term.width}'d{symbols[str(term.attr)]}"
        case "load":
            return f"m{number}[{args[0]}]"
        case "mux":
            return f"{args[0]} ? {args[1]} : {args[2]}"
        case "concat":
            return f"{{{', '.join(args)}}}"
        case "extract":
            return f"{args[0]} >> {term.attr}"
        case "zext":
            return args[0]
        case "sext":
            return f"$signed({args[0]})"
        case "ashr":
            return f"$signed({args[0]}) >>> {args[1]}"
        case "udiv" | "urem" | "sdiv" | "srem":
            return _divided(term, args)
        case op if op in _SIGNED:
            return f"$signed({args[0]}) {_SIGNED[op]} $signed({args[1]})"
        case op if op in _UNARY:
            return f"{_UNARY[op]}{args[0]}"
    return f"{args[0]} {(_BINARY | _COMPARE)[term.op]} {args[1]}"


def _divided(term: Term, args: list[str]) -> str:
    """By zero as SMT-LIB has it, which Verilog leaves undefined; a variable's sign bit decides of the signed quotient."""
    a, b = args
    ones, one = f"{{{term.width}{{1'b1}}}}", f"{term.width}'d1"
    by_zero = {"udiv": ones, "urem": a, "srem": a, "sdiv": f"({a}[{term.width - 1}] ? {one} : {ones})"}[term.op]
    if term.op in _SIGNED:
        minus_one = {"sdiv": f"-{a}", "srem": f"{term.width}'d0"}[term.op]
        inner = f"$unsigned($signed({a}) {_SIGNED[term.op]} $signed({b}))"
        return f"{b} == 0 ? {by_zero} : {b} == {ones} ? {minus_one} : {inner}"
    return f"{b} == 0 ? {by_zero} : {a} {_BINARY[term.op]} {b}"
