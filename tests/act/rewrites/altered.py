"""The source of a module of rules -> modules that differ in one condition, comparison, number or order of operands.

For rules that are functions: an `if` or a part of its condition is dropped, a comparison turned round, a constant one more, `min` is `max`,
two operands exchanged, a dictionary's sides or the two ends of a range swapped.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
SWAPS = {"min": "max", "max": "min", "low": "high", "high": "low", "lhs": "rhs", "start": "limit"}


def alterations(module: ModuleType) -> Iterator[tuple[str, str, Callable[[], ModuleType]]]:
    """The function in which something was changed, what, and how to get the module."""
    file = module.__file__
    assert file is not None
    with open(file) as source:
        tree = ast.parse(source.read())
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    for function in functions:
        for number, node in enumerate(ast.walk(function)):
            for what, change in changes(node):
                yield function.name, f"line {getattr(node, 'lineno', 0)}: {what}", lambda f=function.name, n=number, c=change: _made(module, tree, f, n, c)


def _made(module: ModuleType, tree: ast.Module, function: str, number: int, change: Callable[[Any], None]) -> ModuleType:
    other = copy.deepcopy(tree)
    body = next(node for node in other.body if isinstance(node, ast.FunctionDef) and node.name == function)
    change(list(ast.walk(body))[number])
    made = ModuleType(module.__name__)
    made.__file__ = module.__file__
    exec(compile(ast.fix_missing_locations(other), module.__file__ or "", "exec"), made.__dict__)
    return made


def changes(node: ast.AST) -> Iterator[tuple[str, Callable[[Any], None]]]:
    match node:
        case ast.If() | ast.IfExp():
            yield "the condition is always true", lambda each: setattr(each, "test", ast.Constant(True))
        case ast.BoolOp():
            for place in range(len(node.values)):
                yield f"without '{ast.unparse(node.values[place])}'", lambda each, place=place: _drop(each, place)
        case ast.Compare(ops=[op]) if type(op) in OPPOSITE:
            yield f"'{ast.unparse(node)}' the other way", lambda each: setattr(each, "ops", [OPPOSITE[type(each.ops[0])]()])
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            yield f"{value + 1} for {value}", lambda each: setattr(each, "value", each.value + 1)
        case ast.UnaryOp(op=ast.USub()):
            yield f"'{ast.unparse(node)}' without the sign", lambda each: setattr(each, "op", ast.UAdd())
        case ast.BinOp(op=ast.Add()):
            yield f"'{ast.unparse(node)}' as a difference", lambda each: setattr(each, "op", ast.Sub())
        case ast.BinOp(op=ast.Sub()):
            yield f"'{ast.unparse(node)}' as a sum", lambda each: setattr(each, "op", ast.Add())
        case ast.Call(func=ast.Name(id=name)) if name in SWAPS:
            yield f"{SWAPS[name]} for {name}", lambda each: setattr(each.func, "id", SWAPS[each.func.id])
        case ast.Call(func=ast.Name(id="sorted")):
            yield "not sorted", lambda each: setattr(each.func, "id", "list")


def _drop(each: ast.BoolOp, place: int) -> None:
    kept = [value for number, value in enumerate(each.values) if number != place]
    each.values = kept if len(kept) > 1 else [*kept, ast.Constant(isinstance(each.op, ast.And))]
