"""Loads with different strides use different banks, so that registers are set once."""

from act.backend.compile import compile_module
from act.hlo import parse_module
from tests.act.backend.backends import SYSTOLIC, backend_of, hlo, systolic

KERNEL = hlo(
    "a = s8[64,48] parameter(0)",
    "b = s8[48,32] parameter(1)",
    "d = s32[64,32] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
)


def settings(backend) -> list[dict[str, int]]:
    operations = compile_module(backend, parse_module(KERNEL)).operations
    return [dict(operation.attributes) for operation in operations if operation.name == "config_ld"]


def test_every_stride_is_set_once():
    assert sorted(each["stride"] for each in settings(systolic())) == [32, 48]


def test_one_bank_is_set_again_and_again():
    text = SYSTOLIC.read_text()
    second = text[text.index("instruction mvin2") : text.index("instruction mvin_acc(")]
    assert len(settings(backend_of(text.replace(second, "")))) > 2
