"""Random functions of all operations: words taken apart and put together, sums, products, choices, loads, conditional stores and loops."""

from __future__ import annotations

import random

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import FunctionType, MemRefType, ModuleOp
from xdsl.ir import Attribute, Block, Region, SSAValue

from lift.ir.emit import INDEX, Emitter, integer
from lift.ir.operations import PREDICATES, width

SCALARS, DEPTH = (1, 5, 8, 13, 32), 32
_RING = (arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.AndIOp, arith.OrIOp, arith.XOrIOp)
_SHIFTS = (arith.ShLIOp, arith.ShRUIOp, arith.ShRSIOp)
_EXTENSIONS = (arith.ExtSIOp, arith.ExtUIOp)


def random_function(seed: int, size: int = 40) -> ModuleOp:
    """Arguments are scalars of SCALARS, an array of bytes that is read and one that is written; results are three values."""
    return _Writer(random.Random(seed)).run(size)


def arguments(seed: int) -> tuple[list[int], list[int]]:
    """(scalars, bytes): extremes and others."""
    draw = random.Random(seed)
    values = [draw.choice((0, 1, (1 << w) - 1, 1 << (w - 1), draw.getrandbits(w))) for w in SCALARS]
    return values, [draw.choice((0, 127, 128, 255, draw.getrandbits(8))) for _ in range(DEPTH)]


