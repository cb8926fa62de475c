"""Random always blocks over the same inputs as random expressions: assignments of every form, if, case, casez, casex and loops.

Conditions have no undefined bits: on those a simulator takes the else branch, where the netlist is undefined.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from tests.constructs.expressions import INPUTS, PARAMETERS, declaration, expression, literal

# selector -> its width
_SELECTORS = {"a": 4, "h": 3, "{c, h}": 4, "b[4:1]": 4, "p[9:7]": 3, "q[0:2]": 3, "e[2:0] ^ h": 3}
_DIGITS = {"case": "01", "casez": "01?z", "casex": "01?zx"}
OUTPUTS = 3


@dataclass(frozen=True, slots=True)
class _Process:
    """The variables y0, y1... of these widths are assigned by `operator`; t, of 8 bits, always by =."""

    draw: Random
    widths: tuple[int, ...]
    operator: str

    def block(self, depth: int) -> str:
        """Some statements."""
        return f"begin {' '.join(self.statement(depth) for _ in range(self.draw.randint(1, 3)))} end"

    def statement(self, depth: int) -> str:
        """A statement with at most `depth` levels below it."""
        kinds: list[Callable[[int], str]] = [self._assign, self._assign, self._temporary]
        if depth:
            kinds += [self._if, self._case, self._case, self._loop]
        return self.draw.choice(kinds)(depth - 1)

    def _value(self) -> str:
        value = expression(self.draw, 1)
        return self.draw.choice((f"{value}", f"{value}", f"({value}) ^ t", f"t + ({value})"))

    def _assign(self, _: int) -> str:
        one, two = self.draw.sample(range(OUTPUTS), 2)  # of one variable twice the standard gives no order
        target = f"{{{self._target(one)}, {self._target(two)}}}" if self.draw.random() < 0.2 else self._target(one)
        return f"{target} {self.operator} {self._value()};"

    def _target(self, k: int) -> str:
        low, high = sorted(self.draw.randrange(self.widths[k]) for _ in range(2))
        index = self.draw.choice(("a", "h", "c", "{c, a}", "b", "a - 1"))
        part = f"{self.draw.choice(('+:', '-:'))} {min(3, self.widths[k])}"
        return f"y{k}{self.draw.choice(('', f'[{high}]', f'[{high}:{low}]', f'[{index}]', f'[{index} {part}]'))}"

    def _temporary(self, _: int) -> str:
        return f"t = {expression(self.draw, 1, defined=True)};"

    def _if(self, depth: int) -> str:
        otherwise = f" else {self.block(depth)}" if self.draw.random() < 0.6 else ""
        return f"if ({expression(self.draw, 1, defined=True)}) {self.block(depth)}{otherwise}"

    def _case(self, depth: int) -> str:
        word, (selector, width) = self.draw.choice(tuple(_DIGITS)), self.draw.choice(tuple(_SELECTORS.items()))
        items = [f"{', '.join(self._label(word, width) for _ in range(self.draw.randint(1, 2)))}: {self.block(depth)}" for _ in range(self.draw.randint(1, 3))]
        if self.draw.random() < 0.7:
            items.insert(self.draw.randint(0, len(items)), f"default: {self.block(depth)}")
        return f"{word} ({selector}) {' '.join(items)} endcase"

    def _label(self, word: str, width: int) -> str:
        if word == "case" and self.draw.random() < 0.3:
            return self.draw.choice(("1", "-2", "3'sd2", "4'sb1010", "5'd3", "M"))
        return literal(self.draw, width, _DIGITS[word])

    def _loop(self, _: int) -> str:
        k, start = self.draw.randrange(OUTPUTS), self.draw.randrange(4)
        source = self.draw.choice(("g[i]", "e[i] ^ t[0]", "t[i]", "|(b >> i)", "i < a"))
        return f"for (i = {start}; i < {start + self.draw.randint(1, 4)}; i = i + 1) y{k}[i] {self.operator} {source};"


def process_module(draw: Random, name: str) -> str:
    """A module with one always block, combinational or clocked with a synchronous reset."""
    kinds = [declaration(draw) for _ in range(OUTPUTS)]
    clocked = draw.random() < 0.4
    process = _Process(draw, tuple(int(kind.split("[")[1].split(":")[0]) + 1 for kind in kinds), "<=" if clocked else "=")
    ports = [f"input {kind} {port}" for port, (kind, *_) in INPUTS.items()] + [f"output reg {kind} y{k}" for k, kind in enumerate(kinds)]
    values = " ".join(f"y{k} {process.operator} {expression(draw, 1, defined=True)};" for k in range(OUTPUTS))
    body = " ".join(process.statement(2) for _ in range(2))
    head = f"module {name}({'input clock, input reset, ' if clocked else ''}{', '.join(ports)});\n  {PARAMETERS}\n  reg signed [7:0] t; integer i;\n"
    if clocked:
        return f"{head}  always @(posedge clock) begin t = d; if (reset) begin {values} end else begin {body} end end\nendmodule\n"
    return f"{head}  always @* begin t = d; {values} {body} end\nendmodule\n"
