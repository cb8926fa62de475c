"""Loads of words that the same instruction may have written before -> conditions that the specification must state.

In the specification all reads come before all writes, and no element is written twice.  The lift took such a load as one of the state before the
instruction, and lists when that is right.  Where the two addresses are those of two stores of the instruction, as in a sum that is updated in
place, they differ because no element is written twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lift.assemble.apart import apart
from lift.assemble.guards import conjuncts
from lift.unroll import terms
from lift.unroll.extract import Mode
from lift.unroll.function import Statement, Store
from lift.unroll.micro import is_index
from lift.unroll.terms import Term, mentions

MOST = 1024  # iterations that are looked at one by one
_ITERATION = re.compile(r"(i\d+)'")


def written_before(mode: Mode) -> list[Term]:
    """The conditions, over fields and registers, that the language does not imply.  NoTemplate when one depends on an index, and no other one is
    known under which it holds."""
    return [apart(c, mode) if _over_index(c) else c for c in _not_implied(mode)]


def apart_only(mode: Mode) -> tuple[Term, ...]:
    """The conditions that stand for those over indices: where they do not hold, nothing is said of the mode."""
    return tuple(dict.fromkeys(apart(c, mode) for c in _not_implied(mode) if _over_index(c)))


def _over_index(condition: Term) -> bool:
    return any(is_index(t) for t in terms.walk(condition))


def _not_implied(mode: Mode) -> list[Term]:
    addresses = {_unprimed(a) for f in mode.functions.values() for a in _addresses(f.body)}
    return [c for c in mode.assumptions if c is not terms.TRUE and not _is_rewrite(c, addresses)]


def _addresses(body: Sequence[Statement]) -> Iterator[Term]:
    """Where something is stored, and where it is in each iteration of a loop whose number is known."""
    for statement in body:
        if isinstance(statement, Store):
            yield statement.address
            continue
        for address in _addresses(statement.body):
            yield address
            if statement.count.is_const and mentions(address, statement.index):
                numbers = range(min(int(statement.count.attr or 0), MOST))
                yield from (terms.substitute(address, {statement.index: terms.const(n, statement.index.width)}) for n in numbers)


def _is_rewrite(condition: Term, addresses: set[Term]) -> bool:
    """not (... and a == b), where a and b are addresses of stores, in this iteration or another."""
    if condition.op != "not":
        return False
    return any(c.op == "eq" and all(a in addresses or _unprimed(a) in addresses for a in c.args) for c in conjuncts(condition.args[0]))


def _unprimed(address: Term) -> Term:
    """An address with the indices of another iteration as those of this one."""
    values = {t: terms.sym(m.group(1), t.width) for t in terms.walk(address) if t.op == "sym" and (m := _ITERATION.fullmatch(str(t.attr)))}
    return terms.substitute(address, values)
