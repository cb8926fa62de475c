"""Integer expressions: text, normal form and ranges agree with evaluation, for random expressions."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from act.errors import UserError
from act.taidl import Binary, Choice, Expr, ExprError, Int, Name, Unary, conjuncts, equal, evaluate, names, parse_expr, print_expr, simplify, substitute
from act.taidl.bounds import Range, always, bounds, never, refine
from act.taidl.compiled import compiled

NAMES = ("a", "b", "c")
OPERATORS = "+ - * / % << >> & | min max == != < <= > >= and or".split()
SHIFTS = ("<<", ">>")


def _operator(draw: st.DrawFn, inner: st.SearchStrategy[Expr]) -> Expr:
    op = draw(st.sampled_from(OPERATORS))
    right = st.integers(0, 5).map(Int) if op in SHIFTS else inner
    return Binary(op, draw(inner), draw(right))  # type: ignore[arg-type]


def expressions() -> st.SearchStrategy[Expr]:
    leaves = st.integers(-20, 20).map(Int) | st.sampled_from(NAMES).map(Name)

    def grow(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
        binary = st.composite(_operator)(inner)
        return binary | st.builds(Unary, st.sampled_from(["-", "not"]), inner) | st.builds(Choice, inner, inner, inner)

    return st.recursive(leaves, grow, max_leaves=8)


@st.composite
def values_in_ranges(draw: st.DrawFn) -> tuple[dict[str, int], dict[str, Range]]:
    values = {name: draw(st.integers(-15, 15)) for name in NAMES}
    ranges = {name: Range(value - draw(st.integers(0, 4)), value + draw(st.integers(0, 4))) for name, value in values.items()}
    return values, ranges


def value(expr: Expr, values: dict[str, int]) -> int:
    try:
        return evaluate(expr, values)
    except ExprError:
        assume(False)
        raise


def holds(number: int, limits: Range) -> bool:
    return (limits.low is None or limits.low <= number) and (limits.high is None or number <= limits.high)


@given(expressions())
def test_printed_text_parses_to_the_same_expression(expr: Expr) -> None:
    assert parse_expr(print_expr(expr)) == expr


@given(expressions(), values_in_ranges())
def test_normal_form_has_the_same_value(expr: Expr, given_values: tuple[dict[str, int], dict[str, Range]]) -> None:
    assert evaluate(simplify(expr), given_values[0]) == value(expr, given_values[0])


@given(expressions(), values_in_ranges())
def test_value_is_within_the_bounds(expr: Expr, given_values: tuple[dict[str, int], dict[str, Range]]) -> None:
    values, ranges = given_values
    assert holds(value(expr, values), bounds(expr, ranges))


@given(expressions(), values_in_ranges())
def test_refined_ranges_keep_all_values_that_satisfy_the_condition(condition: Expr, given_values: tuple[dict[str, int], dict[str, Range]]) -> None:
    values, ranges = given_values
    assume(value(condition, values) != 0)
    assert all(holds(values[name], limits) for name, limits in refine(ranges, [condition]).items())


@given(expressions(), values_in_ranges())
def test_always_and_never_are_right(condition: Expr, given_values: tuple[dict[str, int], dict[str, Range]]) -> None:
    values, ranges = given_values
    truth = value(condition, values) != 0
    assert truth or not always(condition, ranges)
    assert not truth or not never(condition, ranges)


@given(expressions(), expressions(), values_in_ranges())
def test_substitution_is_evaluation_with_the_value_put_in(expr: Expr, replacement: Expr, given_values: tuple[dict[str, int], dict[str, Range]]) -> None:
    values, _ = given_values
    inner = value(replacement, values)
    assert value(substitute(expr, {"a": replacement}), values) == value(expr, {**values, "a": inner})


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("2 * (i + 1) - i", "i + 2"),
        ("(16 * q + 3) / 16", "q"),
        ("(16 * q + i) % 16", "i % 16"),
        ("(17 * q + 40) / 16", "(q + 8) / 16 + q + 2"),
        ("(17 * q + 40) % 16", "(q + 8) % 16"),
        ("1 - (1 - x)", "x"),
        ("j % 1", "0"),
        ("x << 3", "8 * x"),
        ("a * b - b * a", "0"),
        ("min(x, x + 1)", "x"),
        ("not a < b", "a >= b"),
        ("x if 1 < 2 else y", "x"),
    ],
)
def test_normal_forms(text: str, normal: str) -> None:
    assert print_expr(simplify(parse_expr(text))) == normal


@given(st.tuples(*[st.integers(-40, 40)] * 3), st.integers(1, 20), st.sampled_from(["/", "%"]), values_in_ranges())
def test_normal_form_of_divided_sums(counts: tuple[int, int, int], divisor: int, op: str, given_values: tuple[dict[str, int], dict[str, Range]]) -> None:
    expr = parse_expr(f"({counts[0]} * a + {counts[1]} * b + {counts[2]}) {op} {divisor}")
    assert evaluate(simplify(expr), given_values[0]) == evaluate(expr, given_values[0])


def test_equal_polynomials_are_recognised() -> None:
    assert equal(parse_expr("(a + b) * (a - b)"), parse_expr("a * a - b * b"))
    assert not equal(parse_expr("a / 2 * 2"), parse_expr("a"))


def test_conditions_narrow_ranges() -> None:
    found = refine({"rows": Range(0, 65535), "addr": Range(0, 255)}, [parse_expr("rows > 0 and rows <= 16 and addr != 0 and 2 * addr < 100")])
    assert found == {"rows": Range(1, 16), "addr": Range(1, 49)}


def test_a_chain_of_comparisons_is_their_conjunction() -> None:
    assert parse_expr("1 <= a < b") == parse_expr("1 <= a and a < b")
    assert [print_expr(part) for part in conjuncts(parse_expr("1 <= a < b and c != 0"))] == ["1 <= a", "a < b", "c != 0"]


def test_large_integers_are_printed_in_hexadecimal() -> None:
    assert print_expr(parse_expr("4294967295 + 65535")) == "0xffffffff + 65535"


def test_names_are_those_that_occur() -> None:
    assert names(parse_expr("a + b / 2 if c == 1 else 0")) == {"a", "b", "c"}


@pytest.mark.parametrize("text", ["1 / 0", "1 % 0", "1 << -1", "1 << 5000", "x"])
def test_expressions_without_a_value(text: str) -> None:
    with pytest.raises(ExprError):
        evaluate(parse_expr(text), {})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a +", "e:1:4: error: expected an expression, found end of file"),
        ("a b", "e:1:3: error: expected an operator or the end of the expression, found 'b'"),
        ("min(a)", "e:1:6: error: expected ',', found ')'\n  min takes two operands or more"),
        ("a if b", "e:1:7: error: expected 'else', found end of file"),
        ("012", "e:1:1: error: expected an integer, found '012'\n  decimal numbers do not start with 0"),
    ],
)
def test_errors_say_where_and_what(text: str, message: str) -> None:
    with pytest.raises(UserError) as error:
        parse_expr(text, "e")
    assert str(error.value) == message


@given(expressions(), values_in_ranges())
def test_compiled_functions_give_what_evaluation_gives(expr: Expr, given_values: tuple[dict[str, int], dict[str, Range]]) -> None:
    try:
        expected: int | str = evaluate(expr, given_values[0])
    except ExprError:
        expected = "no value"
    try:
        found: int | str = compiled(expr)(given_values[0])
    except ExprError:
        found = "no value"
    assert found == expected


def test_quotients_narrow_ranges() -> None:
    wide = {"a": Range(0, 255)}
    for text, limits in (("a / 16 == 3", (48, 63)), ("a / 16 < 3", (0, 47)), ("a / 16 <= 3", (0, 63)), ("a / 16 > 3", (64, 255)), ("a / 16 >= 3", (48, 255))):
        assert refine(wide, [parse_expr(text)]) == {"a": Range(*limits)}
