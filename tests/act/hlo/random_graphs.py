"""Random well-typed HLO computations over all operators: small shapes, every attribute drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod
from random import Random
from typing import Any

from act.hlo import Computation, Instruction, Module, Shape, TupleShape, infer
from act.hlo.dtypes import is_float, is_integer, is_signed, width
from act.hlo.opcodes import BINARY, DIRECTIONS, UNARY
from act.hlo.shape_rules import ShapeError

INTEGERS = ("s8", "u8", "s16", "s32", "u32", "s64")
FLOATS = ("f32", "f64", "bf16", "f16")
NOT_IN_XLA = frozenset("asin acos sinh cosh asinh acosh atanh".split())
"""Operators of the language for which XLA's CPU has no code."""
LARGEST = 400


@dataclass(slots=True)
class Graphs:
    """Draws one graph; `types` are its element types but for pred, `binary` its binary operators."""

    random: Random
    types: tuple[str, ...]
    binary: tuple[str, ...]
    values: list[Instruction] = field(default_factory=list)

    def draw(self, parameters: int, operators: int) -> Module:
        for number in range(parameters):
            dims = tuple(self.random.randint(1, 5) for _ in range(self.random.randint(0, 4)))
            self._add("parameter", Shape(self.random.choice((*self.types, "pred")), dims), (), {"number": number})
        while len(self.values) < parameters + operators:
            self._operator()
        outputs = self.values[parameters:]
        root = Instruction("out", TupleShape(tuple(each.shape for each in outputs)), "tuple", tuple(each.name for each in outputs))
        return Module("random", {"main": Computation("main", (*self.values, root), "out")}, "main")

    def _add(self, opcode: str, shape: Shape, operands: tuple[str, ...], attributes: dict[str, Any]) -> str:
        self.values.append(Instruction(f"v{len(self.values)}", shape, opcode, operands, attributes))
        return self.values[-1].name

    def _operator(self) -> None:
        make: Callable[[Instruction], None] = self.random.choice(
            [self._unary, self._binary, self._choose, self._retype, self._move, self._move, self._window, self._window, self._dot, self._dynamic]
        )
        try:
            make(self.random.choice(self.values))
        except (ShapeError, ValueError, IndexError):
            return

    def _infer(self, opcode: str, operands: list[Instruction], attributes: dict[str, Any] | None = None, declared: Shape | None = None) -> None:
        shapes = tuple(each.shape for each in operands)
        shape = infer(opcode, shapes, attributes or {}, declared or operands[0].shape)
        if 0 < prod(shape.dims) <= LARGEST:
            self._add(opcode, shape, tuple(each.name for each in operands), attributes or {})

    def _like(self, shape: Shape) -> Instruction:
        return self.random.choice([each for each in self.values if each.shape == shape])

    def _scalar(self, dtype: str) -> Instruction:
        low, high = (0, 1) if dtype == "pred" else (-3, 3) if is_float(dtype) or is_signed(dtype) else (0, 3)
        value = self.random.randint(low, high)
        name = self._add("constant", Shape(dtype), (), {"value": float(value) if is_float(dtype) else bool(value) if dtype == "pred" else value})
        return next(each for each in self.values if each.name == name)

    def _unary(self, value: Instruction) -> None:
        opcode = self.random.choice(sorted(UNARY - NOT_IN_XLA))
        if opcode not in ("abs", "sign") or is_signed(value.shape.dtype) or is_float(value.shape.dtype):
            self._infer(opcode, [value])

    def _binary(self, value: Instruction) -> None:
        self._infer(self.random.choice(self.binary), [value, self._like(value.shape)])

    def _choose(self, value: Instruction) -> None:
        other, dtype = self._like(value.shape), value.shape.dtype
        order = {"order": "TOTAL"} if is_float(dtype) and self.random.random() < 0.3 else {}
        match self.random.randrange(3):
            case 0:
                self._infer("compare", [value, other], {"direction": self.random.choice(DIRECTIONS), **order})
            case 1:
                self._infer("select", [self._like(Shape("pred", value.shape.dims)), value, other])
            case _:
                self._infer("clamp", [self._scalar(dtype), value, self._like(value.shape)], declared=value.shape)

    def _retype(self, value: Instruction) -> None:
        dtype = self.random.choice((*self.types, "pred"))
        if self.random.random() < 0.5 or "pred" in (dtype, value.shape.dtype):
            self._infer("convert", [value], {}, Shape(dtype, value.shape.dims))
        elif width(dtype) <= width(value.shape.dtype) or value.shape.dims:
            self._infer("bitcast-convert", [value], {}, Shape(dtype))

    def _move(self, value: Instruction) -> None:
        pick, dims, rank = self.random, value.shape.dims, value.shape.rank
        axis = pick.randrange(rank) if rank else 0
        match pick.choice("broadcast reshape transpose slice pad concatenate reverse iota".split()):
            case "broadcast":
                total = sorted(pick.sample(range(rank + 2), rank))
                wide = [pick.randint(1, 3) for _ in range(rank + 2)]
                for size, place in zip(dims, total, strict=True):
                    wide[place] = size
                self._infer("broadcast", [value], {"dimensions": tuple(total)}, Shape(value.shape.dtype, tuple(wide)))
            case "reshape":
                self._infer("reshape", [value], {}, Shape(value.shape.dtype, tuple(pick.sample([prod(dims[: rank // 2]), prod(dims[rank // 2 :]), 1], 3))))
            case "transpose":
                self._infer("transpose", [value], {"dimensions": tuple(pick.sample(range(rank), rank))})
            case "slice":
                starts = tuple(pick.randrange(size) for size in dims)
                limits = tuple(pick.randint(start + 1, size) for start, size in zip(starts, dims, strict=True))
                self._infer("slice", [value], {"start": starts, "limit": limits, "stride": tuple(pick.randint(1, 3) for _ in dims)})
            case "pad" if rank:
                edges = {name: tuple(pick.randint(-2, 3) for _ in dims) for name in ("low", "high")}
                self._infer("pad", [value, self._scalar(value.shape.dtype)], {**edges, "interior": tuple(pick.randint(0, 2) for _ in dims)})
            case "concatenate":
                self._infer("concatenate", [value, self._like(value.shape)], {"dimension": axis})
            case "reverse":
                self._infer("reverse", [value], {"dimensions": tuple(sorted(pick.sample(range(rank), pick.randint(0, rank))))})
            case "iota" if is_integer(value.shape.dtype) and rank:
                self._infer("iota", [], {"dimension": axis}, value.shape)

    def _kind(self, dtype: str) -> str:
        return self.random.choice(("and", "or") if dtype == "pred" else ("add", "maximum", "minimum") if is_float(dtype) else ("add", "maximum", "and", "or"))

    def _sliding(self, rank: int, reversal: bool) -> dict[str, Any]:
        ranges = {"size": (1, 3), "stride": (1, 2), "low": (0, 2), "high": (0, 2), "lhs_dilation": (1, 2), "rhs_dilation": (1, 2)}
        ranges |= {"reversal": (0, 1)} if reversal else {}
        return {name: tuple(self.random.randint(*limits) for _ in range(rank)) for name, limits in ranges.items()}

    def _window(self, value: Instruction) -> None:
        rank, dtype = value.shape.rank, value.shape.dtype
        match self.random.randrange(3):
            case 0:
                dimensions = tuple(sorted(self.random.sample(range(rank), self.random.randint(0, rank))))
                if prod(value.shape.dims[axis] for axis in dimensions) > 1:  # otherwise XLA may leave out the initial value
                    self._infer("reduce", [value, self._scalar(dtype)], {"dimensions": dimensions, "kind": self._kind(dtype)})
            case 1:
                window = self._sliding(rank, False)
                if prod(window["size"]) > 1:
                    self._infer("reduce-window", [value, self._scalar(dtype)], {**window, "kind": self._kind(dtype)})
            case _ if rank >= 2 and dtype != "pred":
                self._convolution(value)

    def _convolution(self, value: Instruction) -> None:
        other = self.random.choice([each for each in self.values if each.shape.rank == value.shape.rank and each.shape.dtype == value.shape.dtype])
        rank = value.shape.rank
        dims = {name: tuple(self.random.sample(range(rank), rank)) for name in ("lhs_dims", "rhs_dims", "out_dims")}
        size = tuple(other.shape.dims[axis] for axis in dims["rhs_dims"][2:])
        groups = {"feature_group_count": self.random.choice((1, 1, 2)), "batch_group_count": 1}
        groups = groups if self.random.random() < 0.8 else {"feature_group_count": 1, "batch_group_count": 2}
        self._infer("convolution", [value, other], {**self._sliding(rank - 2, True), "size": size, **dims, **groups})

    def _dot(self, value: Instruction) -> None:
        pick, (dtype, left) = self.random, (value.shape.dtype, value.shape)
        other = pick.choice([each for each in self.values if each.shape.dtype == dtype != "pred"])
        pairs = [(a, b) for a in range(left.rank) for b in range(other.shape.rank) if left.dims[a] == other.shape.dims[b]]
        chosen: dict[int, tuple[int, bool]] = {}
        for a, b in pick.sample(pairs, min(len(pairs), 2)):
            if a not in chosen and b not in {place for place, _ in chosen.values()}:
                chosen[a] = (b, pick.random() < 0.5)
        lists = {f"{side}_{what}_dims": () for what in ("contracting", "batch") for side in ("lhs", "rhs")}
        for a, (b, batch) in chosen.items():
            what = "batch" if batch else "contracting"
            lists = lists | {f"lhs_{what}_dims": (*lists[f"lhs_{what}_dims"], a), f"rhs_{what}_dims": (*lists[f"rhs_{what}_dims"], b)}
        wide = Shape(pick.choice((dtype, "f32" if is_float(dtype) and width(dtype) < 64 else dtype)))
        self._infer("dot", [value, other], lists, wide)

    def _dynamic(self, value: Instruction) -> None:
        dims = value.shape.dims
        starts = [self._scalar("s32") for _ in dims]
        if self.random.random() < 0.5:
            self._infer("dynamic-slice", [value, *starts], {"sizes": tuple(self.random.randint(1, size) for size in dims)})
            return
        fits = [e for e in self.values if e.shape.dtype == value.shape.dtype and e.shape.rank == value.shape.rank]
        fits = [e for e in fits if all(a <= b for a, b in zip(e.shape.dims, dims, strict=True))]
        self._infer("dynamic-update-slice", [value, self.random.choice(fits), *starts])


def random_module(seed: int, types: tuple[str, ...], parameters: int = 6, operators: int = 40, without: frozenset[str] = frozenset()) -> Module:
    """Returns all its values but the parameters; the binary operators in `without` do not occur."""
    return Graphs(Random(seed), types, tuple(sorted(BINARY - without))).draw(parameters, operators)
