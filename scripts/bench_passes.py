"""How long each pass takes on functions of 5,000 operations: seconds of the processor, cold (no lemma is known), medians over several runs.

Two rows for each kind of function: the passes one after another, and each pass alone on the function as it is unrolled.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable
from time import process_time

from benchmark import Figures, medians, report
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import FunctionType, MemRefType, ModuleOp
from xdsl.ir import Attribute, Block, Region, SSAValue

from lift.ir.emit import Emitter, integer
from lift.ir.operations import functions, walk, width
from lift.passes import PASSES, LiftPass, run_passes
from lift.prove import Prover

SIZE, LIMIT_S = 5_000, 1.0
_LANES = 16


class Writer:
    """A function under construction: scalar and array arguments, the emitter, and how many operations it has so far."""

    def __init__(self, *widths: int, arrays: tuple[int, ...] = ()) -> None:
        kinds: list[Attribute] = [integer(w) for w in widths]
        self.block = Block(arg_types=[*kinds, *(MemRefType(integer(w), [1024]) for w in arrays)])
        self.emit = Emitter(self.block, {})
        self.scalars, self.arrays = list(self.block.args[: len(widths)]), list(self.block.args[len(widths) :])

    def __len__(self) -> int:
        return len(walk(self.block)) + len(self.emit.constants)

    def store(self, value: SSAValue, array: SSAValue, at: int, condition: SSAValue | None = None) -> None:
        index = self.emit.constant(at, 0)
        if condition is None:
            self.emit.store(value, array, index)
            return
        inner = Block([memref.StoreOp.create(operands=(value, array, index)), scf.YieldOp()])
        self.block.add_op(scf.IfOp(condition, [], [inner]))

    def function(self, *results: SSAValue) -> ModuleOp:
        self.block.add_op(func.ReturnOp(*results))
        self.block.insert_ops_before(list(self.emit.constants.values()), self.block.first_op)  # type: ignore[arg-type]
        kind = FunctionType.from_lists([a.type for a in self.block.args], [r.type for r in results])
        return ModuleOp([func.FuncOp("f", kind, Region(self.block))])


def by_bits(w: Writer, value: SSAValue, to: int) -> SSAValue:
    """A sign extension, one copy of the sign after another."""
    bits = width(value)
    sign, out = w.emit.resize(w.emit.part(value, bits - 1, 1), to), w.emit.resize(value, to)
    for position in range(bits, to):
        out = w.emit.binary(arith.OrIOp, out, w.emit.binary(arith.ShLIOp, sign, w.emit.constant(position, to)))
    return out


def bits(draw: random.Random) -> ModuleOp:
    """Words taken apart into bytes, shuffled, put together and sign-extended bit by bit."""
    w = Writer(64, arrays=(64, 64))
    at = 0
    while len(w) < SIZE:
        word = w.emit.load(w.arrays[0], w.emit.constant(at % 1024, 0))
        parts = [w.emit.part(word, 8 * k, 8) for k in draw.sample(range(8), 8)]
        out = w.emit.resize(parts[0], 64)
        for k, part in enumerate(parts[1:], 1):
            out = w.emit.binary(arith.OrIOp, out, w.emit.binary(arith.ShLIOp, w.emit.resize(part, 64), w.emit.constant(8 * k, 64)))
        wide = by_bits(w, w.emit.part(out, 8 * draw.randrange(8), 8), draw.choice((20, 32)))
        w.store(w.emit.binary(arith.XOrIOp, out, w.emit.resize(wide, 64)), w.arrays[1], at % 1024)
        at += 1
    return w.function()


def grid(draw: random.Random) -> ModuleOp:
    """Chains of multiply-accumulates over bytes of words, sign-extended by replication."""
    w = Writer(10, arrays=(8 * _LANES, 8 * _LANES, 32))
    at = 0
    while len(w) < SIZE:
        row, total = w.emit.load(w.arrays[0], w.emit.constant(at, 0)), w.emit.constant(0, 20)
        for k in range(_LANES):
            weight = w.emit.load(w.arrays[1], w.emit.constant(k, 0))
            a, b = (w.emit.cast(arith.ExtSIOp, v, 16) for v in (w.emit.part(row, 8 * k, 8), w.emit.part(weight, 8 * (at % _LANES), 8)))
            total = w.emit.binary(arith.AddiOp, by_bits(w, w.emit.binary(arith.MuliOp, a, b), 20), total)
        w.store(w.emit.cast(arith.ExtSIOp, total, 32), w.arrays[2], at)
        at += 1
    return w.function()


def lanes(draw: random.Random) -> ModuleOp:
    """Accumulators through a rounding shift by a variable amount, a ReLU of one mode and a saturation."""
    w = Writer(5, 2, arrays=(32, 8))
    shift, mode = w.scalars
    active = w.emit.compare("eq", mode, w.emit.constant(1, 2))
    zero, one, ones = (w.emit.constant(n, 32) for n in (0, 1, -1))
    at = 0
    while len(w) < SIZE:
        x, by = w.emit.load(w.arrays[0], w.emit.constant(at, 0)), w.emit.resize(shift, 32)
        below = w.emit.binary(arith.XOrIOp, w.emit.binary(arith.ShLIOp, ones, by), ones)
        half = w.emit.binary(arith.ShRUIOp, w.emit.binary(arith.ShLIOp, one, by), one)
        kept, dropped = w.emit.binary(arith.ShRSIOp, x, by), w.emit.binary(arith.AndIOp, x, below)
        tie = w.emit.binary(arith.AndIOp, w.emit.compare("eq", dropped, half), w.emit.part(kept, 0, 1))
        up = w.emit.binary(arith.OrIOp, w.emit.compare("ugt", dropped, half), tie)
        up = w.emit.binary(arith.AndIOp, up, w.emit.compare("ne", shift, w.emit.constant(0, 5)))
        y = w.emit.binary(arith.AddiOp, kept, w.emit.resize(up, 32))
        y = w.emit.select(w.emit.binary(arith.AndIOp, active, w.emit.compare("slt", y, zero)), zero, y)
        high, low = w.emit.constant(127, 32), w.emit.constant(-128, 32)
        y = w.emit.select(w.emit.compare("slt", high, y), high, w.emit.select(w.emit.compare("slt", y, low), low, y))
        w.store(w.emit.part(y, 0, 8), w.arrays[1], at % 1024)
        at += 1
    return w.function()


def control(draw: random.Random) -> ModuleOp:
    """Decoded fields, multiplexers, counters of a few bits, and stores under conditions."""
    w = Writer(7, 16, 16, 16, 32, arrays=(32,))
    opcode, *rest = w.scalars
    counters: list[SSAValue] = [*rest[:3]]
    data: SSAValue = rest[3]
    at = 0
    while len(w) < SIZE:
        hit = w.emit.compare("eq", opcode, w.emit.constant(draw.randrange(128), 7))
        k = draw.randrange(3)
        small = w.emit.binary(arith.AndIOp, counters[k], w.emit.constant(draw.choice((15, 31, 255)), 16))
        more = w.emit.binary(arith.AddiOp, small, w.emit.constant(draw.randrange(8), 16))
        last = w.emit.compare("ult", more, w.emit.constant(draw.randrange(400), 16))
        counters[k] = w.emit.select(w.emit.binary(arith.AndIOp, hit, last), more, counters[k])
        data = w.emit.select(hit, w.emit.binary(arith.XOrIOp, data, w.emit.resize(more, 32)), data)
        w.store(data, w.arrays[0], at % 1024, w.emit.binary(arith.OrIOp, hit, last))
        at += 1
    return w.function(*counters)


_BINARY = (arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.AndIOp, arith.OrIOp, arith.XOrIOp)


def noise(draw: random.Random) -> ModuleOp:
    """Operations on earlier values in any order, which mean nothing."""
    w = Writer(8, 13, 32)
    values: list[SSAValue] = [*w.scalars]
    while len(w) < SIZE:
        recent = values[-40:]
        a, b = draw.choice(recent), draw.choice(recent)
        match draw.randrange(5):
            case 0: values.append(w.emit.select(w.emit.compare("ult", a, w.emit.resize(b, width(a))), a, w.emit.resize(b, width(a))))
            case 1: values.append(w.emit.part(a, low := draw.randrange(width(a)), draw.randint(1, width(a) - low)))
            case 2 if width(a) < 48: values.append(w.emit.cast(draw.choice((arith.ExtSIOp, arith.ExtUIOp)), a, width(a) + draw.randint(1, 16)))
            case _: values.append(w.emit.binary(draw.choice(_BINARY), a, w.emit.resize(b, width(a))))
    return w.function(*values[-40:])


SUBJECTS: dict[str, Callable[[random.Random], ModuleOp]] = {"bits": bits, "grid": grid, "lanes": lanes, "control": control, "noise": noise}


def timed_pass(each: LiftPass, module: ModuleOp) -> float:
    start = process_time()
    run_passes(module, [each], Prover())
    return process_time() - start


def once(make: Callable[[random.Random], ModuleOp], alone: bool) -> Figures:
    module = make(random.Random(0))
    found: Figures = {"operations": len(walk(module.body.block))}
    for kind in PASSES:
        found[f"{kind.name.split('-', 1)[0]}_s"] = timed_pass(kind(), module.clone() if alone else module)
    return found if alone else {**found, "left": len(walk(functions(module)[0].body.block))}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("subjects", metavar="SUBJECT", nargs="*", default=list(SUBJECTS), help=f"of {', '.join(SUBJECTS)} (default: all)")
    given = parser.parse_args()
    rows: dict[str, Figures] = {}
    for name in given.subjects:
        for alone in (False, True):
            rows[f"{name}, each alone" if alone else name] = medians([once(SUBJECTS[name], alone) for _ in range(given.runs)])
    report("passes", rows, given.runs)
    slow = [f"{name}: {column} is {value:.2f}" for name, row in rows.items() for column, value in row.items() if column.endswith("_s") and value > LIMIT_S]
    print("\n".join(slow), file=sys.stderr)
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
