"""A result that is the low bits of another one -> which, so that the body computes both from one value.

Hardware that keeps a wide and a narrow copy of a sum is lifted as two functions, and the narrow one, narrowed as far as it goes, has lost the likeness to
the wide one.  They are brought together again only where Z3 proves that the narrow value is the wide one's low bits, element by element.
"""

from __future__ import annotations

from collections.abc import Mapping

from lift.assemble.family import Template
from lift.assemble.rewriting import plain, rebuild, substitute
from lift.unroll import terms
from lift.unroll.loops import INDEX_WIDTH
from lift.unroll.solver import Verdict, implied
from lift.unroll.terms import Term

EXACT = 64
"""Bits that hold every sum of products that hardware forms."""


def low_parts(templates: Mapping[str, Template]) -> dict[str, str]:
    """Target -> the wider target whose low bits it gets, each time it is written."""
    found: dict[str, str] = {}
    for target, narrow in templates.items():
        for other, wide in templates.items():
            if other not in found and narrow.value.width < wide.value.width and _together(narrow, wide) and _low_bits(narrow, wide):
                found[target] = other
                break
    return found


def _together(narrow: Template, wide: Template) -> bool:
    """Are both written for the same iterations, at the same places?"""
    same = (narrow.loops, narrow.coordinates, narrow.unit) == (wide.loops, wide.coordinates, wide.unit)
    return same and narrow.guard is wide.guard and narrow.address is wide.address


def _low_bits(narrow: Template, wide: Template) -> bool:
    done: dict[Term, Term] = {}
    low = terms.extract(plain(_exact_sums(wide.value), done), 0, narrow.value.width)
    return implied([], terms.equal(low, plain(_exact_sums(narrow.value), done))) is Verdict.PROVED


def _exact_sums(root: Term) -> Term:
    """`root` with each dot product as what it starts from plus the low bits of the exact sum of products, a free symbol: one for the same operands,
    whatever the widths are at which they are multiplied."""
    done: dict[Term, Term] = {}
    for term in terms.walk_until(root, done):
        args = tuple(done[a] for a in term.args)
        done[term] = _from_exact(term, args) if term.op == "dot" and term.width <= EXACT else rebuild(term, args) if args else term
    return done[root]


def _from_exact(dot: Term, args: tuple[Term, ...]) -> Term:
    index = terms.sym(str(dot.attr), INDEX_WIDTH)
    a, b = (substitute(_unextended(x), {index: terms.sym("step", INDEX_WIDTH)}) for x in args[1:3])
    exact = terms.sym(f"dot{a.serial},{b.serial},{args[3].attr}", EXACT)
    return terms.apply("add", dot.width, (args[0], terms.extract(exact, 0, dot.width)))


def _unextended(operand: Term) -> Term:
    """Operands are multiplied as signed numbers: what they were before extension says the same."""
    while operand.op == "sext":
        operand = operand.args[0]
    return operand
