"""Hash-consed bit-vector terms: the values of symbolic execution.

A term is built by the constructor functions below, which fold constants and the few identities that keep control concrete; equal terms
are one object, so `is` compares them.  Operators are those of `lift.netlist.model` with two leaves of their own: `sym` (a free symbol, attr is
its name) and `load` (attr is the memory's name, one argument, the address: the word before the instruction).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator

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
    "COMMUTATIVE", "FALSE", "TRUE", "Term", "apply", "both", "clear", "concat", "const", "equal", "evaluate", "extract", "fold", "load",
    "make", "mentions", "mux", "negate", "rebuild", "signed", "size", "substitute", "sym", "walk", "walk_until",
]  # fmt: skip


def walk(*roots: Term) -> Iterator[Term]:
    """Every term below `roots` once, arguments first."""
    seen: set[int] = set()
    stack: list[tuple[Term, bool]] = [(root, False) for root in reversed(roots)]
    while stack:
        term, ready = stack.pop()
        if ready:
            yield term
        elif term.serial not in seen:
            seen.add(term.serial)
            stack.append((term, True))
            stack.extend((a, False) for a in term.args)


def mentions(root: Term, symbol: Term) -> bool:
    """Is `symbol` in `root`?"""
    return root.marks & symbol.marks == symbol.marks and any(t is symbol for t in walk(root))


def substitute(root: Term, values: dict[Term, Term], done: dict[Term, Term] | None = None) -> Term:
    """`root` with terms replaced and everything above them simplified again; `done` may be shared between calls with equal `values`."""
    if len(values) == 1 and next(iter(values)).marks & ~root.marks:
        return root  # the one term to replace is not in it
    done = {} if done is None else done
    done.update(values)
    for term in walk_until(root, done):
        done[term] = rebuild(term, tuple(done[a] for a in term.args)) if term.args else term
    return done[root]


def walk_until(root: Term, known: Container[Term]) -> Iterator[Term]:
    """Terms below `root` that are not in `known`, arguments first; `known` may grow meanwhile."""
    stack: list[tuple[Term, bool]] = [(root, False)]
    while stack:
        term, ready = stack.pop()
        if term in known:
            continue
        if ready:
            yield term
        else:
            stack.append((term, True))
            stack.extend((a, False) for a in term.args if a not in known)


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
