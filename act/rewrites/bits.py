"""Boolean algebra on predicates and on the bits of integers, and shifts by constants.

Before --> after:  `or(x, and(not(x), y))` --> `or(x, y)`,  `shift-left(x, 1)` --> `sum(x, x)`
"""

from __future__ import annotations

from act.rewrites.model import Rewrite
from act.rewrites.pattern import identity

_CONSTANTS = (
    ("and_with_nothing", "bits", "and(x, ZERO) = ZERO"),
    ("and_with_all", "bits", "and(x, ONES) = x"),
    ("or_with_nothing", "bits", "or(x, ZERO) = x"),
    ("or_with_all", "bits", "or(x, ONES) = ONES"),
    ("xor_with_nothing", "bits", "xor(x, ZERO) = x"),
    ("xor_with_all", "bits", "xor(x, ONES) = not(x)"),
    ("and_with_itself", "bits", "and(x, x) = x"),
    ("or_with_itself", "bits", "or(x, x) = x"),
    ("xor_with_itself", "bits", "xor(x, x) = ZERO"),
    ("not_of_not", "bits", "not(not(x)) = x"),
    ("and_with_its_not", "bits", "and(x, not(x)) = ZERO"),
    ("or_with_its_not", "bits", "or(x, not(x)) = ONES"),
    ("xor_with_its_not", "bits", "xor(x, not(x)) = ONES"),
)
_LATTICE = (
    ("and_absorbs", "bits", "and(x, or(x, y)) = x"),
    ("or_absorbs", "bits", "or(x, and(x, y)) = x"),
    ("and_again", "bits", "and(and(x, y), y) = and(x, y)"),
    ("or_again", "bits", "or(or(x, y), y) = or(x, y)"),
    ("xor_again", "bits", "xor(xor(x, y), y) = x"),
    ("and_absorbs_not", "bits", "and(x, or(not(x), y)) = and(x, y)"),
    ("or_absorbs_not", "bits", "or(x, and(not(x), y)) = or(x, y)"),
    ("and_of_nots", "bits", "and(not(x), not(y)) = not(or(x, y))"),
    ("or_of_nots", "bits", "or(not(x), not(y)) = not(and(x, y))"),
    ("xor_of_nots", "bits", "xor(not(x), not(y)) = xor(x, y)"),
    ("xor_of_not", "bits", "xor(not(x), y) = not(xor(x, y))"),
    ("common_mask", "bits", "or(and(x, y), and(x, z)) = and(x, or(y, z))"),
    ("common_mask_of_xor", "bits", "xor(and(x, y), and(x, z)) = and(x, xor(y, z))"),
    ("common_part", "bits", "and(or(x, y), or(x, z)) = or(x, and(y, z))"),
    ("or_of_both_cases", "bits", "or(and(x, y), and(x, not(y))) = x"),
    ("and_of_both_cases", "bits", "and(or(x, y), or(x, not(y))) = x"),
    ("or_of_xor_and_and", "bits", "or(xor(x, y), and(x, y)) = or(x, y)"),
    ("xor_of_or_and_and", "bits", "xor(or(x, y), and(x, y)) = xor(x, y)"),
    ("xor_of_part", "bits", "xor(x, and(x, y)) = and(x, not(y))"),
    ("xor_of_whole", "bits", "xor(x, or(x, y)) = and(not(x), y)"),
)
_SUMS = (
    ("sum_of_and_and_or", "integers", "sum(and(x, y), or(x, y)) = sum(x, y)"),
    ("sum_of_and_and_xor", "integers", "sum(and(x, y), xor(x, y)) = or(x, y)"),
    ("or_less_and", "integers", "subtract(or(x, y), and(x, y)) = xor(x, y)"),
    ("or_less_itself", "integers", "subtract(or(x, y), x) = and(not(x), y)"),
    ("itself_less_and", "integers", "subtract(x, and(x, y)) = and(x, not(y))"),
)
_SHIFTS = (
    ("shift_left_by_nothing", "integers", "shift-left(x, 0) = x"),
    ("shift_right_by_nothing", "integers", "shift-right-logical(x, 0) = x"),
    ("shift_arithmetic_by_nothing", "integers", "shift-right-arithmetic(x, 0) = x"),
    ("shift_left_of_zero", "integers", "shift-left(0, x) = 0"),
    ("shift_right_of_zero", "integers", "shift-right-logical(0, x) = 0"),
    ("shift_arithmetic_of_zero", "integers", "shift-right-arithmetic(0, x) = 0"),
    ("shift_arithmetic_of_ones", "integers", "shift-right-arithmetic(ONES, x) = ONES"),
    ("shift_of_and", "integers", "and(shift-left(x, z), shift-left(y, z)) = shift-left(and(x, y), z)"),
    ("shift_of_or", "integers", "or(shift-left(x, z), shift-left(y, z)) = shift-left(or(x, y), z)"),
    ("shift_of_xor", "integers", "xor(shift-left(x, z), shift-left(y, z)) = shift-left(xor(x, y), z)"),
    ("shift_of_sum", "integers", "sum(shift-left(x, z), shift-left(y, z)) = shift-left(sum(x, y), z)"),
    ("shift_of_negate", "integers", "negate(shift-left(x, y)) = shift-left(negate(x), y)"),
)
_PREDICATES = (
    ("maximum_of_predicates", "pred", "maximum(x, y) = or(x, y)"),
    ("minimum_of_predicates", "pred", "minimum(x, y) = and(x, y)"),
    ("product_of_predicates", "pred", "multiply(x, y) = and(x, y)"),
    ("sum_of_predicates", "pred", "add(x, y) = or(x, y)"),
)

RULES: tuple[Rewrite, ...] = tuple(identity("algebraic", *each) for each in (*_CONSTANTS, *_LATTICE, *_SUMS, *_SHIFTS, *_PREDICATES))
