"""A machine that works on vectors of floats, sums them to single numbers, and spreads these: kernels as jax prints them."""

from pathlib import Path

import pytest

from act.backend.compile import compile_module
from act.backend.verify import disagreement
from act.errors import UserError
from act.hlo import parse_module
from act.taidl.verify import load
from tests.act.backend.backends import backend_of, hlo

ROWS = (Path(__file__).parent / "machines" / "rows.taidl").read_text()
REGIONS = "".join(f"{name} {{\n  p = f32[] parameter(0)\n  q = f32[] parameter(1)\n  ROOT r = f32[] {name}(p, q)\n}}\n\n" for name in ("maximum", "add"))
LEAST, ZERO = "least = f32[] constant(-inf)", "zero = f32[] constant(0)"


def kernel(*lines: str) -> str:
    return hlo(*lines).replace("ENTRY", f"{REGIONS}ENTRY")


def issued(text: str) -> list[str]:
    """The instructions of a program that is right."""
    load(ROWS)
    backend, module = backend_of(ROWS), parse_module(text)
    program = compile_module(backend, module).program
    assert disagreement(backend.accelerator, module, program) is None
    return [command.instruction for command in program.commands]


def kept(name: str, source: str, dims: str) -> list[str]:
    """A reduced tensor with the dimension of size 1 in its place, and spread over all of `dims`, as `keepdims=True` is printed."""
    outer = dims.rpartition(",")[0]
    axes = ",".join(str(axis) for axis in range(outer.count(",") + 1))
    return [
        f"{name}.1 = f32[{outer},1] reshape({source})",
        f"{name}.2 = f32[{outer},1] broadcast({name}.1), dimensions={{{axes},{outer.count(',') + 1}}}",
        f"{name}.3 = f32[{outer}] reshape({name}.2)",
        f"{name} = f32[{dims}] broadcast({name}.3), dimensions={{{axes}}}",
    ]


def reduced(name: str, kind: str, source: str, dims: str) -> str:
    outer, start = dims.rpartition(",")[0], "least" if kind == "maximum" else "zero"
    return f"{name} = f32[{outer}] reduce({source}, {start}), dimensions={{{dims.count(',')}}}, to_apply={kind}"


def softmax(dims: str) -> str:
    return kernel(
        f"x = f32[{dims}] parameter(0)", LEAST, ZERO, reduced("m", "maximum", "x", dims), *kept("mb", "m", dims), f"d = f32[{dims}] subtract(x, mb)",
        f"e = f32[{dims}] exponential(d)", reduced("s", "add", "e", dims), *kept("sb", "s", dims), f"o = f32[{dims}] divide(e, sb)",
    )  # fmt: skip


@pytest.mark.parametrize(("dims", "rows"), [("4,16", 4), ("1,2,3,8", 6), ("1,64", 1)])
def test_softmax_is_done_row_by_row(dims, rows):
    found = issued(softmax(dims))
    counts = {"greatest": rows, "spread": 2 * rows, "subtract": rows, "exp": rows, "total": rows, "divide": rows}
    assert {name: found.count(name) for name in counts} == counts


def test_layernorm_is_done_row_by_row():
    one = [f"n{axis} = f32[4,1] broadcast(c{axis}), dimensions={{}}" for axis in (0, 1)]
    scaled = [line for name in ("g", "h") for line in (f"{name}1 = f32[1,16] reshape({name})", f"{name}2 = f32[16] reshape({name}1)")]
    found = issued(
        kernel(
            "x = f32[4,16] parameter(0)", "g = f32[16] parameter(1)", "h = f32[16] parameter(2)", ZERO, "c0 = f32[] constant(16)", "c1 = f32[] constant(1e-05)",
            *one, reduced("s", "add", "x", "4,16"), "s1 = f32[4,1] reshape(s)", "m = f32[4,1] divide(s1, n0)", "m1 = f32[4] reshape(m)",
            "mb = f32[4,16] broadcast(m1), dimensions={0}", "d = f32[4,16] subtract(x, mb)", "q = f32[4,16] multiply(d, d)", reduced("v", "add", "q", "4,16"),
            "v1 = f32[4,1] reshape(v)", "v2 = f32[4,1] divide(v1, n0)", "v3 = f32[4,1] add(v2, n1)", "r = f32[4,1] rsqrt(v3)", "r1 = f32[4] reshape(r)",
            "rb = f32[4,16] broadcast(r1), dimensions={0}", "y = f32[4,16] multiply(d, rb)", *scaled, "gb = f32[4,16] broadcast(g2), dimensions={1}",
            "hb = f32[4,16] broadcast(h2), dimensions={1}", "z = f32[4,16] multiply(y, gb)", "o = f32[4,16] add(z, hb)",
        )
    )  # fmt: skip
    assert [found.count(name) for name in ("total", "spread", "rsqrt", "multiply")] == [8, 8, 4, 12]


@pytest.mark.parametrize(
    "lines",
    [
        ("x = f32[4,16] parameter(0)", ZERO, reduced("s", "add", "x", "4,16")),
        ("x = f32[16] parameter(0)", ZERO, "s = f32[] reduce(x, zero), dimensions={0}, to_apply=add"),
        ("x = f32[2,3,16] parameter(0)", ZERO, "s = f32[2] reduce(x, zero), dimensions={1,2}, to_apply=add"),
        ("x = f32[3,100] parameter(0)", LEAST, reduced("s", "maximum", "x", "3,100")),
        ("x = f32[5,16] parameter(0)", LEAST, "s = f32[16] reduce(x, least), dimensions={0}, to_apply=maximum"),
        ("x = f32[4,16] parameter(0)", "g = f32[] parameter(1)", "gb = f32[4,16] broadcast(g), dimensions={}", "o = f32[4,16] multiply(x, gb)"),
        ("x = f32[1,4,6,4] parameter(0)", LEAST, "o = f32[1,2,3,4] reduce-window(x, least), window={size=1x2x2x1 stride=1x2x2x1}, to_apply=maximum"),
        ("x = f32[1,5,3] parameter(0)", LEAST, "o = f32[1,3,3] reduce-window(x, least), window={size=1x3x1 stride=1x2x1 pad=0_0x1_1x0_0}, to_apply=maximum"),
    ],
    ids=["rows", "a vector", "two dimensions", "long rows", "columns", "a scale", "pool", "pool with edges"],
)
def test_reductions_and_windows_of_floats(lines):
    assert issued(kernel(*lines))


@pytest.mark.parametrize(
    "lines",
    [
        ("x = f32[3,100] parameter(0)", ZERO, reduced("s", "add", "x", "3,100")),
        ("x = f32[5,16] parameter(0)", ZERO, "s = f32[16] reduce(x, zero), dimensions={0}, to_apply=add"),
        ("x = f32[4,4] parameter(0)", ZERO, "o = f32[2,2] reduce-window(x, zero), window={size=2x2 stride=2x2}, to_apply=add"),
    ],
    ids=["long rows", "columns", "windows"],
)
def test_sums_of_floats_are_not_taken_apart(lines):
    with pytest.raises(UserError, match="float sums are not reordered"):
        issued(kernel(*lines))
