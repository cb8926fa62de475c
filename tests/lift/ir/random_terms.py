"""Random terms over a few symbols, for properties."""

from __future__ import annotations

from hypothesis import strategies as st

from lift.unroll.terms import Term, apply, concat, const, extract, load, mux, sym

SYMBOLS = {1: "p", 5: "q", 8: "r", 13: "s", 32: "t"}
DEPTH = 32
_BINARY = "add sub mul and or xor udiv urem sdiv srem".split()
_UNARY = "not neg".split()
_COMPARE = "eq ult ule slt sle".split()


@st.composite
def terms(draw: st.DrawFn, width: int | None = None, depth: int = 4) -> Term:
    """A term of `width` bits (None: any) over SYMBOLS and the array `m` of 32 bytes."""
    width = draw(st.sampled_from((1, 3, 5, 8, 13, 20, 32))) if width is None else width
    if depth == 0:
        leaf = const(draw(st.integers(0, (1 << width) - 1)), width)
        return sym(SYMBOLS[width], width) if width in SYMBOLS and draw(st.booleans()) else leaf

    def sub(bits: int | None) -> Term:
        return draw(terms(bits, depth - 1))

    kind = draw(st.sampled_from("binary unary shift mux extract extend concat bit load leaf".split()))
    match kind:
        case "binary":
            return apply(draw(st.sampled_from(_BINARY)), width, (sub(width), sub(width)))
        case "unary":
            return apply(draw(st.sampled_from(_UNARY)), width, (sub(width),))
        case "shift":
            return apply(draw(st.sampled_from(("shl", "lshr", "ashr"))), width, (sub(width), sub(None)))
        case "mux":
            return mux(sub(1), sub(width), sub(width))
        case "extract":
            above = draw(st.integers(0, 9))
            low = draw(st.integers(0, above))
            return extract(sub(width + above), low, width)
        case "extend" if width > 1:
            return apply(draw(st.sampled_from(("zext", "sext"))), width, (sub(draw(st.integers(1, width - 1))),))
        case "concat" if width > 1:
            high = draw(st.integers(1, width - 1))
            return concat(sub(high), sub(width - high))
        case "bit" if width == 1:
            if draw(st.booleans()):
                return apply(draw(st.sampled_from(("redor", "redand", "redxor"))), 1, (sub(None),))
            bits = draw(st.integers(1, 9))
            return apply(draw(st.sampled_from(_COMPARE)), 1, (sub(bits), sub(bits)))
        case "load" if width == 8:
            return load("m", 8, sub(5))
    return sub(width)
