"""Hash-consed bit-vector terms: the values of symbolic execution.

A term is built by the constructor functions below, which fold constants and the few identities that keep control concrete; equal terms
are one object, so `is` compares them.  Operators are those of `lift.netlist.model` with two leaves of their own: `sym` (a free symbol, attr is
its name) and `load` (attr is the memory's name, one argument, the address: the word before the instruction).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from functools import reduce

from lift.unroll import rules  # noqa: F401 - fills the table of rules
from lift.unroll.table import (
    COMMUTATIVE,
    FALSE,
    TRUE,
    Term,
    apply,
    both,
    clear,
    concat,
    const,
    equal,
    extract,
    fold,
    load,
    make,
    mux,
    negate,
    signed,
    size,
    sym,
)  # fmt: skip

__all__ = [
    "COMMUTATIVE", "FALSE", "TRUE", "Term", "apply", "both", "clear", "concat", "concerned", "const", "equal", "evaluate", "extract", "fold",
    "load", "make", "mentions", "mux", "negate", "rebuild", "signed", "size", "substitute", "sym", "walk", "walk_until",
]  # fmt: skip


FEW = 16  # values to replace of which each is looked for


def walk(*roots: Term, marks: int = 0) -> Iterator[Term]:
    """Every term below `roots` once, arguments first; only those that have all of these `marks`."""
    seen: set[Term] = set()
    stack = [root for root in reversed(roots) if not marks & ~root.marks]
    while stack:
        term = stack[-1]
        if term in seen:
            stack.pop()
            continue
        below = [a for a in term.args if a not in seen and not marks & ~a.marks]
        if below:
            stack += below
            continue
        stack.pop()
        seen.add(term)
        yield term


def mentions(root: Term, symbol: Term) -> bool:
    """Is `symbol` in `root`?"""
    return not symbol.marks & ~root.marks and any(t is symbol for t in walk(root, marks=symbol.marks))


Again = Callable[[Term, "tuple[Term, ...]"], Term]


def substitute(root: Term, values: dict[Term, Term], done: dict[Term, Term] | None = None, again: Again | None = None) -> Term:
    """`root` with terms replaced and everything above them simplified `again`; `done` may be shared between calls with equal `values`."""
    if not root.args:
        return values.get(root, root)
    if done and root in done:
        return done[root]
    again = again or rebuild
    has = concerned(values)
    if not has(root):
        return root
    done = {} if done is None else done
    if not done:
        done.update(values)
    stack = [root]
    while stack:
        term = stack[-1]
        if term in done:
            stack.pop()
            continue
        below = [a for a in term.args if a not in done and has(a)]
        if below:
            stack += below
            continue
        stack.pop()
        done[term] = again(term, tuple([done.get(a, a) for a in term.args])) if term.args else term
    return done[root]


def concerned(values: dict[Term, Term]) -> Callable[[Term], bool]:
    """May a term have one of `values` in it?  Of many values it is asked whether it has any of their marks."""
    masks = {value.marks for value in values}
    many = reduce(int.__or__, masks, 0) if len(masks) > FEW and all(masks) else 0
    answers: dict[int, bool] = {}

    def has(term: Term) -> bool:
        marks = term.marks
        found = answers.get(marks)
        if found is None:
            found = answers[marks] = bool(marks & many) if many else any(not mask & ~marks for mask in masks)
        return found

    return has


def walk_until(root: Term, known: Container[Term]) -> Iterator[Term]:
    """Terms below `root` that are not in `known`, arguments first; whoever takes one adds it to `known`."""
    stack = [root]
    while stack:
        term = stack[-1]
        if term in known:
            stack.pop()
            continue
        below = [a for a in term.args if a not in known]
        if below:
            stack += below
            continue
        stack.pop()
        yield term


def rebuild(term: Term, args: tuple[Term, ...]) -> Term:
    """The operator of `term` on other arguments."""
    if args == term.args:
        return term
    return load(str(term.attr), term.width, args[0]) if term.op == "load" else apply(term.op, term.width, args, term.attr)  # type: ignore[arg-type]


def evaluate(root: Term, symbols: Callable[[Term], int], memory: Callable[[str, int], int]) -> int:
    """The value of `root` when symbols and memory words have the given values."""
    values: dict[Term, int] = {}
    for term in walk(root):
        match term.op:
            case "const": values[term] = term.attr  # type: ignore[assignment]
            case "sym": values[term] = symbols(term)
            case "load": values[term] = memory(str(term.attr), values[term.args[0]])
            case _: values[term] = fold(term.op, term.width, tuple(values[a] for a in term.args), tuple(a.width for a in term.args), term.attr)  # type: ignore[arg-type]
    return values[root]
