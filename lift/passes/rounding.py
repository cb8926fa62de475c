"""x / 2**shift, rounded to an integer by one of the modes of lift/prove/rounding_claims.py, on integers."""

from __future__ import annotations


def rounded(x: int, shift: int, mode: str | None) -> int:
    """Mode None rounds down."""
    kept = x >> shift
    twice, unit = 2 * (x - (kept << shift)), 1 << shift
    match mode:
        case "half_even": return kept + (twice > unit or (twice == unit and kept & 1))
        case "half_up": return kept + (twice >= unit)
        case "half_away": return kept + (twice > unit or (twice == unit and x >= 0))
        case "toward_zero": return kept + (x < 0 < twice)
    return kept
