"""Registers that are where something lies: each use of one is an address that it is added to once.

    mem[source + 4 * i] = ...    source is a base; a stride, a count or an operand is not
"""

from __future__ import annotations

from collections.abc import Iterator

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
    addresses = [a for m in modes for a in _addresses(m, port.name)]
    based = {n for a in addresses for n in _bases(a, port.address_bits)}
    otherwise = {n for m in modes for root in _others(m, port.name) for n in _symbols(root)}
    otherwise |= {n for a in addresses for n in _symbols(a) - _bases(a, port.address_bits)}
    return (based & lift.registers & _set_alone(modes)) - otherwise


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
    """What a mode computes and decides, without the addresses."""
    for p, _ in mode.facts:
        yield _without_addresses(p, memory)
    yield from (_without_addresses(d, memory) for d in mode.domain)
    for target, function in mode.functions.items():
        if function.result is not None and function.result is not terms.sym(target, function.result.width):
            yield _without_addresses(function.result, memory)
        for statement in function.body:
            kept = {s.address for s in stores([statement]) if s.memory == memory} if memory in memories_of(statement) else set()
            yield from (_without_addresses(t, memory) for t in statement_terms(statement) if t not in kept)


def _without_addresses(root: Term, memory: str) -> Term:
    """A term in which loads from a memory are at address 0."""
    loads = {t: terms.load(memory, t.width, terms.const(0, t.args[0].width)) for t in terms.walk(root) if t.op == "load" and t.attr == memory}
    return terms.substitute(root, loads) if loads else root


def _symbols(root: Term) -> set[str]:
    return {str(t.attr) for t in terms.walk(root) if t.op == "sym"}


def _set_alone(modes: list[Mode]) -> set[str]:
    """Registers that some instruction sets which does nothing else."""
    return {target for m in modes if len(m.functions) == 1 for target, f in m.functions.items() if f.result is not None}


__all__ = ["base_registers"]
