"""Nodes are shared, constants folded and bits routed; everything is checked against evaluation."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from lift.netlist.builder import Builder
from lift.netlist.fold import EVALUATE, evaluate
from lift.netlist.model import OPERATORS, Node


def value(node: Node, inputs: dict[str, int]) -> int:
    """`node` by direct evaluation."""
    match node.op, node.attr:
        case "const", int(constant):
            return constant
        case "input", str(name):
            return inputs[name]
        case "extract", int(low):
            return value(node.args[0], inputs) >> low & ((1 << node.width) - 1)
        case "mux", _:
            return value(node.args[1 if value(node.args[0], inputs) else 2], inputs)
        case "concat", _:
            total = 0
            for part in node.args:
                total = total << part.width | value(part, inputs)
            return total
    result = evaluate(node.op, node.width, node.args[0].width, [value(a, inputs) for a in node.args])
    assert result is not None
    return result


def test_every_operator_with_operands_is_evaluated() -> None:
    leaves_and_routing = {"const", "input", "reg", "memread", "undef", "mux", "concat", "extract"}
    assert set(EVALUATE) == OPERATORS - leaves_and_routing


def test_equal_nodes_are_one_object() -> None:
    b = Builder()
    x = b.intern("input", 4, (), "x")
    assert b.op("add", x, b.const(1, 4)) is b.op("add", x, b.const(1, 4))


def test_undefined_bits_are_not_folded() -> None:
    b = Builder()
    assert b.op("add", b.const(1, 4), b.const(0, 4, 0b0010)).op == "add"


def test_division_by_zero_is_undefined() -> None:
    b = Builder()
    assert b.op("udiv", b.const(7, 4), b.const(0, 4)).xmask == 0b1111


def test_label_survives_extension_only_with_its_value() -> None:
    b = Builder()
    constant = b.const(5, 4, 0, "RUN")
    assert b.extend(constant, 8, False).label == "RUN"
    assert b.extract(constant, 1, 3).label is None


def test_neighbouring_extracts_join() -> None:
    b = Builder()
    x = b.intern("input", 8, (), "x")
    assert b.concat([b.extract(x, 4, 4), b.extract(x, 0, 4)]) is x


@settings(max_examples=60)
@given(st.integers(0, 255), st.integers(0, 15), st.data())
def test_routing_keeps_values(x: int, y: int, data: st.DataObject) -> None:
    b = Builder()
    inputs, a, c = {"x": x, "y": y}, b.intern("input", 8, (), "x"), b.intern("input", 4, (), "y")
    sign = data.draw(st.booleans())
    parts = [a, b.extend(c, data.draw(st.integers(4, 9)), sign), b.const(data.draw(st.integers(0, 7)), 3), b.extract(a, 2, 5), c]
    chosen = data.draw(st.lists(st.sampled_from(parts), min_size=1, max_size=5))
    whole = b.concat(chosen)
    low = data.draw(st.integers(0, whole.width - 1))
    width = data.draw(st.integers(1, whole.width - low))
    expected = 0
    for part in chosen:
        expected = expected << part.width | value(part, inputs)
    assert value(whole, inputs) == expected
    assert value(b.extract(whole, low, width), inputs) == expected >> low & ((1 << width) - 1)


@given(st.sampled_from(sorted(set(EVALUATE) - {"zext", "sext"})), st.integers(1, 9), st.integers(0, 511), st.integers(0, 511))
def test_folding_equals_evaluation(op: str, width: int, x: int, y: int) -> None:
    b = Builder()
    unary = op in ("not", "neg", "redor", "redand", "redxor")
    variables = [b.intern("input", width, (), n) for n in "xy"][: 1 if unary else 2]
    inputs = {"x": x & ((1 << width) - 1), "y": y & ((1 << width) - 1)}
    constants = [b.const(inputs[n], width) for n in "xy"][: len(variables)]
    folded = b.op(op, *constants)
    if not folded.xmask:
        assert folded.attr == value(b.op(op, *variables), inputs)


def test_a_choice_of_constants_that_is_cut_is_a_choice_of_narrow_ones() -> None:
    b = Builder()
    condition, other = b.intern("input", 1, (), "c"), b.intern("input", 1, (), "d")
    state = b.extend(b.intern("reg", 3, (), "state"), 32, sign=False)
    chosen = b.mux(condition, b.const(4, 32), b.mux(other, state, b.const(1, 32)))
    cut = b.extract(chosen, 0, 3)
    assert cut.op == "mux"
    assert [a.op for a in cut.args[1:]] == ["const", "mux"]
    assert cut.args[2].args[1] is state.args[0]


def test_a_choice_of_whole_words_is_cut_as_it_stands() -> None:
    b = Builder()
    condition, word = b.intern("input", 1, (), "c"), b.intern("input", 32, (), "w")
    assert b.extract(b.mux(condition, word, b.const(1, 32)), 0, 3).op == "extract"
