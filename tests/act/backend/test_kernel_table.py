"""scripts/kernel_table.py: what may wrap, and what that means on two instruction sets."""

import importlib.util
import sys

import pytest

from act.hlo import parse_module
from tests.act.backend.backends import ROOT, SYSTOLIC, hlo
from tests.act.backend.wrapping import composite

SPEC = importlib.util.spec_from_file_location("kernel_table", ROOT / "scripts" / "kernel_table.py")
kernel_table = importlib.util.module_from_spec(SPEC)
sys.modules["kernel_table"] = kernel_table
SPEC.loader.exec_module(kernel_table)

LIMITED = ("a = s8[4,4] parameter(0)", "l = s8[] constant(-10)", "h = s8[] constant(9)", "c = s8[4,4] clamp(l, a, h)")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (composite("A + B"), "add 'v2'"),
        (hlo(*LIMITED), None),
        (hlo(*LIMITED, "d = s8[4,4] add(c, c)"), None),
        (hlo(*LIMITED, "d = s8[4,4] multiply(c, c)"), None),
        (hlo(*LIMITED, "d = s8[4,4] multiply(c, c)", "e = s8[4,4] add(d, d)"), "add 'e'"),
    ],
)
def test_what_may_wrap(text, found):
    assert kernel_table.first_that_wraps(parse_module(text)) == found


def test_a_table(tmp_path):
    (tmp_path / "sum.hlo").write_text(composite("A + B"))
    (tmp_path / "limit.hlo").write_text(hlo(*LIMITED))
    (tmp_path / "product.hlo").write_text(hlo("a = s8[9,9] parameter(0)", "b = s8[9,9] parameter(1)", "c = s8[9,9] multiply(a, b)"))
    found = list(kernel_table.rows(sorted(tmp_path.glob("*.hlo")), ROOT / "isas" / "reference" / "gemmini.taidl", SYSTOLIC))
    verdicts = [(row.kernel, row.cells()[3].partition(":")[0].endswith("equal"), row.cells()[4]) for row in found]
    assert verdicts == [("limit", True, "right, as it is"), ("product", False, ""), ("sum", True, "right, through low bytes")]
    assert list(kernel_table.table(iter(found)))[-1].endswith("2 have a right program on the model; 1 are right on hardware as they are, 1 through low bytes.")


def test_a_crash_is_told(tmp_path, monkeypatch):
    def wrong(*_):
        raise AssertionError("no proof")

    (tmp_path / "limit.hlo").write_text(hlo(*LIMITED))
    monkeypatch.setattr(kernel_table, "compile_module", wrong)
    (row,) = kernel_table.rows(tmp_path.glob("*.hlo"), SYSTOLIC, SYSTOLIC)
    assert row.cells()[3] == "crashed: no proof"
    assert list(kernel_table.table(iter([row])))[-1] == "1 are wrong, or crashed the compiler."


@pytest.mark.parametrize(("found", "status"), [("crashed: no proof", 4), ("wrong: case zeros", 4), ("refused: floats", 0), (3, 0)])
def test_the_exit_status_tells_what_is_wrong(tmp_path, monkeypatch, found, status):
    (tmp_path / "limit.hlo").write_text(hlo(*LIMITED))
    monkeypatch.setattr(kernel_table, "outcome", lambda *_: found)
    monkeypatch.setattr("sys.argv", ["kernel_table.py", str(tmp_path), "--model", str(SYSTOLIC), "--real", str(SYSTOLIC)])
    with pytest.raises(SystemExit) as ended:
        kernel_table.main()
    assert ended.value.code == status
