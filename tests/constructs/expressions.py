"""Random expressions over a fixed set of inputs, as trees that print themselves with few parentheses (1364-2005, clause 5).

They are drawn from a `random.Random`; hypothesis has one that it can repeat and shrink (`strategies.randoms`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

# name -> declaration, width, lowest index, whether indices descend
INPUTS = {
    "a": ("signed [3:0]", 4, 0, True),
    "b": ("[6:0]", 7, 0, True),
    "c": ("", 1, 0, True),
    "d": ("signed [7:0]", 8, 0, True),
    "e": ("[12:0]", 13, 0, True),
    "f": ("signed [32:0]", 33, 0, True),
    "g": ("[69:0]", 70, 0, True),
    "h": ("signed [2:0]", 3, 0, True),
    "p": ("[9:2]", 8, 2, True),
    "q": ("signed [0:6]", 7, 0, False),
}
PARAMETERS = "localparam K = -5; localparam [3:0] L = 11; localparam signed [5:0] M = -9; localparam N = 7'd100;"
NAMES = (*INPUTS, *INPUTS, *INPUTS, "K", "L", "M", "N")
_VECTORS = tuple(name for name, (_, width, _, _) in INPUTS.items() if width > 1)
_UNARY = ("-", "+", "~", "!", "&", "|", "^", "~&", "~|", "~^")
# precedence, low to high
_LEVELS = (("||",), ("&&",), ("|",), ("^", "~^"), ("&",), ("==", "!="), ("<", "<=", ">", ">="), ("<<", ">>", "<<<", ">>>"), ("+", "-"), ("*", "/", "%"))
_LEVEL = {operator: level for level, operators in enumerate(_LEVELS, 1) for operator in operators}
_TERNARY, _EQUALITY, _POWER, _UNARY_LEVEL, _PRIMARY = 0, 6, 11, 12, 13


@dataclass(frozen=True, slots=True)
class Expression:
    """`form` has a place {} for each operand; an operand below its least level stands in parentheses."""

    form: str
    operands: tuple[Expression, ...] = ()
    levels: tuple[int, ...] = ()  # the least level of each operand
    level: int = _PRIMARY

    def __str__(self) -> str:
        parts = [str(o) if o.level >= least else f"({o})" for o, least in zip(self.operands, self.levels, strict=True)]
        return self.form.format(*parts) if parts else self.form

    def smaller(self) -> Iterator[Expression]:
        """Expressions with less in them, the smallest first."""
        if self.operands:
            yield from (Expression(name) for name in "ab")
        yield from self.operands
        for k, operand in enumerate(self.operands):
            for less in operand.smaller():
                yield replace(self, operands=(*self.operands[:k], less, *self.operands[k + 1 :]))


def expression(draw: Random, depth: int = 4, defined: bool = False) -> Expression:
    """An expression of at most `depth` levels; `defined` ones have no undefined bits."""
    if not depth or draw.random() < 0.15:
        return _leaf(draw, defined)
    kind, _ = draw.choices(_KINDS, [weight for _, weight in _KINDS])[0]
    return kind(draw, depth - 1, defined)


def literal(draw: Random, width: int, digits: str = "01") -> str:
    """A binary literal of `width` bits."""
    return f"{width}'b{''.join(draw.choice(digits) for _ in range(width))}"


def _leaf(draw: Random, defined: bool) -> Expression:
    kind = draw.random()
    if kind < 0.65:
        return Expression(draw.choice(NAMES))
    if kind < 0.75:
        return Expression(str(draw.randrange(300)))
    width = draw.choice((1, 2, 3, 4, 7, 8, 16, 32, 33, 64, 70))
    if kind < 0.8 and not defined:
        return Expression(literal(draw, width, "01x"))
    value, sign = draw.getrandbits(width), draw.choice(("", "s"))
    return Expression(draw.choice((f"{width}'{sign}h{value:x}", f"{width}'{sign}d{value}", f"{width}'{sign}o{value:o}", f"{width}'{sign}b{value:b}")))


def _unary(draw: Random, depth: int, defined: bool) -> Expression:
    return Expression(draw.choice(_UNARY) + "{}", (expression(draw, depth, defined),), (_PRIMARY,), _UNARY_LEVEL)


def _binary(draw: Random, depth: int, defined: bool) -> Expression:
    operator = draw.choice([o for o in _LEVEL if not (defined and o in "/%")])
    level = _LEVEL[operator]
    operands = expression(draw, depth, defined), expression(draw, depth, defined)
    return Expression(f"{{}} {operator} {{}}", operands, (level, level + 1), level)


def _ternary(draw: Random, depth: int, defined: bool) -> Expression:
    operands = tuple(expression(draw, depth, defined) for _ in range(3))
    return Expression("{} ? {} : {}", operands, (_TERNARY + 1, _TERNARY, _TERNARY), _TERNARY)


def _sized(draw: Random, depth: int, defined: bool) -> Expression:
    """An operand of a concatenation: some tools find no size in unsized numbers and in what contains them."""
    for _ in range(10):
        found = expression(draw, depth, defined)
        if _has_size(found):
            return found
    return Expression(draw.choice(_VECTORS))


def _has_size(e: Expression) -> bool:
    return not (e.form.isdigit() or e.form == "K" or "**" in e.form) and all(map(_has_size, e.operands))


def _concatenation(draw: Random, depth: int, defined: bool) -> Expression:
    parts = tuple(_sized(draw, depth, defined) for _ in range(draw.randint(1, 3)))
    return Expression(f"{{{{{', '.join(['{}'] * len(parts))}}}}}", parts, (_TERNARY,) * len(parts))


def _replication(draw: Random, depth: int, defined: bool) -> Expression:
    return Expression(f"{{{{{draw.randint(1, 4)}{{{{{{}}}}}}}}}}", (_sized(draw, depth, defined),), (_TERNARY,))


def _cast(draw: Random, depth: int, defined: bool) -> Expression:
    return Expression(draw.choice(("$signed({})", "$unsigned({})")), (expression(draw, depth, defined),), (_TERNARY,))


def _power(draw: Random, depth: int, defined: bool) -> Expression:
    exponent = Expression("{{1'b0, {}}}", (_sized(draw, depth, defined),), (_TERNARY,))
    return Expression("2 ** {}", (exponent,), (_UNARY_LEVEL,), _POWER)


def _identity(draw: Random, depth: int, defined: bool) -> Expression:
    """=== of inputs: of undefined operands it is defined in simulation, undefined in netlists."""
    names = tuple(Expression(draw.choice(tuple(INPUTS))) for _ in range(2))
    return Expression(draw.choice(("{} === {}", "{} !== {}")), names, (_EQUALITY, _EQUALITY + 1), _EQUALITY)


def _select(draw: Random, depth: int, defined: bool) -> Expression:
    name = draw.choice(_VECTORS)
    _, width, lowest, descending = INPUTS[name]
    kind = draw.random()
    if kind < 0.25:
        return Expression(f"{name}[{draw.randrange(lowest, lowest + width)}]")
    if kind < 0.5 or defined:
        low, high = sorted(draw.randrange(lowest, lowest + width) for _ in range(2))
        return Expression(f"{name}[{high}:{low}]" if descending else f"{name}[{low}:{high}]")
    index = _index(draw, depth)
    form = "[{}]" if kind < 0.75 else f"[{{}} {draw.choice(('+:', '-:'))} {draw.randint(1, min(5, width))}]"
    return Expression(name + form, (index,), (_TERNARY,))


def _index(draw: Random, depth: int) -> Expression:
    """An index that may lie outside, also below 0, by no more than 32 bits can tell: some tools cut it to these."""
    name = Expression(draw.choice("abcdehpq"))
    match draw.randrange(3):
        case 0:
            return name
        case 1:
            return Expression(f"{{}} {draw.choice('+-')} {draw.randrange(9)}", (name,), (_LEVEL["+"],), _LEVEL["+"])
    return Expression("{} & 8'h1f", (expression(draw, depth),), (_LEVEL["&"],), _LEVEL["&"])


_KINDS: tuple[tuple[Callable[[Random, int, bool], Expression], int], ...] = (
    (_binary, 10),
    (_unary, 4),
    (_ternary, 2),
    (_concatenation, 2),
    (_replication, 1),
    (_cast, 2),
    (_power, 1),
    (_identity, 1),
    (_select, 3),
)


def declaration(draw: Random) -> str:
    """What is assigned to: a width and a sign."""
    return f"{draw.choice(('', 'signed '))}[{draw.choice((1, 3, 4, 7, 8, 9, 16, 32, 33, 40, 80)) - 1}:0]"


def module(name: str, outputs: Sequence[tuple[str, Expression]]) -> str:
    """A module that assigns expressions to its outputs y0, y1..., each given with its declaration."""
    inputs = [f"input {kind} {port}" for port, (kind, *_) in INPUTS.items()]
    ports = ", ".join([*inputs, *(f"output {kind} y{k}" for k, (kind, _) in enumerate(outputs))])
    lines = [f"module {name}({ports});", f"  {PARAMETERS}", *(f"  assign y{k} = {e};" for k, (_, e) in enumerate(outputs))]
    return "\n".join([*lines, "endmodule", ""])
