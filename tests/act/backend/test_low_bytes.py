"""What wraps around on a machine that saturates: low bytes are picked out of wide integers by products."""

import pytest

from act.backend.classes import ENode
from act.backend.compile import compile_module
from act.backend.egraph import EGraph
from act.hlo import parse_module
from act.hlo.model import Shape
from tests.act.backend.backends import ROOT, Backend, backend_of, error_of, hlo, program_of, systolic

SUM = hlo("a = s8[16,16] parameter(0)", "b = s8[16,16] parameter(1)", "c = s8[16,16] add(a, b)")
SMALL = hlo("a = s8[3,5] parameter(0)", "b = s8[3,5] parameter(1)", "c = s8[3,5] subtract(a, b)")
ROW = hlo(
    "a = s32[1,16] parameter(0)", "b = s8[1,16] convert(a)", "c = s8[] constant(3)", "d = s8[1,16] broadcast(c), dimensions={}", "e = s8[1,16] minimum(b, d)"
)
LARGE = hlo("a = s8[40,24] parameter(0)", "b = s8[40,24] parameter(1)", "c = s8[40,24] add(a, b)")
TWICE = hlo(
    "a = s8[16,16] parameter(0)",
    "b = s8[16,16] parameter(1)",
    "c = s8[16,16] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
    "d = s8[16,16] dot(c, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
    "e = s8[16,16] subtract(c, d)",
)
LOADS_AND_STORES = ("mvin", "mvout")


def lifted() -> Backend:
    return backend_of((ROOT / "isas" / "generated" / "gemmini.taidl").read_text())


@pytest.mark.parametrize("text", [SUM, SMALL, ROW, LARGE, TWICE], ids=["sum", "small", "row", "large", "twice"])
@pytest.mark.parametrize("machine", [lifted, systolic])
def test_what_wraps_has_a_program_that_is_right(machine, text: str) -> None:
    assert error_of(machine(), text) is None


def test_no_byte_is_moved_alone() -> None:
    """Sixteen columns would be as many loads and stores."""
    moved = [each for each in program_of(SUM, lifted()).commands if each.instruction.startswith(LOADS_AND_STORES)]
    assert len(moved) == 2 + 1 + 4 + 4 + 1  # operands; the sum; its bytes; what picks them; the result


def test_what_is_known_to_fit_takes_no_detour() -> None:
    text = hlo(
        "a = s8[16,16] parameter(0)", "b = s8[16,16] parameter(1)", "aw = s32[16,16] convert(a)", "bw = s32[16,16] convert(b)",
        "s = s32[16,16] add(aw, bw)", "l = s32[] constant(-128)", "h = s32[] constant(127)", "k = s32[16,16] clamp(l, s, h)", "c = s8[16,16] convert(k)",
    )  # fmt: skip
    compiled = compile_module(lifted(), parse_module(text))
    assert not any(node.opcode == "bitcast-convert" for _, node in compiled.graph)


def test_what_was_not_cut_before_need_not_be() -> None:
    """Of a + b + c only the result is cut."""
    sums = ["a", "b", "c"]
    text = hlo(*(f"{name} = s8[16,16] parameter({number})" for number, name in enumerate(sums)), "d = s8[16,16] add(a, b)", "e = s8[16,16] add(d, c)")
    stores = [each for each in program_of(text, lifted()).commands if each.instruction == "mvout_accumulator_read_full_acc_row"]
    assert len(stores) == 1


def test_a_held_sum_is_kept_however_many_shorter_ones_there_are() -> None:
    graph = EGraph()
    shape = Shape("s32", (2, 2))
    inputs = [graph.add(ENode("parameter", (("number", number),), shape)) for number in range(12)]
    held = graph.add(ENode("sum", (), shape, tuple(inputs[:3])))
    graph.hold(held)
    for first, second in zip(inputs[::2], inputs[1::2], strict=True):
        graph.union(held, graph.add(ENode("sum", (), shape, (first, second))))
    graph.rebuild()
    assert tuple(inputs[:3]) in [node.children for node in graph.freeze([held]).nodes(graph.find(held), "sum")]
