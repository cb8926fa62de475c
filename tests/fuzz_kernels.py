"""An instruction set and a seed -> a random HLO kernel of 7 to 150 instructions in the types and operators that the set can express.

Sizes come from a small palette, so that shapes meet; most of them are no multiples of 16.  Every attribute varies: dimension numbers of
products, permutations, reversed, reduced and repeated dimensions, ranges and strides of slices, edges of pads, dimensions of concatenations,
windows.  Half of the kernels are networks of products, sums and limits, the others have more movement of data; some are in narrow types alone.
Where the language says what has a program alone, most kernels (`TAME`) are made of that; the others of all operators in all types, nearly
all of which are refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import prod
from random import Random
from typing import Any

from act.hlo import Computation, Instruction, Module, Shape, TupleShape
from act.hlo.dtypes import integer_range, is_float
from act.hlo.infer import infer
from act.hlo.shape_rules import ShapeError
from tests.fuzz_language import Language

LEAST, MOST = 7, 150
"""Instructions of the smallest kernel, and of the largest."""
TAME = 0.8
SIZES = (1, 2, 3, 5, 7, 12, 15, 16, 17, 20, 31, 32, 33, 40)
LARGEST = 4096
"""Elements of the largest value."""
SHIFTS = ("shift-left",)
SHIFTED = (0, 1, 2, 5)
"""By how many bits."""
ELEMENTWISE = ("add", "subtract", "multiply", "maximum", "minimum", "and", "or", "xor", *SHIFTS)
KINDS = ("add", "maximum", "minimum")
UNARY = ("negate", "abs", "not", "exponential", "sign")
MOVES = {"transpose": 4, "reverse": 4, "slice": 4, "reshape": 4, "broadcast": 4, "concatenate": 4, "pad": 2}


def module(known: Language, seed: int, nodes: int | None = None) -> Module:
    """The same kernel for the same arguments; `nodes` is about its number of instructions."""
    random = Random(seed)
    wanted = nodes or min(random.randint(LEAST, MOST), random.randint(LEAST, MOST))
    made = Growing(random, known, wanted).finished()
    while not min(LEAST, wanted) <= len(made.instructions) <= MOST:
        made = Growing(random, known, wanted).finished()
    return as_module(made, f"kernel_{seed}")


def as_module(computation: Computation, name: str) -> Module:
    return Module(name, {computation.name: computation}, computation.name, name)


@dataclass(slots=True)
class Growing:
    random: Random
    language: Language
    nodes: int
    lines: list[Instruction] = field(default_factory=list)
    sizes: tuple[int, ...] = ()
    tame: bool = False
    behind: dict[str, int] = field(default_factory=dict)
    """Which lines each value depends on, itself among them, as bits."""
    used: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.sizes = tuple(self.random.choice(SIZES) for _ in range(3))
        self.tame = bool(self.language.alone) and self.chance(TAME)
        if self.chance(0.4):
            narrow = self.language.loaded
            self.language = replace(self.language, computed=narrow, inputs=narrow, outputs=narrow)
        steps = {"dot": 5, "binary": 6, "unary": 2, "limit": 3, "convert": 3, "move": 3, "reduce": 1, "parameter": 1}
        if self.chance(0.1):
            steps |= {"convolution": 2}
        if self.chance(0.1) and "reduce" in self.language.operators:
            steps |= {"window": 2}
        if self.random.random() < 0.5:
            steps |= {"move": 9, "reduce": 3}
        while not self.lines or (self.behind[self.root().name].bit_count() < self.nodes and len(self.lines) < 4 * self.nodes + 10):
            getattr(self, self.random.choices(list(steps), list(steps.values()))[0])()
        root = self.root()
        if shape_of(root).dtype not in self.language.outputs and self.chance(0.9):
            self.convert(root)

    def root(self) -> Instruction:
        """The one of the newest values that depends on the most others."""
        return max(self.lines[-8:], key=lambda each: self.behind[each.name].bit_count())

    def finished(self) -> Computation:
        """The root alone, or now and then another value besides."""
        root = self.root()
        others = [each for each in self.lines[-8:] if each.name != root.name and each.opcode not in ("parameter", "constant")]
        if not others or not self.chance(0.1):
            return pruned(Computation("main", tuple(self.lines), root.name))
        results = [root, self.random.choice(others)]
        both = Instruction("both", TupleShape(tuple(each.shape for each in results)), "tuple", tuple(each.name for each in results))
        return pruned(Computation("main", (*self.lines, both), both.name))

    def can(self, name: str, dtype: str) -> bool:
        """Whether an operator (`add`, `add:constant`, `reduce:add`) in a type may be in this kernel."""
        if not self.tame:
            return True
        return (name, dtype) in self.language.alone

    def emit(self, opcode: str, declared: Shape, operands: tuple[Instruction, ...] = (), **attributes: Any) -> Instruction | None:
        """None when it would not be well-typed, or too large."""
        shapes = tuple(shape_of(each) for each in operands)
        try:
            shape = declared if not operands else infer(opcode, shapes, attributes, declared)
        except ShapeError:
            return None
        if 0 in shape.dims or len(shape.dims) > 4 or (operands and elements(shape) > LARGEST) or (opcode == "broadcast" and shape.dims != declared.dims):
            return None
        made = Instruction(f"v{len(self.lines)}", shape, opcode, tuple(each.name for each in operands), attributes)
        self.behind[made.name] = 1 << len(self.lines)
        for name in made.operands:
            self.behind[made.name] |= self.behind[name]
        self.used.update(made.operands)
        self.lines.append(made)
        return made

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, wanted: Callable[[Shape], bool] = lambda shape: True) -> Instruction | None:
        """A value that was not used yet is preferred, and a new one."""
        fits = [each for each in self.lines if wanted(shape_of(each))]
        unused = [each for each in fits if each.name not in self.used]
        pool = unused if unused and self.chance(0.85) else fits
        return self.random.choice(pool[-3:] if self.chance(0.75) else pool) if pool else None

    def value(self) -> Instruction:
        found = self.pick(lambda shape: bool(shape.dims))
        return found or self.parameter()

    def same(self, shape: Shape) -> Instruction:
        """Another value of a shape; a new input where there is none."""
        found = self.pick(lambda other: other == shape) if self.chance(0.9) else None
        return found or self.parameter(shape)

    def parameter(self, shape: Shape | None = None) -> Instruction:
        if shape is None:
            dims = tuple(self.random.choice(self.sizes) for _ in range(self.random.choices((1, 2, 3), (4, 20, 1))[0]))
            dims = dims if elements(Shape("pred", dims)) <= LARGEST else dims[:2]
            shape = Shape(self.random.choice(self.language.loaded if self.chance(0.6) else self.language.inputs), dims)
        number = sum(each.opcode == "parameter" for each in self.lines)
        known = shape.dtype in self.language.inputs or self.chance(0.1)
        made = self.emit("parameter", shape if known else Shape(self.language.inputs[0], shape.dims), number=number)
        assert made is not None
        return made if known else self.emit("convert", shape, (made,)) or made

    def constant(self, shape: Shape, numbers: tuple[int, ...] | None = None) -> Instruction:
        """One value everywhere, or now and then several; of these numbers, or of any."""
        if numbers is None and len(shape.dims) == 2 and elements(shape) <= 64 and self.chance(0.05 if self.tame else 0.15):
            rows = tuple(tuple(self.number(shape.dtype) for _ in range(shape.dims[1])) for _ in range(shape.dims[0]))
            return self.emit("constant", shape, value=rows) or self.parameter(shape)
        scalar = self.scalar(self.number(shape.dtype) if numbers is None else self.random.choice(numbers), shape.dtype)
        return (self.emit("broadcast", shape, (scalar,), dimensions=()) if shape.dims else scalar) or self.parameter(shape)

    def scalar(self, value: Any, dtype: str) -> Instruction:
        made = self.emit("constant", Shape(dtype), value=value)
        assert made is not None
        return made

    def number(self, dtype: str) -> Any:
        if is_float(dtype):
            return float(self.random.choice((0, 1, 2, -3, 0.5)))
        low, high = integer_range(dtype)
        return min(max(self.random.choice((0, 1, -1, 2, 3, -5, 16, 100, -128, 127, low, high)), low), high)

    def binary(self) -> None:
        value = self.value()
        dtype = shape_of(value).dtype
        known = [opcode for opcode in ELEMENTWISE if opcode in self.language.operators]
        both, fixed = ([opcode for opcode in known if self.can(f"{opcode}{kind}", dtype)] for kind in ("", ":constant"))
        if not both and not fixed:
            self.limit(value)
            return
        opcode = self.random.choice([*dict.fromkeys((*both, *fixed)), *["add"] * (len(known) if "add" in both else 0)])
        constant = opcode not in both or (opcode in fixed and self.chance(0.25)) or opcode in ("multiply", *SHIFTS)
        other = self.constant(shape_of(value), SHIFTED if opcode in SHIFTS else None) if constant else self.same(shape_of(value))
        self.emit(opcode, shape_of(value), (value, other) if opcode in SHIFTS or self.chance(0.5) else (other, value))

    def unary(self) -> None:
        value = self.value()
        dtype = shape_of(value).dtype
        known = [opcode for opcode in UNARY if opcode in self.language.operators and self.can(opcode, dtype)]
        if known:
            self.emit(self.random.choice(known), shape_of(value), (value,))

    def limit(self, value: Instruction | None = None) -> None:
        """A clamp by constants, most often to the range of a narrow type, which is then converted to."""
        value = value or self.value()
        dtype = shape_of(value).dtype
        narrow = self.random.choice(self.language.loaded)
        if is_float(dtype) or is_float(narrow):
            return
        if not self.can("clamp", dtype) and not (dtype != narrow and self.can("saturate", narrow)):
            if dtype != narrow and self.can("convert", narrow):
                self.emit("convert", Shape(narrow, shape_of(value).dims), (value,))
            return
        bounds = integer_range(narrow) if self.chance(0.7) else tuple(sorted((self.number(dtype), self.number(dtype))))
        low, high = integer_range(dtype)
        scalars = [self.scalar(min(max(bound, low), high), dtype) for bound in bounds]
        if self.chance(0.3):
            scalars[0] = self.scalar(0, dtype)
        limited = self.emit("clamp", shape_of(value), (scalars[0], value, scalars[1]))
        if limited and dtype != narrow and (not self.can("clamp", dtype) or self.chance(0.8)):
            self.emit("convert", Shape(narrow, shape_of(value).dims), (limited,))

    def convert(self, value: Instruction | None = None) -> None:
        value = value or self.value()
        dtype = self.random.choice((*self.language.computed, *self.language.loaded))
        if dtype in self.language.loaded and shape_of(value).dtype in self.language.computed and self.chance(0.8):
            self.limit(value)
        elif dtype != shape_of(value).dtype and self.can("convert", dtype):
            self.emit("convert", Shape(dtype, shape_of(value).dims), (value,))

    def dot(self) -> None:
        """Any dimension of each operand is contracted, in any order; now and then there are a batch dimension, two contracted ones, or none."""
        left = self.pick(lambda shape: bool(shape.dims) and shape.dtype in self.language.loaded) or self.parameter()
        shape = shape_of(left)
        count = self.random.choices((1, 2, 0), (18, 2, 0 if self.tame and ("dot:outer", shape.dtype) not in self.language.alone else 1))[0]
        axes = self.random.sample(range(len(shape.dims)), min(count, len(shape.dims)))
        wanted = [shape.dims[axis] for axis in axes]
        right = self.pick(lambda other: other.dtype == shape.dtype and not Counter(wanted) - Counter(other.dims)) if self.chance(0.6) else None
        if right is None:
            dims = [*wanted, self.random.choice(self.sizes)]
            self.random.shuffle(dims)
            right = self.parameter(Shape(shape.dtype, tuple(dims)))
        places: list[int] = []
        for size in wanted:
            places.append(self.random.choice([place for place, other in enumerate(shape_of(right).dims) if other == size and place not in places]))
        sizes = [(a, b) for a, size in enumerate(shape.dims) for b, other in enumerate(shape_of(right).dims) if size == other]
        batch = [(a, b) for a, b in sizes if a not in axes and b not in places]
        pairs = [self.random.choice(batch)] if batch and self.chance(0.05) else []
        numbers = {"lhs_contracting_dims": tuple(axes), "rhs_contracting_dims": tuple(places)}
        numbers |= {"lhs_batch_dims": tuple(a for a, _ in pairs), "rhs_batch_dims": tuple(b for _, b in pairs)}
        results = [dtype for dtype in (*self.language.computed, shape.dtype) if self.can("dot", dtype)] or [*self.language.computed]
        self.emit("dot", Shape(self.random.choice(results) if self.chance(0.4) else results[0]), (left, right), **numbers)

    def convolution(self) -> None:
        """Of inputs, along one or two dimensions of space, with any labels, and groups of features or of the batch."""
        pick, dtype = self.random.choice, self.random.choice(self.language.loaded)
        features, batches = pick(((1, 1), (1, 1), (2, 1), (3, 1), (1, 2)))
        space = [pick((4, 7, 12))] if self.chance(0.6) else [pick((3, 5)), pick((4, 6))]
        batch, inner, outer = pick((1, 2)) * batches, pick((1, 2, 5)), pick((1, 3)) * features * batches
        size = [pick((1, 2, 3)) for _ in space]
        rank = len(space) + 2
        labels = [tuple(self.random.sample(range(rank), rank)) if self.chance(0.3) else (0, rank - 1, *range(1, rank - 1)) for _ in range(3)]
        left, right = (
            self.parameter(Shape(dtype, tuple(size for _, size in sorted(zip(places, sizes, strict=True)))))
            for places, sizes in zip(labels, ((batch, inner * features, *space), (inner, outer, *size)), strict=False)
        )
        window = {**self.window_of(size), "reversal": tuple(int(self.chance(0.2)) for _ in space)}
        names = dict(zip(("lhs_dims", "rhs_dims", "out_dims"), labels, strict=True))
        counts = {"feature_group_count": features, "batch_group_count": batches}
        self.emit("convolution", Shape(pick(self.language.computed)), (left, right), **window, **names, **counts)

    def window_of(self, size: list[int]) -> dict[str, tuple[int, ...]]:
        choices = {"stride": (1, 1, 2), "low": (0, 1), "high": (0, 1), "lhs_dilation": (1, 1, 1, 1, 2, 3), "rhs_dilation": (1, 1, 2)}
        return {"size": tuple(size), **{name: tuple(self.random.choice(each) for _ in size) for name, each in choices.items()}}

    def window(self) -> None:
        """Extremes or sums over windows."""
        value = self.value()
        shape = shape_of(value)
        kinds = [kind for kind in KINDS if self.can(f"reduce:{kind}", shape.dtype)]
        if kinds:
            kind = self.random.choice(kinds)
            size = [min(self.random.choice((1, 1, 2, 3)), extent) for extent in shape.dims]
            self.emit("reduce-window", shape, (value, self.start(kind, shape.dtype)), **self.window_of(size), kind=kind)

    def start(self, kind: str, dtype: str) -> Instruction:
        """What a reduction begins with, most often what changes nothing."""
        low, high = (0, 0) if is_float(dtype) else integer_range(dtype)
        return self.scalar({"add": 0, "maximum": low, "minimum": high}[kind] if self.chance(0.8) else self.number(dtype), dtype)

    def reduce(self) -> None:
        value = self.value()
        shape = shape_of(value)
        axes = tuple(axis for axis in range(len(shape.dims)) if self.chance(0.5)) or (0,)
        kinds = [kind for kind in ("add", "add", *KINDS) if self.can(f"reduce:{kind}", shape.dtype)]
        if kinds:
            kind = self.random.choice(kinds)
            self.emit("reduce", shape, (value, self.start(kind, shape.dtype)), dimensions=axes, kind=kind)

    def move(self) -> None:
        getattr(self, self.random.choices(list(MOVES), list(MOVES.values()))[0])(self.value())

    def transpose(self, value: Instruction) -> None:
        rank = len(shape_of(value).dims)
        self.emit("transpose", shape_of(value), (value,), dimensions=tuple(self.random.sample(range(rank), rank)))

    def reverse(self, value: Instruction) -> None:
        axes = tuple(axis for axis in range(len(shape_of(value).dims)) if self.chance(0.5)) or (0,)
        self.emit("reverse", shape_of(value), (value,), dimensions=axes)

    def slice(self, value: Instruction) -> None:
        dims = shape_of(value).dims
        start = tuple(self.random.choice((0, 0, self.random.randrange(size))) for size in dims)
        limit = tuple(self.random.choice((size, self.random.randint(low + 1, size))) for low, size in zip(start, dims, strict=True))
        stride = tuple(self.random.choice((1, 1, 1, 1, 2, 3)) for _ in dims)
        self.emit("slice", shape_of(value), (value,), start=start, limit=limit, stride=stride)

    def reshape(self, value: Instruction) -> None:
        dims = list(shape_of(value).dims)
        kind = self.random.choice(("unit", "merge", "drop"))
        if kind == "merge" and len(dims) > 1:
            place = self.random.randrange(len(dims) - 1)
            dims[place : place + 2] = [dims[place] * dims[place + 1]]
        elif kind == "drop" and 1 in dims:
            dims.remove(1)
        else:
            dims.insert(self.random.randint(0, len(dims)), 1)
        self.emit("reshape", Shape(shape_of(value).dtype, tuple(dims)), (value,))

    def broadcast(self, value: Instruction) -> None:
        shape = shape_of(value)
        rank = len(shape.dims) + 1
        places = sorted(self.random.sample(range(rank), len(shape.dims)))
        if self.chance(0.2):
            self.random.shuffle(places)
        dims = [self.random.choice(self.sizes)] * rank
        for place, size in zip(places, shape.dims, strict=True):
            dims[place] = size
        self.emit("broadcast", Shape(shape.dtype, tuple(dims)), (value,), dimensions=tuple(places))

    def pad(self, value: Instruction) -> None:
        shape = shape_of(value)
        edges = [tuple(self.random.choice((0, 0, 1, 3, -1)) for _ in shape.dims) for _ in range(2)]
        interior = tuple(int(self.can("pad:interior", shape.dtype) and self.chance(0.1)) for _ in shape.dims)
        self.emit("pad", shape, (value, self.scalar(self.number(shape.dtype), shape.dtype)), low=edges[0], high=edges[1], interior=interior)

    def concatenate(self, value: Instruction) -> None:
        shape = shape_of(value)
        parts = [value, self.same(shape)][:: self.random.choice((1, -1))]
        self.emit("concatenate", shape, tuple(parts), dimension=self.random.randrange(len(shape.dims)))


def shape_of(each: Instruction) -> Shape:
    assert isinstance(each.shape, Shape)
    return each.shape


def elements(shape: Shape) -> int:
    return prod(shape.dims)


def reached(lines: list[Instruction] | tuple[Instruction, ...], root: str) -> set[str]:
    needed = {root}
    for each in reversed(lines):
        if each.name in needed:
            needed.update(each.operands)
    return needed


def pruned(computation: Computation) -> Computation:
    """Without what the result does not need; parameters are numbered anew."""
    needed, number, kept = reached(computation.instructions, computation.root), 0, []
    for each in computation:
        if each.name in needed:
            if each.opcode == "parameter":
                each, number = replace(each, attributes={"number": number}), number + 1
            kept.append(each)
    return replace(computation, instructions=tuple(kept))
