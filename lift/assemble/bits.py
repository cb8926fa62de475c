"""Part-selects pushed down through bit-level terms, so that a lane of a word is the value that was packed there."""

from __future__ import annotations

from lift.unroll import terms
from lift.unroll.terms import Term


def bits(term: Term, low: int, width: int) -> Term:
    """Bits [low + width - 1 : low] of `term`, as high up as the packing allows."""
    if low == 0 and width == term.width and term.op != "extract":
        return term
    match term.op:
        case "or" | "and" | "xor":
            return terms.apply(term.op, width, (bits(term.args[0], low, width), bits(term.args[1], low, width)))
        case "not":
            return terms.apply("not", width, (bits(term.args[0], low, width),))
        case "shl" if term.args[1].is_const:
            return _shifted_left(term, low, width, int(term.args[1].attr))  # type: ignore[arg-type]
        case "lshr" if term.args[1].is_const:
            return _window(term.args[0], low + int(term.args[1].attr), width)  # type: ignore[arg-type]
        case "zext":
            return _window(term.args[0], low, width)
        case "sext" if low + width <= term.args[0].width:
            return bits(term.args[0], low, width)
        case "sext" if low == 0:
            return terms.apply("sext", width, term.args)
        case "extract":
            return bits(term.args[0], low + int(term.attr or 0), width)
        case "concat":
            return _concat(term, low, width)
        case "mux":
            return terms.mux(term.args[0], bits(term.args[1], low, width), bits(term.args[2], low, width))
    return terms.extract(term, low, width)


def _window(term: Term, low: int, width: int) -> Term:
    """Bits of a zero-extended term: zeros above it."""
    if low >= term.width:
        return terms.const(0, width)
    inside = min(width, term.width - low)
    part = bits(term, low, inside)
    return part if inside == width else terms.apply("zext", width, (part,))


def _shifted_left(term: Term, low: int, width: int, by: int) -> Term:
    if low + width <= by:
        return terms.const(0, width)
    if low >= by:
        return bits(term.args[0], low - by, width)
    part = bits(term.args[0], 0, low + width - by)
    return terms.concat(part, terms.const(0, by - low))


def _concat(term: Term, low: int, width: int) -> Term:
    position, parts = term.width, []
    for part in term.args:
        position -= part.width
        first, last = max(low, position), min(low + width, position + part.width)
        if first < last:
            parts.append(bits(part, first - position, last - first))
    return terms.concat(*parts)
