"""Registers that are where something lies: each use of one is an address that it is added to once.

    mem[source + 4 * i] = ...    source is a base; a stride, a count or an operand is not
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lift.assemble.integers import Reading
from lift.unroll import terms
from lift.unroll.extract import Lift, Mode
from lift.unroll.function import stores
from lift.unroll.observed import memories_of
from lift.unroll.paths import statement_terms
from lift.unroll.terms import Term


def base_registers(lift: Lift) -> set[str]:
    """The registers that instructions set which do nothing else, and that others use as bases of addresses of the host's memory only."""
    port = lift.unit.contract.memory
    if port is None:
        return set()
    modes = [m for group in lift.modes.values() for m in group]
    alone = lift.registers & _set_alone(modes)
    if not alone:
        return set()
    bases = {a: _bases(a, port.address_bits) for m in modes for a in _addresses(m, port.name)}
    otherwise = _symbols({t for m in modes for t in _others(m, port.name)}, port.name)
    otherwise |= {n for a, own in bases.items() for n in _symbols([a]) - own}
    return ({n for own in bases.values() for n in own} & alone) - otherwise


def _addresses(mode: Mode, memory: str) -> Iterator[Term]:
    for function in mode.functions.values():
        yield from (s.address for s in stores(function.body) if s.memory == memory)
        roots = [t for s in function.body for t in statement_terms(s)] + [t for t in (function.result,) if t is not None]
        yield from (t.args[0] for t in terms.walk(*roots) if t.op == "load" and t.attr == memory)


def _bases(address: Term, bits: int) -> set[str]:
    """Registers that are summands of the address."""
    found = Reading().modular(address, bits)
    single = {str(m[0].attr) for m, factor in found.items() if len(m) == 1 and m[0].op == "sym" and factor == 1}
    return single - {str(t.attr) for m in found for leaf in m for t in terms.walk(leaf) if t.op == "sym" and (len(m) > 1 or leaf is not t)}


def _others(mode: Mode, memory: str) -> Iterator[Term]:
    """What a mode computes and decides, but for the addresses that it stores to."""
    yield from (p for p, _ in mode.facts)
    yield from mode.domain
    for target, function in mode.functions.items():
        if function.result is not None and function.result is not terms.sym(target, function.result.width):
            yield function.result
        for statement in function.body:
            kept = {s.address for s in stores([statement]) if s.memory == memory} if memory in memories_of(statement) else set()
            yield from (t for t in statement_terms(statement) if t not in kept)


def _symbols(roots: Iterable[Term], memory: str | None = None) -> set[str]:
    """The names in some terms, those in addresses of `memory` left out."""
    seen, stack = set[Term](), list(roots)
    while stack:
        term = stack.pop()
        if term not in seen:
            seen.add(term)
            stack += () if term.op == "load" and term.attr == memory else term.args
    return {str(t.attr) for t in seen if t.op == "sym"}


def _set_alone(modes: list[Mode]) -> set[str]:
    """Registers that some instruction sets which does nothing else."""
    return {target for m in modes if len(m.functions) == 1 for target, f in m.functions.items() if f.result is not None}


__all__ = ["base_registers"]
