"""A seed -> a random kernel of products, sums, limits and shifts of bytes and 32-bit integers, whose rows are multiples of those of the machine."""

from __future__ import annotations

from random import Random

BOUNDS = (0, 1, -1, 100, 32767, -32768)


class Writer:
    """Writes one kernel: [rows, columns] in bytes (`narrow`) and in 32 bits (`wide`), products of `depth` terms."""

    def __init__(self, seed: int, block: int) -> None:
        self.random, self.block = Random(seed), block
        self.rows = self.random.choice([1, 2, 5, block, block + 1, 2 * block + 1])
        self.columns, self.depth = self._multiple(), self._multiple()
        self.narrow, self.wide = (f"{dtype}[{self.rows},{self.columns}]" for dtype in ("s8", "s32"))
        self.lines: list[str] = []
        self.parameters = 0

    def _multiple(self) -> int:
        return self.block * self.random.choice([1, 1, 2, 3])

    def kernel(self) -> str:
        self.bytes(3, least=1)
        return "HloModule kernel\n\nENTRY main {\n" + "\n".join(f"  {line}" for line in (*self.lines[:-1], f"ROOT {self.lines[-1]}")) + "\n}\n"

    def new(self, shape: str, text: str) -> str:
        self.lines.append(f"v{len(self.lines)} = {shape} {text}")
        return f"v{len(self.lines) - 1}"

    def parameter(self, shape: str) -> str:
        self.parameters += 1
        return self.new(shape, f"parameter({self.parameters - 1})")

    def splat(self, shape: str, value: int) -> str:
        scalar = self.new(f"{shape.split('[')[0]}[]", f"constant({value})")
        return self.new(shape, f"broadcast({scalar}), dimensions={{}}")

    def product(self, shape: str, by_rows: bool) -> str:
        left = self.parameter(f"s8[{self.rows},{self.depth}]")
        right = self.parameter(f"s8[{self.columns},{self.depth}]" if by_rows else f"s8[{self.depth},{self.columns}]")
        return self.new(shape, f"dot({left}, {right}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{{int(by_rows)}}}")

    def bytes(self, depth: int, least: int = 0) -> str:
        """A value of bytes; with `least` 1 it is computed."""
        match self.random.randrange(least, 6) if depth else 0:
            case 0:
                return self.parameter(self.narrow)
            case 1:
                return self.product(self.narrow, self.random.random() < 0.5)
            case 2:
                operator = self.random.choice(["add", "subtract", "maximum", "minimum"])
                return self.new(self.narrow, f"{operator}({self.bytes(depth - 1)}, {self.bytes(depth - 1)})")
            case 3:
                return self.new(self.narrow, f"convert({self.integers(depth - 1)})")
            case 4:
                operator, value = self.random.choice(["add", "maximum", "minimum"]), self.bytes(depth - 1)
                return self.new(self.narrow, f"{operator}({value}, {self.splat(self.narrow, self.random.randrange(-128, 128))})")
        value = self.bytes(depth - 1)
        return self.new(self.narrow, f"add({value}, {value})")

    def integers(self, depth: int) -> str:
        """A value of 32 bits."""
        operator = self.random.choice(["add", "maximum", "minimum"])
        match self.random.randrange(8) if depth > 0 else self.random.randrange(2):
            case 0:
                return self.parameter(self.wide)
            case 1:
                return self.new(self.wide, f"convert({self.bytes(max(depth - 1, 0))})")
            case 2:
                return self.product(self.wide, True)
            case 3:
                return self.new(self.wide, f"{operator}({self.integers(depth - 1)}, {self.integers(depth - 1)})")
            case 4:
                value, bound = self.integers(depth - 1), self.random.choice([*BOUNDS, self.random.randrange(-30000, 30000)])
                return self.new(self.wide, f"{operator}({value}, {self.splat(self.wide, bound)})")
            case 5:
                value = self.integers(depth - 1)
                return self.new(self.wide, f"shift-right-arithmetic({value}, {self.splat(self.wide, self.random.randrange(32))})")
            case 6:
                low, high = (self.new("s32[]", f"constant({self.random.randrange(*limits)})") for limits in ((-200, 0), (0, 200)))
                return self.new(self.wide, f"clamp({low}, {self.integers(depth - 1)}, {high})")
        bias = self.new(self.wide, f"broadcast({self.parameter(f's32[{self.columns}]')}), dimensions={{1}}")
        return self.new(self.wide, f"{operator}({self.integers(depth - 1)}, {bias})")


def generate(seed: int, block: int = 16) -> str:
    """`block`: the elements of a row of the machine."""
    return Writer(seed, block).kernel()
