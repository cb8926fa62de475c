"""Iterations that were executed before a loop or after it, as iterations of the loop.

Where the machine is in another state in the first iteration than in all others, that iteration becomes statements of its own.  If they are what the loop does
for index -1, the loop begins one iteration earlier; if those after it are what it does for its count, it ends one later.

    a[s] = f(0); for i in 0 .. n - 1: a[s + i + 1] = f(i + 1)    -->    for i in 0 .. n: a[s + i] = f(i)
"""

from __future__ import annotations

from collections.abc import Sequence

from lift.unroll import terms
from lift.unroll.function import Loop, Statement
from lift.unroll.loops import INDEX_WIDTH
from lift.unroll.paths import substitute_statement
from lift.unroll.terms import Term


def rolled(body: Sequence[Statement]) -> tuple[Statement, ...]:
    """The same statements with as many iterations as may be inside loops."""
    result: list[Statement] = []
    for statement in body:
        result.append(statement)
        while isinstance(result[-1], Loop) and (whole := _with_earlier(result, result[-1])) is not None:
            result[-1 - len(whole.body) :] = [whole]
        while (found := _with_later(result)) is not None:
            whole, length = found
            result[-1 - length :] = [whole]
    return tuple(result)


def _with_earlier(statements: Sequence[Statement], loop: Loop) -> Loop | None:
    """`loop`, which comes last, with the iteration before it."""
    length = len(loop.body)
    before = statements[-1 - length : -1]
    if len(before) != length or not _is_iteration(before, loop, terms.const(-1 & (1 << INDEX_WIDTH) - 1, INDEX_WIDTH)):
        return None
    earlier = terms.apply("sub", INDEX_WIDTH, (loop.index, terms.const(1, INDEX_WIDTH)))
    done: dict[Term, Term] = {}
    body = tuple(substitute_statement(s, {loop.index: earlier}, done) for s in loop.body)
    return Loop(loop.index, _one_more(loop.count), body)


def _with_later(statements: Sequence[Statement]) -> tuple[Loop, int] | None:
    """The last loop with the iteration that follows it and comes last, and how many statements that is."""
    position = next((k for k in range(len(statements) - 1, -1, -1) if isinstance(statements[k], Loop)), None)
    if position is None:
        return None
    loop, after = statements[position], statements[position + 1 :]
    assert isinstance(loop, Loop)
    if len(after) != len(loop.body) or not _is_iteration(after, loop, loop.count):
        return None
    return Loop(loop.index, _one_more(loop.count), loop.body), len(after)


def _is_iteration(statements: Sequence[Statement], loop: Loop, index: Term) -> bool:
    done: dict[Term, Term] = {}
    return all(_same(s, substitute_statement(b, {loop.index: index}, done)) for s, b in zip(statements, loop.body, strict=True))


def _same(a: Statement, b: Statement) -> bool:
    """Equal but for the names of indices."""
    if not isinstance(a, Loop) or not isinstance(b, Loop):
        return a == b
    done: dict[Term, Term] = {}
    renamed = tuple(substitute_statement(s, {a.index: b.index}, done) for s in a.body)
    return a.count is b.count and len(renamed) == len(b.body) and all(map(_same, renamed, b.body))


def _one_more(count: Term) -> Term:
    return terms.apply("add", count.width, (count, terms.const(1, count.width)))
