"""Calls of $readmemh and $readmemb to assignments of constants (IEEE 1364-2005, 17.2.9)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pyslang.ast as ast

from lift.netlist.builder import Builder
from lift.netlist.module import Assign, Target
from lift.verilog.slang_expressions import Expressions
from lift.verilog.slang_source import SourceMap

DIGITS = {"$readmemb": 1, "$readmemh": 4}  # bits per digit
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def memory_file(b: Builder, source: SourceMap, e: ast.CallExpression, expressions: Expressions) -> tuple[Assign, ...]:
    """An assignment for each word of the file, which is looked for in the working directory and beside the source."""
    name, memory, *bounds = e.arguments
    literal = name.eval(ast.EvalContext(source.context)).convertToStr().value
    array = memory.left if isinstance(memory, ast.AssignmentExpression) else memory
    if not isinstance(literal, str) or not isinstance(array, ast.NamedValueExpression) or not array.type.isUnpackedArray:
        raise source.unsupported(e, f"these arguments of {e.subroutineName}", "name a file and an array")
    path = _find(source, e, literal)
    words = expressions.whole(array.symbol, e)
    lowest = min(array.type.canonicalType.fixedRange.left, array.type.canonicalType.fixedRange.right)
    by_index = {t.index.attr + lowest: t for t in words if t.index is not None and isinstance(t.index.attr, int)}
    start = expressions.expression(bounds[0]).attr if bounds else lowest
    assert isinstance(start, int)
    assigns: list[Assign] = []
    for address, digits in _words(path.read_text(), start):
        if address not in by_index:
            raise source.unsupported(e, f"address {address} in {path.name}, beyond the array", "shorten the file")
        target: Target = by_index[address]
        value, mask = _value(digits, DIGITS[e.subroutineName])
        assigns.append(Assign((target,), b.const(value, target.width, mask), source.of(e)))
    return tuple(assigns)


def _find(source: SourceMap, e: ast.CallExpression, name: str) -> Path:
    for folder in (Path(), Path(source.of(e).file).parent):
        if (folder / name).is_file():
            return folder / name
    raise source.unsupported(e, f"the memory file '{name}', which is missing", "put it beside the source, or into the working directory")


def _words(text: str, address: int) -> Iterator[tuple[int, str]]:
    for word in _COMMENT.sub(" ", text).split():
        if word.startswith("@"):
            address = int(word[1:], 16)
        else:
            yield address, word.replace("_", "").lower()
            address += 1


def _value(digits: str, size: int) -> tuple[int, int]:
    """(value, x mask)."""
    value = mask = 0
    for digit in digits:
        unknown = digit in "xz?"
        value = value << size | (0 if unknown else int(digit, 1 << size))
        mask = mask << size | ((1 << size) - 1 if unknown else 0)
    return value, mask
