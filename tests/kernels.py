"""Random kernels for end-to-end tests: `generate(seed)` gives HLO text that a saturating matrix-multiply accelerator can express.

A kernel is a small network over s8 and s32 matrices of 1 to 40 rows and columns:

    wide   = dot(narrow, narrow) + addends, or a sum of addends           s32, wraps
    addend = an s32 input, a bias per column, convert(narrow), another product
    narrow = an s8 input, a slice of one, or convert(clamp([ReLU] wide))   s8

in the different spellings of each that compilers and people use.  Half of all outputs are wide, half narrow; sometimes there are both.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

Dims = tuple[int, int]
LARGEST = 40


def generate(seed: int) -> str:
    """The same text for the same seed."""
    return _Kernel(Random(seed)).text(seed)


@dataclass(slots=True)
class _Kernel:
    random: Random
    parameters: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    narrow_known: dict[str, Dims] = field(default_factory=dict)
    products: int = 0

    def text(self, seed: int) -> str:
        dims = (self.size(), self.size())
        wide = self.wide(dims, self.random.choice((0, 1, 1, 2)))
        root, shape = wide, _shape("s32", dims)
        if self.chance(0.5):
            root, shape = self.limited(wide, dims), _shape("s8", dims)
        if root != wide and self.chance(0.15):
            shape = f"({shape}, {_shape('s32', dims)})"
            root = self.emit(shape, f"tuple({root}, {wide})")
        body = [f"  {'ROOT ' if line.startswith(root + ' ') else ''}{line}" for line in (*self.parameters, *self.lines)]
        return "\n".join([f"HloModule random_{seed}", "", "ENTRY main {", *body, "}", ""])

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def size(self) -> int:
        """Small, one tile, and more than a tile."""
        return self.random.choice((self.random.randint(1, 4), self.random.randint(1, 16), 16, self.random.randint(17, LARGEST)))

    def emit(self, shape: str, value: str) -> str:
        name = f"v{len(self.lines)}"
        self.lines.append(f"{name} = {shape} {value}")
        return name

    def parameter(self, shape: str) -> str:
        name = f"p{len(self.parameters)}"
        self.parameters.append(f"{name} = {shape} parameter({len(self.parameters)})")
        return name

    def wide(self, dims: Dims, depth: int) -> str:
        total = self.product(dims, depth) if depth or self.chance(0.3) else self.addend(dims, 0)
        for _ in range(self.random.choice((0, 0, 1, 1, 2)) + (depth == 0)):
            operands = [total, self.addend(dims, depth)]
            self.random.shuffle(operands)
            total = self.emit(_shape("s32", dims), f"add({operands[0]}, {operands[1]})")
        return total

    def product(self, dims: Dims, depth: int) -> str:
        self.products += 1
        inner = self.size()
        left, right = self.narrow((dims[0], inner), depth - 1), self.narrow((inner, dims[1]), depth - 2)
        if self.chance(0.3):
            left, right = self.converted(left, (dims[0], inner)), self.converted(right, (inner, dims[1]))
        return self.emit(_shape("s32", dims), f"dot({left}, {right}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}")

    def converted(self, narrow: str, dims: Dims) -> str:
        return self.emit(_shape("s32", dims), f"convert({narrow})")

    def addend(self, dims: Dims, depth: int) -> str:
        kind = self.random.choice(("input", "bias", "narrow", "product") if self.products < 3 else ("input", "bias", "narrow"))
        match kind:
            case "input":
                return self.parameter(_shape("s32", dims))
            case "bias":
                return self.emit(_shape("s32", dims), f"broadcast({self.parameter(f's32[{dims[1]}]')}), dimensions={{1}}")
            case "narrow":
                return self.converted(self.narrow(dims, 0), dims)
        return self.product(dims, depth)

    def narrow(self, dims: Dims, depth: int) -> str:
        """An s8 matrix; one that exists already is sometimes used again."""
        same = [name for name, known in self.narrow_known.items() if known == dims]
        if same and self.chance(0.4):
            return self.random.choice(same)
        if depth > 0 and self.products < 3:
            return self.limited(self.wide(dims, depth), dims)
        name = self.sliced(dims) if self.chance(0.15) else self.parameter(_shape("s8", dims))
        self.narrow_known[name] = dims
        return name

    def sliced(self, dims: Dims) -> str:
        starts = [self.random.randint(0, 5) for _ in dims]
        whole = (starts[0] + dims[0] + self.random.randint(0, 3), starts[1] + dims[1] + self.random.randint(0, 3))
        ranges = ", ".join(f"[{start}:{start + size}]" for start, size in zip(starts, dims, strict=True))
        return self.emit(_shape("s8", dims), f"slice({self.parameter(_shape('s8', whole))}), slice={{{ranges}}}")

    def limited(self, wide: str, dims: Dims) -> str:
        """convert(clamp(wide)) with or without ReLU, which is before the clamp, in its bounds, or after the conversion."""
        shape = _shape("s32", dims)
        relu = self.random.choice(("no", "no", "before", "bounds", "after"))
        if relu == "before":
            wide = self.emit(shape, f"maximum({wide}, {self.splat(0, 's32', dims)})")
        low = 0 if relu == "bounds" else -128
        narrow = self.emit(_shape("s8", dims), f"convert({self.clamped(wide, low, dims)})")
        if relu == "after":
            narrow = self.emit(_shape("s8", dims), f"maximum({narrow}, {self.splat(0, 's8', dims)})")
        return narrow

    def clamped(self, wide: str, low: int, dims: Dims) -> str:
        shape = _shape("s32", dims)
        match self.random.choice(("scalars", "tensors", "limits")):
            case "scalars":
                bounds = [self.emit("s32[]", f"constant({value})") for value in (low, 127)]
                return self.emit(shape, f"clamp({bounds[0]}, {wide}, {bounds[1]})")
            case "tensors":
                return self.emit(shape, f"clamp({self.splat(low, 's32', dims)}, {wide}, {self.splat(127, 's32', dims)})")
        above = self.emit(shape, f"maximum({self.splat(low, 's32', dims)}, {wide})")
        return self.emit(shape, f"minimum({above}, {self.splat(127, 's32', dims)})")

    def splat(self, value: int, dtype: str, dims: Dims) -> str:
        scalar = self.emit(f"{dtype}[]", f"constant({value})")
        return self.emit(_shape(dtype, dims), f"broadcast({scalar}), dimensions={{}}")


def _shape(dtype: str, dims: Dims) -> str:
    return f"{dtype}[{dims[0]},{dims[1]}]"
