"""Update functions written from terms: what the unroller produces for small, typical hardware."""

from __future__ import annotations

from collections.abc import Callable

from lift.unroll.function import Argument, Loop, Statement, Store, UpdateFunction
from lift.unroll.terms import Term, apply, concat, const, equal, extract, load, mux, negate, sym


def sext(a: Term, width: int) -> Term:
    return apply("sext", width, (a,))


def zext(a: Term, width: int) -> Term:
    return apply("zext", width, (a,))


def add(a: Term, b: Term) -> Term:
    return apply("add", a.width, (a, b))


def replicated_sign(a: Term, width: int) -> Term:
    """`{{n{a[msb]}}, a}`, as Verilog writes a sign extension."""
    sign = extract(a, a.width - 1, 1)
    return concat(*[sign] * (width - a.width), a)


def multiply_add(a: Term, b: Term, c: Term) -> Term:
    """The MAC unit: a signed 8 x 8 bit product, sign-extended by replication, plus a 20-bit sum."""
    return add(replicated_sign(apply("mul", 16, (sext(a, 16), sext(b, 16))), c.width), c)


def function(target: str, arguments: tuple[Argument, ...], body: tuple[Statement, ...] = (), result: Term | None = None) -> UpdateFunction:
    return UpdateFunction("unit", "step", target, arguments, body, result, location="unit.v:1")


def scalars(*named: tuple[str, int]) -> tuple[Argument, ...]:
    return tuple(Argument(name, width, None, "field", "unit.v:1") for name, width in named)


def of(result: Term, *arguments: Argument) -> UpdateFunction:
    """The function of one value."""
    return function("out", arguments, (), result)


def pe_step() -> UpdateFunction:
    """`c1` of a processing element after one valid step, both dataflows."""
    a, b, d, c1, c2 = sym("in_a", 8), sym("in_b", 20), sym("in_d", 20), sym("c1", 32), sym("c2", 32)
    propagate, dataflow = sym("propagate", 1), sym("dataflow", 1)
    stationary = negate(dataflow)
    active = mux(propagate, extract(c2, 0, 20), extract(c1, 0, 20))
    mac = multiply_add(a, mux(stationary, extract(b, 0, 8), extract(active, 0, 8)), mux(stationary, active, b))
    result = mux(propagate, replicated_sign(d, 32), mux(stationary, replicated_sign(mac, 32), c1))
    names = scalars(("in_a", 8), ("in_b", 20), ("in_d", 20), ("c1", 32), ("c2", 32), ("propagate", 1), ("dataflow", 1))
    return function("c1", names, (), result)


def dot_grid(size: int) -> UpdateFunction:
    """`size` stores of `size` lanes, each a chain of `size` MACs over a row of activations and a column of weights, as a weight-stationary mesh unrolls."""
    rs1, rs2, into = sym("rs1", 14), sym("rs2", 14), sym("into", 10)
    rows = [load("spad", 8 * size, add(rs1, const(r, 14))) for r in range(size)]
    weights = [load("spad", 8 * size, add(rs2, const(size - 1 - k, 14))) for k in range(size)]
    stores = []
    for r, row in enumerate(rows):
        lanes = []
        for column in range(size):
            total = const(0, 20)
            for k, weight in enumerate(weights):
                total = multiply_add(extract(row, 8 * k, 8), extract(weight, 8 * column, 8), total)
            lanes.append(replicated_sign(total, 32))
        stores.append(Store("acc", add(into, const(r, 10)), concat(*reversed(lanes)), None, None))
    arguments = (*scalars(("rs1", 14), ("rs2", 14), ("into", 10)), Argument("spad", 8 * size, 1 << 14, "memory"), Argument("acc", 32 * size, 1 << 10, "memory"))
    return function("acc", arguments, tuple(stores))


def saturated_relu(kind: Callable[[Term], Term] | None = None) -> UpdateFunction:
    """A 32-bit accumulator lane: ReLU when `act` is 1, then saturated to 8 signed bits."""
    x, act = sym("x", 32), sym("act", 3)
    relu = mux(apply("slt", 1, (x, const(0, 32))), const(0, 32), x)
    chosen = mux(equal(act, const(1, 3)), relu, x)
    high, low = const(127, 32), const(-128, 32)
    clipped = mux(apply("slt", 1, (high, chosen)), high, mux(apply("slt", 1, (chosen, low)), low, chosen))
    return of(extract(clipped, 0, 8), *scalars(("x", 32), ("act", 3)))


def copy_rows() -> UpdateFunction:
    """Rows and blocks of a host array into an on-chip memory, some bytes masked, only when the command is enabled."""
    rows, blocks, i, j = sym("rows", 5), sym("blocks", 3), sym("i", 5), sym("j", 3)
    base, host, mask, enable = sym("base", 6), sym("address", 10), sym("mask", 16), sym("enable", 1)
    row = add(base, add(zext(i, 6), apply("shl", 6, (zext(j, 6), const(4, 6)))))
    word = load("dram", 16, add(host, add(zext(i, 10), apply("mul", 10, (zext(j, 10), sym("stride", 10))))))
    store = Store("spad", row, add(word, load("spad", 16, row)), mask, enable)
    body = Loop(i, rows, (Loop(j, blocks, (store,)),))
    names = scalars(("rows", 5), ("blocks", 3), ("base", 6), ("address", 10), ("mask", 16), ("enable", 1), ("stride", 10))
    return function("spad", (*names, Argument("dram", 16, 1 << 10, "host"), Argument("spad", 16, 1 << 6, "memory")), (body,))
