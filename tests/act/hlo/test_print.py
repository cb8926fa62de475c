"""parse(print(x)) == x, and printing is canonical."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from act.hlo import parse_body, parse_module, print_body, print_module

KERNEL = """
region { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] add(x, y) }
inner { p = f32[4,6] parameter(0) ROOT q = f32[4,6] negate(p) }
ENTRY main {
  a = f32[4,6] parameter(0)
  b = f32[4,6] call(a), to_apply=inner
  f = f32[4,6] fusion(b), kind=kLoop, calls=inner
  zero = f32[] constant(-1e-05)
  c = f32[9,6] pad(f, zero), padding=1_1_1x0_0
  d = f32[2,3] slice(c), slice={[0:2], [0:6:2]}
  e = f32[2] reduce(d, zero), dimensions={1}, to_apply=region
  g = f32[2,4] broadcast(e), dimensions={0}
  h = f32[2,8] concatenate(g, g), dimensions={1}
  i = s32[2,8] iota(), iota_dimension=1
  j = f32[2,8] convert(i)
  k = pred[2,8] compare(h, j), direction=LE
  m = f32[2,8] select(k, h, j)
  t = (f32[2,8], f32[2]) tuple(m, e)
  n = f32[2,8] get-tuple-element(t), index=0
  o = f32[2,2] dot(n, m), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  ROOT r = f32[2,2] reverse(o), dimensions={0}
}
"""


@dataclass(frozen=True)
class Symbol:
    text: str


def test_a_module_survives_printing():
    module = parse_module(KERNEL)
    assert parse_module(print_module(module)) == module


def test_printed_text_is_what_it_prints_as():
    text = print_module(parse_module(KERNEL))
    assert print_module(parse_module(text)) == text


def test_printed_text(golden):
    golden("golden/kernel.hlo", print_module(parse_module(KERNEL)))


def test_a_body_survives_printing():
    body = "%x = s8[`m`, 4] parameter(0)\n%z = s8[] constant(`c`)\n%p = s8[16, 4] pad(%x, %z), padding=0_`16 - m`x0_0\n"
    body += "ROOT %y = s8[16] reduce(%p, %z), dimensions={1}, to_apply=add"
    assert print_body(parse_body(body, lambda text, location: Symbol(text)), lambda symbol: symbol.text) == body


@pytest.mark.parametrize("path", sorted(Path("examples/kernels").glob("*.hlo")), ids=lambda path: path.stem)
def test_the_examples_survive_printing(path):
    module = parse_module(path.read_text(), str(path))
    assert parse_module(print_module(module)) == module
