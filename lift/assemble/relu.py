"""max(x, 0) is a saturation at the greatest number, and before or after a saturation one with another lower bound; proved each time."""

from __future__ import annotations

from lift.assemble.rewriting import clamp_bounds, plain
from lift.unroll import terms
from lift.unroll.solver import Verdict, implied
from lift.unroll.terms import Term


def fused_relu(term: Term) -> Term | None:
    """mux(c, 0, clamp(x)), clamp(mux(c, 0, x)) or mux(x < 0, 0, x) as one clamp."""
    found: Term | None = None
    if _zeroed(term) and term.args[2].op == "clamp":
        found = _raised(term.args[2], term.args[2].args[0])
    elif _zeroed(term):
        found = terms.make("clamp", term.width, (term.args[2],), f"0:{(1 << term.width - 1) - 1}:1")
    elif term.op == "clamp" and _zeroed(term.args[0]):
        found = _raised(term, term.args[0].args[2])
    if found is None or implied([], terms.equal(plain(term), plain(found))) is not Verdict.PROVED:
        return None
    return found


def _zeroed(term: Term) -> bool:
    return term.op == "mux" and term.args[1].is_const and term.args[1].attr == 0


def _raised(clamp: Term, x: Term) -> Term:
    low, high, is_signed = clamp_bounds(clamp)
    return terms.make("clamp", clamp.width, (x,), f"{max(low, 0)}:{high}:{int(is_signed)}")
