"""Which arrays of a module are memories: indexed by a value that is not constant, and written at clock edges only; small ones only where
that is all that is done with them (queues), and their depth is a power of two."""

from __future__ import annotations

from collections.abc import Iterator

from lift.netlist.model import Node
from lift.netlist.module import Assign, Case, If, Loop, Module, Statement, Target

SMALL_ARRAY = 8
MAXIMUM_WORDS = 4096  # of an array that is no memory


def find_memories(module: Module) -> frozenset[str]:
    """The names of the arrays that stay memories; all others become one variable per word."""
    large = {v.name for v in module.variables.values() if v.depth > SMALL_ARRAY}
    queues = {v.name for v in module.variables.values() if 1 < v.depth <= SMALL_ARRAY and v.depth & (v.depth - 1) == 0}
    if not large | queues:
        return frozenset()
    dynamic, fixed = _indexed(module)
    wired = {t.name for a in module.assigns for t in a.targets}
    wired |= {t.name for p in module.processes if not p.edges for t in targets_of(p.body)}
    huge = {v.name for v in module.variables.values() if v.depth > MAXIMUM_WORDS}
    return frozenset(((large | queues - fixed) & dynamic | huge) - wired)


def _indexed(module: Module) -> tuple[set[str], set[str]]:
    """The arrays that are read or written at an index that is not constant, and those at one that is."""
    dynamic: set[str] = set()
    fixed: set[str] = set()
    for body, expressions in _parts(module):
        counters = set(loop_variables(body))
        accesses = [access for node in expressions for access in _words(node)]
        accesses += [(t.name, t.index) for t in targets_of(body) if t.index is not None]
        for name, index in accesses:
            (dynamic if support(index) - counters or _reads(index) else fixed).add(name)
    return dynamic, fixed


def support(node: Node) -> set[str]:
    """The variables that `node` reads."""
    return {n.attr for n in walk(node) if n.op == "var" and isinstance(n.attr, str)}


def walk(*roots: Node) -> Iterator[Node]:
    """Each node below `roots` once."""
    seen, stack = set(roots), list(roots)
    while stack:
        node = stack.pop()
        yield node
        for a in node.args:
            if a not in seen:
                seen.add(a)
                stack.append(a)


def loop_variables(body: tuple[Statement, ...]) -> Iterator[str]:
    """The variables that loops of `body` count with."""
    for statement in _all(body):
        if isinstance(statement, Loop):
            yield from (t.name for s in statement.start if isinstance(s, Assign) for t in s.targets)


def _reads(node: Node) -> bool:
    return any(n.op in ("word", "pin", "undef", "call") for n in walk(node))


def _words(node: Node) -> Iterator[tuple[str, Node]]:
    for n in walk(node):
        if n.op == "word":
            assert isinstance(n.attr, str)
            yield n.attr, n.args[0]


def _parts(module: Module) -> Iterator[tuple[tuple[Statement, ...], list[Node]]]:
    """Each piece of code with its expressions."""
    for instance in module.instances:
        yield (), list(instance.inputs.values())
    bodies: list[tuple[Statement, ...]] = [(a,) for a in module.assigns]
    for body in bodies + [p.body for p in [*module.processes, *module.initials, *module.functions.values()]]:
        yield body, [n for s in _all(body) for n in _expressions(s)]


def _all(body: tuple[Statement, ...]) -> Iterator[Statement]:
    for statement in body:
        yield statement
        match statement:
            case If(_, then, otherwise):
                yield from _all(then + otherwise)
            case Case(_, items, default):
                yield from _all(tuple(s for _, inner in items for s in inner) + (default or ()))
            case Loop(start, _, step, inner):
                yield from _all(start + step + inner)


def _expressions(statement: Statement) -> list[Node]:
    match statement:
        case Assign(targets, value):
            return [value, *(n for t in targets for n in (t.index, t.low) if n is not None)]
        case If(condition) | Loop(_, condition):
            return [condition]
        case Case(selector, items):
            return [selector, *(p for patterns, _ in items for p in patterns)]


def targets_of(body: tuple[Statement, ...]) -> Iterator[Target]:
    """Everything that `body` assigns."""
    for statement in _all(body):
        if isinstance(statement, Assign):
            yield from statement.targets
