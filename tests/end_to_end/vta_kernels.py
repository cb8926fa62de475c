"""Kernels for the instruction set lifted from rtl/vta, whose rows are 16 elements: s8 and s32 in, s8 out."""

from __future__ import annotations

from collections.abc import Sequence

ROWS = "lhs_contracting_dims={1}, rhs_contracting_dims={1}"
PLAIN = "lhs_contracting_dims={1}, rhs_contracting_dims={0}"


def hlo(*lines: str) -> str:
    """A module of these instructions; the last is the root."""
    return "HloModule kernel\n\nENTRY main {\n" + "\n".join(f"  {line}" for line in (*lines[:-1], f"ROOT {lines[-1]}")) + "\n}\n"


def product(rows: int, depth: int, columns: int, numbers: str, dtype: str = "s8") -> str:
    weights = f"{columns},{depth}" if numbers == ROWS else f"{depth},{columns}"
    return hlo(f"a = s8[{rows},{depth}] parameter(0)", f"b = s8[{weights}] parameter(1)", f"d = {dtype}[{rows},{columns}] dot(a, b), {numbers}")


def blocked() -> str:
    """Weights in blocks of 16 by 16, as the machine loads them: block (n, k) has columns 16 * n.. by rows 16 * k.."""
    moved = ("c = s8[4,16,4,16] transpose(b), dimensions={0,2,1,3}", "w = s8[64,64] reshape(c)")
    return hlo("a = s8[64,64] parameter(0)", "b = s8[4,4,16,16] parameter(1)", *moved, f"d = s8[64,64] dot(a, w), {ROWS}")


def windows(window: str, size: int) -> str:
    """The greatest byte of each window."""
    region = "greatest {\n  x = s8[] parameter(0)\n  y = s8[] parameter(1)\n  ROOT r = s8[] maximum(x, y)\n}\n\n"
    pool = f"n = s8[1,{size},{size},16] reduce-window(a, i), window={{{window}}}, to_apply=greatest"
    return hlo("a = s8[1,7,7,16] parameter(0)", "i = s8[] constant(-128)", pool).replace("ENTRY", region + "ENTRY")


def splat(name: str, value: int, shape: str) -> Sequence[str]:
    return f"{name}0 = {shape.split('[')[0]}[] constant({value})", f"{name} = {shape} broadcast({name}0), dimensions={{}}"


def requantised(value: str, shape: str, shift: int) -> Sequence[str]:
    """ReLU, a shift to the right, and a limit, as three operators; then the low bytes."""
    dims = shape.removeprefix("s32")
    return (
        *splat("zero", 0, shape), f"relu = {shape} maximum({value}, zero)",
        *splat("by", shift, shape), f"shifted = {shape} shift-right-arithmetic(relu, by)",
        *splat("most", 127, shape), f"limited = {shape} minimum(shifted, most)",
        f"narrow = s8{dims} convert(limited)",
    )  # fmt: skip


def layer(rows: int, depth: int, columns: int) -> str:
    wide = f"s32[{rows},{columns}]"
    return hlo(
        f"a = s8[{rows},{depth}] parameter(0)", f"w = s8[{columns},{depth}] parameter(1)", f"b = s32[{columns}] parameter(2)",
        f"bias = {wide} broadcast(b), dimensions={{1}}", f"d = {wide} dot(a, w), {ROWS}", f"sum = {wide} add(d, bias)", *requantised("sum", wide, 5),
    )  # fmt: skip


def planes() -> str:
    """Sums of 32 bits as four tensors of bytes, the low ones first."""
    shifts = [line for by in (8, 16, 24) for line in (*splat(f"by{by}", by, "s32[16,16]"), f"s{by} = s32[16,16] shift-right-arithmetic(d, by{by})")]
    narrow = [f"n{by} = s8[16,16] convert(s{by})" for by in (8, 16, 24)]
    result = "o = (s8[16,16], s8[16,16], s8[16,16], s8[16,16]) tuple(n0, n8, n16, n24)"
    inputs = ("a = s8[16,16] parameter(0)", "b = s8[16,16] parameter(1)")
    return hlo(*inputs, f"d = s32[16,16] dot(a, b), {ROWS}", "n0 = s8[16,16] convert(d)", *shifts, *narrow, result)