class _Writer:
    def __init__(self, draw: random.Random) -> None:
        self.draw, self.constants = draw, dict[tuple[int, int], arith.ConstantOp]()
        array = MemRefType(integer(8), [DEPTH])
        self.entry = Block(arg_types=[*(integer(w) for w in SCALARS), array, array])
        *scalars, self.source, self.target = self.entry.args
        self.emit, self.values = Emitter(self.entry, self.constants), list[SSAValue](scalars)

    def run(self, size: int) -> ModuleOp:
        for _ in range(size):
            self.step()
        results = self.values[-3:]
        self.entry.add_op(func.ReturnOp(*results))
        self.entry.insert_ops_before(list(self.constants.values()), self.entry.first_op)  # type: ignore[arg-type]
        kinds: list[Attribute] = [a.type for a in self.entry.args]
        return ModuleOp([func.FuncOp("f", FunctionType.from_lists(kinds, [r.type for r in results]), Region(self.entry))])

    def step(self) -> None:
        made = self.draw.choice((self.ring, self.ring, self.shift, self.part, self.extend, self.concat, self.choice, self.compare, self.bounded, self.rounded,
                                 self.product, self.load, self.signs, self.mask, self.store, self.loop))()  # fmt: skip
        if made is not None:
            self.values.append(made)

    def some(self, bits: int | None = None) -> SSAValue:
        """A value, a recent one more often than not, brought to `bits` bits in any way."""
        value = self.draw.choice(self.values[-8:] if self.draw.random() < 0.7 else self.values)
        if self.draw.random() < 0.15:
            value = self.emit.constant(self.draw.choice((0, 1, -1, 7, 127, -128, self.draw.getrandbits(8))), width(value))
        return value if bits is None else self.to(value, bits)

    def to(self, value: SSAValue, bits: int) -> SSAValue:
        if width(value) >= bits:
            return self.emit.part(value, self.draw.randint(0, width(value) - bits) if self.draw.random() < 0.3 else 0, bits)
        return self.emit.cast(self.draw.choice(_EXTENSIONS), value, bits)

    def ring(self) -> SSAValue:
        a = self.some()
        return self.emit.binary(self.draw.choice(_RING), a, self.some(width(a)))

    def shift(self) -> SSAValue:
        a = self.some()
        by = self.emit.constant(self.draw.randrange(width(a)), width(a))
        if self.draw.random() < 0.3 and width(a) > 4:
            by = self.emit.resize(self.some(2), width(a))
        return self.emit.binary(self.draw.choice(_SHIFTS), a, by)

    def part(self) -> SSAValue:
        a = self.some()
        low = self.draw.randrange(width(a))
        return self.emit.part(a, low, self.draw.randint(1, width(a) - low))

    def extend(self) -> SSAValue | None:
        a = self.some()
        return self.emit.cast(self.draw.choice(_EXTENSIONS), a, width(a) + self.draw.randint(1, 12)) if width(a) < 40 else None

    def concat(self) -> SSAValue | None:
        low, high = self.some(), self.some()
        bits = width(low) + width(high)
        if bits > 48:
            return None
        up = self.emit.binary(arith.ShLIOp, self.emit.resize(high, bits), self.emit.constant(width(low), bits))
        return self.emit.binary(self.draw.choice((arith.OrIOp, arith.OrIOp, arith.AddiOp, arith.XOrIOp)), up, self.emit.resize(low, bits))

    def choice(self) -> SSAValue:
        a = self.some()
        return self.emit.select(self.some(1), a, self.some(width(a)))

    def compare(self) -> SSAValue:
        a = self.some()
        return self.emit.compare(self.draw.choice(PREDICATES), a, self.some(width(a)))

    def bounded(self) -> SSAValue:
        x = self.some()
        bits, order = width(x), self.draw.choice("su")
        low, high = (self.emit.constant(self.draw.choice((0, -8, 6, 127, -128, self.draw.getrandbits(6))), bits) for _ in range(2))
        above = self.emit.compare(order + self.draw.choice(("lt", "le")), high, x)
        y = self.emit.select(above, high, x)
        return self.emit.select(self.emit.compare(self.draw.choice("su") + "lt", y, low), low, y)

    def rounded(self) -> SSAValue | None:
        x = self.some()
        bits = width(x) + 1
        if bits < 6:
            return None
        half = self.emit.constant(self.draw.choice((4, 4, 3, 7, 8)), bits)
        return self.emit.binary(arith.ShRSIOp, self.emit.binary(arith.AddiOp, self.emit.cast(self.draw.choice(_EXTENSIONS), x, bits), half),
                                self.emit.constant(3, bits))  # fmt: skip

    def product(self) -> SSAValue:
        """One or two multiply-accumulates, of signed numbers more often than not."""
        total = self.some(20)
        for _ in range(self.draw.randint(1, 2)):
            kinds = [arith.ExtSIOp] * 3 if self.draw.random() < 0.7 else self.draw.choices(_EXTENSIONS, k=3)
            a, b = (self.emit.cast(kind, self.some(8), 16) for kind in kinds[:2])
            total = self.emit.binary(arith.AddiOp, self.emit.cast(kinds[2], self.emit.binary(arith.MuliOp, a, b), 20), total)
        return total

    def load(self) -> SSAValue:
        return self.emit.load(self.source, self.emit.index(self.some(5)))

    def signs(self) -> SSAValue:
        """A sign extension, one copy of the sign, or of another bit, after another."""
        x = self.some(5)
        bit = self.emit.resize(self.emit.part(x, self.draw.choice((4, 4, 4, 3)), 1), 8)
        out = self.emit.resize(x, 8)
        for position in (5, 6, 7):
            out = self.emit.binary(arith.OrIOp, out, self.emit.binary(arith.ShLIOp, bit, self.emit.constant(position, 8)))
        return out

    def mask(self) -> SSAValue:
        a, bit = self.some(8), self.some(1)
        return self.emit.binary(self.draw.choice((arith.AndIOp, arith.OrIOp)), self.emit.cast(self.draw.choice(_EXTENSIONS), bit, 8), a)

    def store(self) -> None:
        inner = Block()
        condition, value, index = self.some(1), self.some(8), self.emit.index(self.some(5))
        inner.add_ops([memref.StoreOp.create(operands=(value, self.target, index)), scf.YieldOp()])
        self.entry.add_op(scf.IfOp(condition, [], [inner]))

    def loop(self) -> None:
        """Bytes that are read, added to and stored at consecutive addresses."""
        start, more = self.some(5), self.some(8)
        body = Block(arg_types=[INDEX])
        emit = Emitter(body, self.constants)
        index = emit.index(emit.binary(arith.AddiOp, start, emit.from_index(body.args[0], 5)))
        emit.store(emit.binary(self.draw.choice(_RING), emit.load(self.source, index), more), self.target, index)
        body.add_op(scf.YieldOp())
        bounds = (self.emit.constant(k, 0) for k in (0, self.draw.randint(1, 4), 1))
        self.entry.add_op(scf.ForOp(*bounds, [], body))
