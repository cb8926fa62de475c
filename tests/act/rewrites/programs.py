"""Random small HLO computations with every kind of attribute, so that rules meet combinations that nobody thought of."""

from __future__ import annotations

from random import Random
from typing import Any

from act.hlo import Computation, Instruction, Shape, infer
from act.hlo.shape_rules import ShapeError

ARITHMETIC = ("add", "subtract", "multiply", "maximum", "minimum")
BITWISE = ("and", "or", "xor")
DIRECTIONS = ("EQ", "NE", "LT", "LE", "GT", "GE")
MOVES = ("transpose", "reshape", "reverse", "slice", "broadcast", "pad", "concatenate")


class Program:
    """Grows by operators on what is there; most are applied to the newest value, so that they nest."""

    def __init__(self, seed: int, dtype: str, length: int) -> None:
        self.random, self.dtype = Random(seed), dtype
        self.lines: list[Instruction] = []
        shapes = [Shape(dtype, self.dims(self.random.randint(1, 3))), Shape(dtype)]
        for number, shape in enumerate((*shapes, shapes[0])):
            self.emit("parameter", shape, (), number=number)
        for value in (0, 1, 2):
            self.emit("constant", Shape(dtype), (), value=float(value) if dtype[0] == "f" else value)
        while len(self.lines) < length:
            self.grow()

    @property
    def computation(self) -> Computation:
        return Computation("main", tuple(self.lines), self.lines[-1].name)

    def dims(self, rank: int) -> tuple[int, ...]:
        return tuple(self.random.choice((1, 2, 3, 3, 4)) for _ in range(rank))

    def emit(self, opcode: str, declared: Shape, operands: tuple[Instruction, ...], **attributes: Any) -> Instruction | None:
        """None when it would not be well-typed."""
        shapes = tuple(each.shape for each in operands if isinstance(each.shape, Shape))
        try:
            shape = declared if opcode == "parameter" else infer(opcode, shapes, attributes, declared)
        except ShapeError:
            return None
        if 0 in shape.dims or len(shape.dims) > 4 or (shape.dims != declared.dims and opcode in ("reshape", "broadcast")):
            return None
        self.lines.append(Instruction(f"v{len(self.lines)}", shape, opcode, tuple(each.name for each in operands), attributes))
        return self.lines[-1]

    def pick(self, shape: Shape | None = None) -> Instruction | None:
        """A value, of a shape if one is given; often the newest."""
        known = [each for each in self.lines if each.shape == shape] if shape else [each for each in self.lines if each.shape.dtype != "pred"]
        if not known:
            return None
        return known[-1] if self.random.random() < 0.5 else self.random.choice(known)

    def grow(self) -> None:
        value = self.pick()
        assert value is not None
        kind = self.random.choice(("move", "move", "move", "elementwise", "elementwise", "dot", "convert", "reduce"))
        getattr(self, kind)(value)

    def move(self, value: Instruction) -> None:
        dims = value.shape.dims
        opcode = self.random.choice(MOVES)
        getattr(self, opcode)(value, dims)

    def transpose(self, value: Instruction, dims: tuple[int, ...]) -> None:
        order = tuple(self.random.sample(range(len(dims)), len(dims)))
        self.emit("transpose", value.shape, (value,), dimensions=order)

    def reshape(self, value: Instruction, dims: tuple[int, ...]) -> None:
        target = list(dims)
        if len(target) > 1 and self.random.random() < 0.5:
            place = self.random.randrange(len(target) - 1)
            target[place : place + 2] = [target[place] * target[place + 1]]
        else:
            target.insert(self.random.randint(0, len(target)), 1)
        self.emit("reshape", Shape(value.shape.dtype, tuple(target)), (value,))

    def reverse(self, value: Instruction, dims: tuple[int, ...]) -> None:
        flipped = tuple(axis for axis in range(len(dims)) if self.random.random() < 0.6)
        self.emit("reverse", value.shape, (value,), dimensions=flipped)

    def slice(self, value: Instruction, dims: tuple[int, ...]) -> None:
        start = tuple(self.random.randint(0, size - 1) for size in dims)
        limit = tuple(self.random.randint(low + 1, size) for low, size in zip(start, dims, strict=True))
        self.emit("slice", value.shape, (value,), start=start, limit=limit, stride=tuple(self.random.choice((1, 1, 2, 3)) for _ in dims))

    def broadcast(self, value: Instruction, dims: tuple[int, ...]) -> None:
        rank = len(dims) + self.random.randint(0, 1 if dims else 2)
        places = tuple(self.random.sample(range(rank), len(dims)))
        target = list(self.dims(rank))
        for axis, size in zip(places, dims, strict=True):
            target[axis] = size
        self.emit("broadcast", Shape(value.shape.dtype, tuple(target)), (value,), dimensions=places)

    def pad(self, value: Instruction, dims: tuple[int, ...]) -> None:
        scalar = self.pick(Shape(value.shape.dtype))
        edges = [tuple(self.random.choice((-1, 0, 0, 0, 1, 2)) for _ in dims) for _ in range(2)]
        if scalar is not None and dims:
            interior = tuple(self.random.choice((0, 0, 1)) for _ in dims)
            self.emit("pad", value.shape, (value, scalar), low=edges[0], high=edges[1], interior=interior)

    def concatenate(self, value: Instruction, dims: tuple[int, ...]) -> None:
        other = self.pick(value.shape)
        parts = (value, other, value)[: self.random.randint(1, 3)]
        if dims and other is not None:
            self.emit("concatenate", value.shape, parts, dimension=self.random.randrange(len(dims)))

    def elementwise(self, value: Instruction) -> None:
        shape, other = value.shape, self.pick(value.shape)
        assert other is not None
        match self.random.choice(("binary", "binary", "binary", "unary", "clamp", "select", "not")):
            case "binary":
                opcode = self.random.choice(ARITHMETIC if shape.dtype[0] == "f" else ARITHMETIC + BITWISE)
                self.emit(opcode, shape, (value, other) if self.random.random() < 0.5 else (other, value))
            case "unary":
                self.emit(self.random.choice(("negate", "abs")), shape, (value,))
            case "not":
                self.emit("not", shape, (value,))
            case "clamp":
                bounds = [self.random.choice((self.pick(Shape(shape.dtype)), other)) or other for _ in range(2)]
                self.emit("clamp", shape, (bounds[0], value, bounds[1]))
            case "select":
                condition = self.emit("compare", shape, (value, other), direction=self.random.choice(DIRECTIONS))
                if condition and self.random.random() < 0.3:
                    condition = self.emit("not", condition.shape, (condition,))
                if condition:
                    self.emit("select", shape, (condition, *self.random.choice(((value, other), (other, value), (value, value)))))

    def dot(self, value: Instruction) -> None:
        """A random pairing of dimensions of equal size, some of them batch."""
        other = self.pick()
        if other is None or other.shape.dtype != value.shape.dtype:
            return
        places = [(a, b) for a, size in enumerate(value.shape.dims) for b, size_b in enumerate(other.shape.dims) if size == size_b]
        self.random.shuffle(places)
        left, right, kinds = [], [], []
        for a, b in places[: self.random.randint(0, 3)]:
            if a not in left and b not in right:
                left.append(a)
                right.append(b)
                kinds.append(self.random.random() < 0.25)
        split = {
            f"{side}_{kind}_dims": tuple(axis for axis, is_batch in zip(axes, kinds, strict=True) if is_batch == (kind == "batch"))
            for side, axes in (("lhs", left), ("rhs", right))
            for kind in ("batch", "contracting")
        }
        self.emit("dot", value.shape, (value, other), **split)

    def convert(self, value: Instruction) -> None:
        if value.shape.dtype[0] == "f":
            return
        dtype = self.random.choice((self.dtype, "s8", "u8", "s16"))
        self.emit(self.random.choice(("convert", "bitcast-convert")), Shape(dtype, value.shape.dims), (value,))

    def reduce(self, value: Instruction) -> None:
        initial = self.pick(Shape(value.shape.dtype))
        axes = tuple(axis for axis in range(value.shape.rank) if self.random.random() < 0.5)
        if initial is not None and value.shape.rank:
            self.emit("reduce", value.shape, (value, initial), dimensions=axes, kind=self.random.choice(("add", "add", "maximum")))
