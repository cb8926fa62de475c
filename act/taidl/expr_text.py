"""Integer expressions <-> text.  `parse_expr(print_expr(e)) == e` for every expression.

From loose to tight: `a if c else b`, `or`, `and`, `not`, comparisons, `|`, `&`, shifts, sums, products, `-a`; `min(a, b)`, `max(a, b)`;
`buffer[i, j]`, a look-up.
A chain `a <= b < c` means `a <= b and b < c`.
"""

from __future__ import annotations

from act.errors import UserError
from act.taidl.expr import COMPARISONS
from act.taidl.model import Binary, Choice, Expr, Int, Lookup, Name, Unary
from act.taidl.scanner import Scanner, SyntaxProblem

_LEVELS = (("or",), ("and",), ("not",), tuple(COMPARISONS), ("|",), ("&",), ("<<", ">>"), ("+", "-"), ("*", "/", "%"))
_LEVEL = {op: level for level, ops in enumerate(_LEVELS, start=1) for op in ops}
_NOT, _COMPARE, _UNARY, _ATOM = _LEVEL["not"], _LEVEL["<"], len(_LEVELS) + 1, len(_LEVELS) + 2
WORDS = frozenset({"if", "else", "or", "and", "not", "min", "max"})
"""Words that cannot be names in an expression."""


def parse_expr(text: str, filename: str = "<expression>") -> Expr:
    """The expression that is all of `text`; `UserError` with a location inside `text`."""
    scanner = Scanner(text, filename)
    try:
        expr = read_expr(scanner)
        if scanner.peek().kind != "end":
            scanner.fail("an operator or the end of the expression")
        return expr
    except SyntaxProblem as problem:
        raise UserError(scanner.location(problem.at), problem.problem, problem.advice) from None


def read_expr(scanner: Scanner, reserved: frozenset[str] = WORDS) -> Expr:
    """The expression at the scanner's position; a name in `reserved` ends it."""
    expr = _binary(scanner, 1, reserved)
    if not scanner.accept("if"):
        return expr
    condition = _binary(scanner, 1, reserved)
    scanner.expect("else")
    return Choice(condition, expr, read_expr(scanner, reserved))


def _binary(scanner: Scanner, level: int, reserved: frozenset[str]) -> Expr:
    if level == _UNARY:
        return _unary(scanner, reserved)
    if level == _NOT:
        return Unary("not", _binary(scanner, _NOT, reserved)) if scanner.accept("not") else _binary(scanner, level + 1, reserved)
    if level == _COMPARE:
        return _comparison(scanner, reserved)
    left = _binary(scanner, level + 1, reserved)
    while scanner.peek().text in _LEVELS[level - 1]:
        op = scanner.next().text
        left = Binary(op, left, _binary(scanner, level + 1, reserved))  # type: ignore[arg-type]
    return left


def _comparison(scanner: Scanner, reserved: frozenset[str]) -> Expr:
    left, result = _binary(scanner, _COMPARE + 1, reserved), None
    while scanner.peek().text in COMPARISONS:
        op = scanner.next().text
        right = _binary(scanner, _COMPARE + 1, reserved)
        link = Binary(op, left, right)  # type: ignore[arg-type]
        result, left = link if result is None else Binary("and", result, link), right
    return left if result is None else result


def _unary(scanner: Scanner, reserved: frozenset[str]) -> Expr:
    if not scanner.accept("-"):
        return _atom(scanner, reserved)
    if scanner.peek().kind == "int":
        return Int(-scanner.integer("an integer"))
    return Unary("-", _unary(scanner, reserved))


def _atom(scanner: Scanner, reserved: frozenset[str]) -> Expr:
    token = scanner.peek()
    if token.kind == "int":
        return Int(scanner.integer("an integer"))
    if token.text in ("min", "max"):
        return _extremum(scanner)
    if token.kind == "name" and token.text not in reserved:
        return _name(scanner)
    if not scanner.accept("("):
        scanner.fail("an expression")
    expr = read_expr(scanner)
    scanner.expect(")")
    return expr


def _name(scanner: Scanner) -> Expr:
    name = scanner.next().text
    if name in scanner.constants:
        return Int(scanner.constants[name])
    if not scanner.accept("["):
        return Name(name)
    indices = [read_expr(scanner)]
    while scanner.accept(","):
        indices.append(read_expr(scanner))
    scanner.expect("]")
    return Lookup(name, tuple(indices))


def _extremum(scanner: Scanner) -> Expr:
    op = scanner.next().text
    scanner.expect("(")
    expr = read_expr(scanner)
    if scanner.peek().text != ",":
        scanner.fail("','", f"{op} takes two operands or more")
    while scanner.accept(","):
        expr = Binary(op, expr, read_expr(scanner))  # type: ignore[arg-type]
    scanner.expect(")")
    return expr


def print_expr(expr: Expr) -> str:
    """The canonical text: fewest parentheses, integers of more than 16 bits in hexadecimal."""
    return _print(expr, 0)


def _print(expr: Expr, context: int) -> str:
    text, level = _text_and_level(expr)
    return text if level >= context else f"({text})"


def _text_and_level(expr: Expr) -> tuple[str, int]:
    match expr:
        case Int(value):
            return print_int(value), _ATOM if value >= 0 else _UNARY
        case Name(name):
            return name, _ATOM
        case Lookup(buffer, indices):
            return f"{buffer}[{', '.join(_print(index, 0) for index in indices)}]", _ATOM
        case Unary("not", operand):
            return f"not {_print(operand, _NOT)}", _NOT
        case Unary(_, Int() as operand):
            return f"-({print_int(operand.value)})", _UNARY
        case Unary(_, operand):
            return f"-{_print(operand, _UNARY)}", _UNARY
        case Binary("min" | "max" as op, left, right):
            return f"{op}({_print(left, 0)}, {_print(right, 0)})", _ATOM
        case Binary(op, left, right):
            level = _LEVEL[op]
            left_level = level + 1 if level == _COMPARE else level
            return f"{_print(left, left_level)} {op} {_print(right, level + 1)}", level
        case Choice(condition, then, otherwise):
            return f"{_print(then, 1)} if {_print(condition, 1)} else {_print(otherwise, 0)}", 0


def print_int(value: int) -> str:
    if value < 0:
        return f"-{print_int(-value)}"
    return hex(value) if value >= 1 << 16 else str(value)