def pool(dtype: str) -> str:
    """The greatest of 2 x 2 neighbours, by strided slices."""
    slices = [f"p{i}{j} = {dtype}[4,4,16] slice(a), slice={{[{i}:{7 + i}:2], [{j}:{7 + j}:2], [0:16]}}" for i in (0, 1) for j in (0, 1)]
    greatest = [f"{name} = {dtype}[4,4,16] maximum({x}, {y})" for name, x, y in (("m0", "p00", "p01"), ("m1", "p10", "p11"), ("m", "m0", "m1"))]
    narrow = [] if dtype == "s8" else ["n = s8[4,4,16] convert(m)"]
    return hlo(f"a = {dtype}[8,8,16] parameter(0)", *slices, *greatest, *narrow)


def convolution(labels: str, window: str, size: int, dtype: str = "s8", after: Sequence[str] = ()) -> str:
    image, weights = "x = s8[1,6,6,16] parameter(0)", "w = s8[3,3,16,16] parameter(1)"
    return hlo(image, weights, *after[:1], f"c = {dtype}[1,{size},{size},16] convolution(x, w), window={{{window}}}, dim_labels={labels}", *after[1:])


WIDE = "s32[1,6,6,16]"
KERNELS = {
    "sum of wide integers": hlo("a = s32[16,16] parameter(0)", "b = s32[16,16] parameter(1)", "e = s32[16,16] add(a, b)", "n = s8[16,16] convert(e)"),
    "sum of bytes": hlo("a = s8[32,48] parameter(0)", "b = s8[32,48] parameter(1)", "n = s8[32,48] add(a, b)"),
    "one row": product(1, 16, 16, ROWS),
    "product": product(16, 16, 16, ROWS),
    "product of several blocks": product(40, 48, 32, ROWS),
    "product with weights by columns": product(16, 16, 32, PLAIN),
    "product of 64": product(64, 64, 64, PLAIN),
    "product of 64 with weights in blocks": blocked(),
    "product with wide results": product(24, 32, 32, ROWS, "s32"),
    "product as bytes of wide sums": planes(),
    "layer": layer(32, 32, 32),
    "limits of bytes": hlo("a = s8[32,32] parameter(0)", "l = s8[] constant(-3)", "h = s8[] constant(100)", "n = s8[32,32] clamp(l, a, h)"),
    "copies": hlo(
        "a = s8[5,32] parameter(0)", "b = s8[7,32] parameter(1)", "c = s8[12,32] concatenate(a, b), dimensions={0}",
        "s = s8[4,32] slice(a), slice={[1:5], [0:32]}", "o = (s8[12,32], s8[4,32], s8[5,32]) tuple(c, s, a)",
    ),
    "pool of bytes": pool("s8"),
    "pool of wide integers": pool("s32"),
    "pool by windows": windows("size=1x3x3x1 stride=1x2x2x1 pad=0_0x1_0x1_0x0_0", 3),
    "convolution": convolution("b01f_01io->b01f", "size=3x3 pad=1_1x1_1", 6),
    "convolution of the inside": convolution("b01f_01oi->b01f", "size=3x3", 4),
    "convolution, bias, ReLU and requantisation": convolution(
        "b01f_01oi->b01f", "size=3x3 pad=1_1x1_1", 6, "s32",
        ("b = s32[16] parameter(2)", f"bias = {WIDE} broadcast(b), dimensions={{3}}", f"sum = {WIDE} add(c, bias)", *requantised("sum", WIDE, 6)),
    ),
}  # fmt: skip
