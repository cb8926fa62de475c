"""A claim about Z3 values to an answer, within a limit of Z3's resource units and never of seconds."""

from __future__ import annotations

from typing import Literal

import z3

from lift.crosscheck.bits import Bits, extract
from lift.ir.subterms import subterms

RLIMIT = 20_000_000
PIECE = 32  # bits
Answer = Literal["agreed", "different", "undecided"]


def decide(claim: Bits, assuming: list[Bits], rlimit: int) -> tuple[Answer, z3.ModelRef | None]:
    """agreed: the claim holds for all values of its variables that satisfy `assuming`; different, with values for which it does not; or undecided."""
    denial = z3.simplify(z3.Not(claim))
    if z3.is_false(denial):
        return "agreed", None
    if (opaque := _without_products([*assuming, denial])) is not None and _check(opaque, rlimit)[0] == "agreed":
        return "agreed", None
    return _check([*assuming, denial], rlimit)


def decide_equal(a: Bits, b: Bits, assuming: list[Bits], rlimit: int) -> tuple[Answer, z3.ModelRef | None]:
    """Are two bit-vectors equal?  Wide ones piece by piece, the limit holding for each: lanes of a wide word have little to do with each other."""
    width = a.size()
    if width <= PIECE:
        return decide(a == b, assuming, rlimit)
    undecided = False
    for low in range(0, width, PIECE):
        bits = min(PIECE, width - low)
        answer, model = decide(extract(a, low, bits) == extract(b, low, bits), assuming, rlimit)
        if answer == "different":
            return answer, model
        undecided |= answer == "undecided"
    return ("undecided" if undecided else "agreed"), None


def _check(conditions: list[Bits], rlimit: int) -> tuple[Answer, z3.ModelRef | None]:
    solver = z3.SolverFor("QF_AUFBV")
    solver.set("rlimit", rlimit)
    solver.add(*conditions)
    match solver.check():
        case z3.unsat:
            return "agreed", None
        case z3.sat:
            return "different", solver.model()
    return "undecided", None


def _without_products(conditions: list[Bits]) -> list[Bits] | None:
    """With each product an unknown function of its operands: what cannot hold then cannot hold.  None when there is no product of variables."""
    pairs: list[tuple[Bits, Bits]] = []
    symmetric: list[Bits] = []
    for term in sorted((t for t in subterms(conditions) if _is_product(t)), key=lambda t: t.get_id()):
        operands = [z3.substitute(a, *pairs) for a in term.children()] if pairs else term.children()
        product = z3.Function(f"product{len(operands)} {term.size()}", *(a.sort() for a in operands), term.sort())
        pairs.append((term, product(*operands)))
        symmetric.append(product(*operands) == product(*operands[::-1]))
    # From the outermost inwards: a replaced product holds its operands replaced.
    return [*symmetric, *(z3.substitute(c, *pairs[::-1]) for c in conditions)] if pairs else None


def _is_product(term: Bits) -> bool:
    return z3.is_app_of(term, z3.Z3_OP_BMUL) and not any(z3.is_bv_value(a) for a in term.children())
