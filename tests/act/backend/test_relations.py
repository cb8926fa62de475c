"""Instructions whose addresses depend on each other: one attribute for several operands, conditions over several attributes."""

import pytest

from act.backend.compile import compile_module
from act.backend.verify import disagreement
from act.errors import UserError
from act.hlo import parse_module
from tests.act.backend.backends import backend_of, hlo
from tests.act.backend.test_banks import BANKED

FLAT = BANKED.replace("bank : s32[3, 8][4]", "bank : s32[32][4]\nbuffer side : s32[32][4]")
for old, new in (
    ("addr, where, row)", "addr, row)"), ("wa, ra, wb, rb, wc, rc", "ra, rb, rc"), ("where, row + i", "row + i"),
    ("wa, ra", "ra"), ("wb, rb", "rb"), ("wc, rc", "rc"),
):  # fmt: skip
    FLAT = FLAT.replace(old, new)
SUM = hlo("a = s32[4,4] parameter(0)", "b = s32[4,4] parameter(1)", "c = s32[4,4] parameter(2)", "ab = s32[4,4] add(a, b)", "abc = s32[4,4] add(ab, c)")


def rows(text: str) -> list[dict[str, int]]:
    """The addresses of the additions of a program that is right."""
    backend, module = backend_of(text), parse_module(SUM)
    compiled = compile_module(backend, module)
    assert disagreement(backend.accelerator, module, compiled.program, rounds=1) is None
    return [dict(operation.attributes) for operation in compiled.operations if operation.name == "add"]


@pytest.mark.parametrize("condition", ["rb == ra + 8", "rc < ra and rc < rb", "ra != 0 and rb != 0 and rc != 0", "ra + rb == 20", "rc == 2 * ra + 1"])
def test_conditions_over_several_addresses_are_kept(condition):
    found = rows(FLAT.replace("  read    %a", f"  when    {condition}\n  read    %a"))
    names = ("ra", "rb", "rc")
    assert found and all(eval(condition, {name: each[name] for name in names}) for each in found)


def test_conditions_that_are_not_linear_are_tried():
    found = rows(FLAT.replace("  read    %a", "  when    (ra / 4 + rb / 4) % 2 == 1\n  read    %a"))
    assert all((each["ra"] // 4 + each["rb"] // 4) % 2 == 1 for each in found)


def test_one_attribute_for_operands_in_two_memories():
    text = FLAT.replace("add(rows | ra, rb, rc)", "add(rows | ra, rc)").replace("bank[rb + i]", "side[ra + i]")
    load = FLAT[FLAT.index("instruction load") : FLAT.index("instruction add")].replace("load(", "load_side(").replace("bank[", "side[")
    found = rows(text.replace("instruction add", f"{load}instruction add"))
    assert len(found) == 2


def test_what_cannot_be_addressed_together_is_refused():
    with pytest.raises(UserError) as error:
        compile_module(backend_of(FLAT.replace("  read    %a", "  when    ra == rb + 1\n  read    %a")), parse_module(SUM))
    assert "no room: no places were found that add can address together" in str(error.value)
