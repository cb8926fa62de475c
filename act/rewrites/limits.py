"""Maxima, minima, comparisons and selections.  Those that need a total order are for integers: NaN and the zeros of floats have none.

Before --> after:  `select(compare.GT(x, y), x, y)` --> `maximum(x, y)`,  `compare.EQ(subtract(x, y), 0)` --> `compare.EQ(x, y)`
"""

from __future__ import annotations

from act.rewrites.model import Rewrite
from act.rewrites.pattern import identity

_LIMITS = (
    ("maximum_of_itself", "any", "maximum(x, x) = x"),
    ("minimum_of_itself", "any", "minimum(x, x) = x"),
    ("maximum_absorbs", "bits", "maximum(x, minimum(x, y)) = x"),
    ("minimum_absorbs", "bits", "minimum(x, maximum(x, y)) = x"),
    ("maximum_again", "bits", "maximum(maximum(x, y), y) = maximum(x, y)"),
    ("minimum_again", "bits", "minimum(minimum(x, y), y) = minimum(x, y)"),
    ("maximum_with_least", "integers", "maximum(x, LEAST) = x"),
    ("maximum_with_greatest", "integers", "maximum(x, GREATEST) = GREATEST"),
    ("minimum_with_greatest", "integers", "minimum(x, GREATEST) = x"),
    ("minimum_with_least", "integers", "minimum(x, LEAST) = LEAST"),
    ("maximum_of_nots", "integers", "maximum(not(x), not(y)) = not(minimum(x, y))"),
    ("minimum_of_nots", "integers", "minimum(not(x), not(y)) = not(maximum(x, y))"),
    ("maximum_of_minima", "integers", "maximum(minimum(x, y), minimum(x, z)) = minimum(x, maximum(y, z))"),
    ("minimum_of_maxima", "integers", "minimum(maximum(x, y), maximum(x, z)) = maximum(x, minimum(y, z))"),
    ("maximum_of_limits", "integers", "maximum(maximum(x, y), minimum(x, y)) = maximum(x, y)"),
    ("clamp_to_one_value", "bits", "clamp(x, y, x) = x"),
    ("clamp_again", "integers", "clamp(x, clamp(x, y, z), z) = clamp(x, y, z)"),
)
_ORDER = tuple(
    (f"compare_{way.lower()}_itself", types, f"compare.{way}(x, x) = {value}")
    for way, types, value in (
        ("EQ", "bits", "true"), ("LE", "bits", "true"), ("GE", "bits", "true"), ("NE", "bits", "false"), ("LT", "any", "false"), ("GT", "any", "false"),
    )
)  # fmt: skip
_COMPARISONS = (
    ("greater_is_less", "any", "compare.GT(x, y) = compare.LT(y, x)"),
    ("greater_or_equal_is_less_or_equal", "any", "compare.GE(x, y) = compare.LE(y, x)"),
    ("less_is_greater", "any", "compare.LT(x, y) = compare.GT(y, x)"),
    ("less_or_equal_is_greater_or_equal", "any", "compare.LE(x, y) = compare.GE(y, x)"),
    ("not_of_equal", "any", "not(compare.EQ(x, y)) = compare.NE(x, y)"),
    ("not_of_unequal", "any", "not(compare.NE(x, y)) = compare.EQ(x, y)"),
    ("not_of_less", "integers", "not(compare.LT(x, y)) = compare.GE(x, y)"),
    ("not_of_less_or_equal", "integers", "not(compare.LE(x, y)) = compare.GT(x, y)"),
    ("not_of_greater", "integers", "not(compare.GT(x, y)) = compare.LE(x, y)"),
    ("not_of_greater_or_equal", "integers", "not(compare.GE(x, y)) = compare.LT(x, y)"),
    ("equal_difference", "integers", "compare.EQ(subtract(x, y), 0) = compare.EQ(x, y)"),
    ("unequal_difference", "integers", "compare.NE(subtract(x, y), 0) = compare.NE(x, y)"),
    ("equal_bits", "integers", "compare.EQ(xor(x, y), 0) = compare.EQ(x, y)"),
    ("unequal_bits", "integers", "compare.NE(xor(x, y), 0) = compare.NE(x, y)"),
    ("equal_sum", "integers", "compare.EQ(sum(x, y), x) = compare.EQ(y, 0)"),
    ("equal_negates", "numbers", "compare.EQ(negate(x), negate(y)) = compare.EQ(x, y)"),
    ("less_of_nots", "integers", "compare.LT(not(x), not(y)) = compare.LT(y, x)"),
    ("less_of_negates", "floats", "compare.LT(negate(x), negate(y)) = compare.LT(y, x)"),
    ("less_than_one", "unsigned", "compare.LT(x, 1) = compare.EQ(x, 0)"),
    ("greater_than_nothing", "unsigned", "compare.GT(x, 0) = compare.NE(x, 0)"),
    ("not_below_limit", "integers", "compare.GE(maximum(x, y), x) = true"),
    ("not_above_limit", "integers", "compare.LE(minimum(x, y), x) = true"),
    ("equal_to_true", "pred", "compare.EQ(x, true) = x"),
    ("equal_to_false", "pred", "compare.EQ(x, false) = not(x)"),
    ("unequal_to_true", "pred", "compare.NE(x, true) = not(x)"),
    ("unequal_to_false", "pred", "compare.NE(x, false) = x"),
    ("unequal_predicates", "pred", "compare.NE(x, y) = xor(x, y)"),
    ("equal_predicates", "pred", "compare.EQ(x, y) = not(xor(x, y))"),
    ("less_of_predicates", "pred", "compare.LT(x, y) = and(not(x), y)"),
    ("less_or_equal_of_predicates", "pred", "compare.LE(x, y) = or(not(x), y)"),
    ("or_of_less_and_equal", "integers", "or(compare.LT(x, y), compare.EQ(x, y)) = compare.LE(x, y)"),
    ("and_of_both_orders", "integers", "and(compare.LE(x, y), compare.LE(y, x)) = compare.EQ(x, y)"),
    ("minimum_below", "integers", "and(compare.LT(x, z), compare.LT(y, z)) = compare.LT(maximum(x, y), z)"),
)
_SELECTIONS = (
    ("select_true", "any", "select(true, x, y) = x"),
    ("select_false", "any", "select(false, x, y) = y"),
    ("select_of_the_same", "any", "select(p, x, x) = x"),
    ("select_of_not", "any", "select(not(p), x, y) = select(p, y, x)"),
    ("select_true_or_false", "pred", "select(p, true, false) = p"),
    ("select_false_or_true", "pred", "select(p, false, true) = not(p)"),
    ("select_or_false", "pred", "select(p, x, false) = and(p, x)"),
    ("select_true_or", "pred", "select(p, true, x) = or(p, x)"),
    ("select_or_true", "pred", "select(p, x, true) = or(not(p), x)"),
    ("select_false_or", "pred", "select(p, false, x) = and(not(p), x)"),
    ("select_then_again", "any", "select(p, select(p, x, y), z) = select(p, x, z)"),
    ("select_else_again", "any", "select(p, x, select(p, y, z)) = select(p, x, z)"),
    ("select_of_either", "any", "select(p, x, select(q, x, y)) = select(or(p, q), x, y)"),
    ("select_of_both", "any", "select(p, select(q, x, y), y) = select(and(p, q), x, y)"),
    ("select_of_negates", "numbers", "select(p, negate(x), negate(y)) = negate(select(p, x, y))"),
    ("select_of_nots", "bits", "select(p, not(x), not(y)) = not(select(p, x, y))"),
    ("select_of_sums", "integers", "select(p, sum(x, z), sum(y, z)) = sum(select(p, x, y), z)"),
    ("select_of_products", "numbers", "select(p, multiply(x, z), multiply(y, z)) = multiply(select(p, x, y), z)"),
    ("select_of_sum", "integers", "select(p, sum(x, y), x) = sum(x, select(p, y, 0))"),
    ("select_equal", "bits", "select(compare.EQ(x, y), x, y) = y"),
    ("select_unequal", "bits", "select(compare.NE(x, y), x, y) = x"),
    ("select_greater", "integers", "select(compare.GT(x, y), x, y) = maximum(x, y)"),
    ("select_greater_or_equal", "integers", "select(compare.GE(x, y), x, y) = maximum(x, y)"),
    ("select_less", "integers", "select(compare.LT(x, y), x, y) = minimum(x, y)"),
    ("select_less_or_equal", "integers", "select(compare.LE(x, y), x, y) = minimum(x, y)"),
    ("select_not_greater", "integers", "select(compare.GT(y, x), x, y) = minimum(x, y)"),
    ("select_not_greater_or_equal", "integers", "select(compare.GE(y, x), x, y) = minimum(x, y)"),
    ("select_not_less", "integers", "select(compare.LT(y, x), x, y) = maximum(x, y)"),
    ("select_not_less_or_equal", "integers", "select(compare.LE(y, x), x, y) = maximum(x, y)"),
    ("select_positive", "signed", "select(compare.GE(x, 0), x, negate(x)) = abs(x)"),
    ("select_more_than_nothing", "signed", "select(compare.GT(x, 0), x, negate(x)) = abs(x)"),
    ("select_negative", "signed", "select(compare.LT(x, 0), negate(x), x) = abs(x)"),
    ("select_no_more_than_nothing", "signed", "select(compare.LE(x, 0), negate(x), x) = abs(x)"),
    ("select_one_or_nothing", "numbers", "select(p, 1, 0) = convert(p)"),
    ("product_with_predicate", "integers", "multiply(convert(p), x) = select(p, x, 0)"),
    ("predicate_is_not_zero", "any", "compare.NE(convert(p), 0) = p"),
    ("predicate_is_zero", "any", "compare.EQ(convert(p), 0) = not(p)"),
    ("predicate_is_one", "any", "compare.EQ(convert(p), 1) = p"),
)

RULES: tuple[Rewrite, ...] = tuple(identity("algebraic", *each) for each in (*_LIMITS, *_ORDER, *_COMPARISONS, *_SELECTIONS))
