"""Sums, products and their inverses: identities of integers modulo 2**width, and of floats where no rounding, NaN or sign of zero differs.

Before --> after:  `multiply(x, -1)` --> `negate(x)`,  `sum(multiply(x, y), multiply(x, z))` --> `multiply(x, sum(y, z))`
"""

from __future__ import annotations

from act.rewrites.model import Rewrite
from act.rewrites.pattern import identity

_NUMBERS = (
    ("negate_of_negate", "numbers", "negate(negate(x)) = x"),
    ("multiply_by_one", "numbers", "multiply(x, 1) = x"),
    ("divide_by_one", "numbers", "divide(x, 1) = x"),
    ("multiply_by_minus_one", "integers", "multiply(x, ONES) = negate(x)"),
    ("multiply_by_minus_one_float", "floats", "multiply(x, -1) = negate(x)"),
    ("divide_by_minus_one", "signed", "divide(x, -1) = negate(x)"),
    ("divide_by_minus_one_float", "floats", "divide(x, -1) = negate(x)"),
    ("multiply_of_negates", "numbers", "multiply(negate(x), negate(y)) = multiply(x, y)"),
    ("multiply_of_negate", "numbers", "multiply(negate(x), y) = negate(multiply(x, y))"),
    ("divide_of_negates", "floats", "divide(negate(x), negate(y)) = divide(x, y)"),
    ("subtract_of_negate_float", "floats", "subtract(x, negate(y)) = add(x, y)"),
    ("add_of_negate_float", "floats", "add(x, negate(y)) = subtract(x, y)"),
    ("subtract_zero_float", "floats", "subtract(x, 0) = x"),
    ("multiply_by_two_float", "floats", "multiply(x, 2) = add(x, x)"),
    ("power_of_zero", "numbers", "power(x, 0) = 1"),
    ("power_of_one", "integers", "power(x, 1) = x"),
    ("power_of_two", "integers", "power(x, 2) = multiply(x, x)"),
    ("power_of_three", "integers", "power(x, 3) = multiply(x, multiply(x, x))"),
    ("power_of_four", "integers", "power(x, 4) = multiply(multiply(x, x), multiply(x, x))"),
)
_INTEGERS = (
    ("subtract_itself", "integers", "subtract(x, x) = 0"),
    ("subtract_is_sum", "integers", "subtract(x, y) = sum(x, negate(y))"),
    ("subtract_of_negate", "integers", "subtract(x, negate(y)) = sum(x, y)"),
    ("subtract_of_subtract", "integers", "subtract(x, subtract(x, y)) = y"),
    ("subtract_of_sum", "integers", "subtract(sum(x, y), x) = y"),
    ("subtract_sum", "integers", "subtract(x, sum(x, y)) = negate(y)"),
    ("sum_of_subtract", "integers", "sum(subtract(x, y), y) = x"),
    ("negate_of_subtract", "integers", "negate(subtract(x, y)) = subtract(y, x)"),
    ("sum_cancels", "integers", "sum(x, negate(x)) = 0"),
    ("multiply_by_zero", "integers", "multiply(x, 0) = 0"),
    ("multiply_by_two", "integers", "multiply(x, 2) = sum(x, x)"),
    ("common_factor", "integers", "sum(multiply(x, y), multiply(x, z)) = multiply(x, sum(y, z))"),
    ("common_factor_of_difference", "integers", "subtract(multiply(x, y), multiply(x, z)) = multiply(x, subtract(y, z))"),
    ("common_factor_of_one", "integers", "sum(multiply(x, y), x) = multiply(x, sum(y, 1))"),
    ("sum_of_not_and_one", "integers", "sum(not(x), 1) = negate(x)"),
    ("sum_of_not", "integers", "sum(x, not(x)) = ONES"),
    ("negate_of_not", "integers", "negate(not(x)) = sum(x, 1)"),
    ("not_of_negate", "integers", "not(negate(x)) = sum(x, ONES)"),
    ("remainder_by_one", "integers", "remainder(x, 1) = 0"),
    ("remainder_by_minus_one", "signed", "remainder(x, -1) = 0"),
    ("remainder_of_itself", "integers", "remainder(x, x) = 0"),
    ("product_of_limits", "integers", "multiply(maximum(x, y), minimum(x, y)) = multiply(x, y)"),
    ("sum_of_limits", "integers", "sum(maximum(x, y), minimum(x, y)) = sum(x, y)"),
    ("square_of_difference", "integers", "multiply(subtract(x, y), subtract(y, x)) = negate(multiply(subtract(x, y), subtract(x, y)))"),
)
_SIZES = (
    ("abs_of_abs", "numbers", "abs(abs(x)) = abs(x)"),
    ("abs_of_negate", "signed", "abs(negate(x)) = abs(x)"),
    ("abs_of_negate_float", "floats", "abs(negate(x)) = abs(x)"),
    ("abs_of_unsigned", "unsigned", "abs(x) = x"),
    ("abs_of_square", "floats", "abs(multiply(x, x)) = multiply(x, x)"),
    ("square_of_abs", "numbers", "multiply(abs(x), abs(x)) = multiply(x, x)"),
    ("sign_of_sign", "integers", "sign(sign(x)) = sign(x)"),
    ("sign_of_negate", "floats", "sign(negate(x)) = negate(sign(x))"),
    ("sign_times_abs", "integers", "multiply(sign(x), abs(x)) = x"),
    ("sign_times_itself", "integers", "multiply(sign(x), x) = abs(x)"),
    ("abs_is_limit", "signed", "abs(x) = maximum(x, negate(x))"),
    ("limit_is_abs", "signed", "maximum(x, negate(x)) = abs(x)"),
)

RULES: tuple[Rewrite, ...] = tuple(identity("algebraic", *each) for each in (*_NUMBERS, *_INTEGERS, *_SIZES))
