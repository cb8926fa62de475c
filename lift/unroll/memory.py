"""Memories under symbolic execution: the words before the instruction and a log of the writes since.

Memories that are instances of one bank module (`bank[0].mem`, `bank[1].mem`, ...) are seen as one memory whose address has the bank number on
top.  A read whose address may or may not equal that of a logged write is taken not to: the condition is recorded as an assumption.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from lift.netlist.model import Memory
from lift.unroll import terms
from lift.unroll.terms import FALSE, TRUE, Term

INDEX = re.compile(r"\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a memory of the netlist lies in a merged one: `bank` of `banks` (a power of two), each of `depth` words of `width` bits."""

    name: str
    bank: int
    banks: int
    depth: int
    width: int

    @property
    def address_bits(self) -> int:
        return (self.depth - 1).bit_length()

    @property
    def words(self) -> int:
        return self.banks * self.depth

    def address(self, local: Term) -> Term:
        """The merged address of word `local` of this bank."""
        bits = self.address_bits
        low = terms.extract(local, 0, bits) if local.width > bits else terms.apply("zext", bits, (local,)) if local.width < bits else local
        return low if self.banks == 1 else terms.concat(terms.const(self.bank, (self.banks - 1).bit_length()), low)


def places(memories: dict[str, Memory]) -> dict[str, Place]:
    """Group the banks: memories of one shape whose names differ in one index only, which counts 0 .. 2**k - 1."""
    groups: dict[tuple[str, int, int], list[str]] = {}
    for name, memory in memories.items():
        for match in INDEX.finditer(name):
            pattern = name[: match.start()] + "[*]" + name[match.end() :]
            groups.setdefault((pattern, memory.depth, memory.width), []).append(name)
    result = {name: Place(name, 0, 1, m.depth, m.width) for name, m in memories.items()}
    for (pattern, depth, width), names in groups.items():
        if len(names) > 1 and len(names) & (len(names) - 1) == 0 and depth & (depth - 1) == 0:
            for number, name in enumerate(sorted(names, key=_natural)):
                result[name] = Place(pattern.replace("[*]", ""), number, len(names), depth, width)
    return result


def _natural(name: str) -> list[object]:
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


@dataclass(frozen=True, slots=True)
class Write:
    """One logged write; `condition` is never FALSE, `mask` None means the whole word."""

    memory: str
    address: Term
    data: Term
    mask: Term | None
    condition: Term


def under_condition(write: Write) -> Write:
    """The write with address, data and mask simplified given that its condition holds."""
    known = conjuncts(write.condition)
    if not known:
        return write
    done: dict[Term, Term] = {}
    mask = None if write.mask is None else terms.substitute(write.mask, known, done)
    found = Write(write.memory, terms.substitute(write.address, known, done), terms.substitute(write.data, known, done), mask, write.condition)
    note_moved(done)
    return found


def conjunction(condition: Term) -> Term:
    """`condition` with each conjunct simplified by the others: a and (not a or b) is a and b."""
    while True:
        leaves = _leaves(condition)
        plain = {leaf: TRUE for leaf in leaves if leaf.op != "or"}
        plain.update({terms.negate(leaf): FALSE for leaf in plain})
        done: dict[Term, Term] = {}
        simpler = [terms.substitute(leaf, plain, done) if leaf.op == "or" else leaf for leaf in leaves]
        result = TRUE
        for leaf in dict.fromkeys(simpler):
            result = terms.both(result, leaf)
        if result is condition or _leaves(result) == leaves:
            return result
        condition = result


def _leaves(condition: Term) -> list[Term]:
    """The conjuncts of `condition`, each once, in order."""
    found: dict[Term, None] = {}
    stack = [condition]
    while stack:
        term = stack.pop()
        if term.op == "and":
            stack += reversed(term.args)
        else:
            found[term] = None
    return list(found)


def conjuncts(condition: Term) -> dict[Term, Term]:
    """What is known where `condition` holds: its conjuncts, each TRUE, and the negation of each, FALSE."""
    known: dict[Term, Term] = {}
    stack = [condition]
    while stack:
        term = stack.pop()
        if term.is_const:
            continue
        known[term] = TRUE
        known[terms.negate(term)] = FALSE
        if term.op == "and":
            stack += term.args
    return known


@lru_cache(maxsize=4096)
def merge_banks(writes: tuple[Write, ...], banks: int) -> list[Write]:
    """Writes of one cycle to every bank of a memory, each under bank number = its own, are one write at a symbolic bank."""
    if len(writes) != banks or banks == 1:
        return [under_condition(w) for w in writes]
    bits = (banks - 1).bit_length()
    first = writes[0]
    low_bits = first.address.width - bits
    for atom in terms.walk(first.condition):
        selector = atom.args[0] if atom.op == "eq" and atom.args[0].width == bits and atom.args[1].is_const else _bit_selector(atom, bits)
        if selector is None:
            continue
        cases = [_case(write, selector, number, low_bits) for number, write in enumerate(writes)]
        if len({(c.address, c.condition) for c in cases}) == 1 and len(merged := {_under(w, c) for w, c in zip(writes, cases, strict=True)}) == 1:
            return [merged.pop()]
    return [under_condition(w) for w in writes]


def _bit_selector(atom: Term, bits: int) -> Term | None:
    """A one-bit bank number is its own predicate."""
    return atom if bits == 1 and atom.width == 1 and atom.op in ("extract", "sym") else None


@dataclass(frozen=True, slots=True)
class _Case:
    """A bank's write given that the bank selector equals its number: what is known, the address with the selector in it, the condition."""

    known: dict[Term, Term]
    address: Term
    condition: Term


def _case(write: Write, selector: Term, number: int, low_bits: int) -> _Case:
    known = {terms.equal(selector, terms.const(n, selector.width)): TRUE if n == number else FALSE for n in range(1 << selector.width)}
    if selector.width == 1:
        known = {selector: terms.const(number, 1)}
    condition = terms.substitute(write.condition, known)
    address = terms.substitute(terms.concat(selector, terms.extract(write.address, 0, low_bits)), conjuncts(condition))
    return _Case(known, address, condition)


def _under(write: Write, case: _Case) -> Write:
    present = [t for t in terms.walk(write.data, marks=write.address.marks) if t.op == "load" and t.attr == write.memory and t.args[0] is write.address]
    old = {t: terms.load(write.memory, t.width, case.address) for t in present}
    condition = terms.substitute(case.condition, old) if old else case.condition
    within = {**case.known, **old, **conjuncts(condition)}
    done: dict[Term, Term] = {}
    mask = None if write.mask is None else terms.substitute(write.mask, within, done)
    found = Write(write.memory, case.address, terms.substitute(write.data, within, done), mask, condition)
    note_moved(done)
    return found


def distinct(a: Term, b: Term) -> bool | None:
    """True or False when two addresses certainly differ or are equal, None when it depends."""
    if a is b:
        return False
    if a.is_const and b.is_const:
        return True
    base_a, offset_a = split_offset(a)
    base_b, offset_b = split_offset(b)
    return offset_a != offset_b if base_a is base_b else None


def split_offset(address: Term) -> tuple[Term | None, int]:
    """`address` as (symbolic base or None, constant offset)."""
    if address.is_const:
        return None, int(address.attr)  # type: ignore[arg-type]
    if address.op == "add" and address.args[1].is_const:
        return address.args[0], int(address.args[1].attr)  # type: ignore[arg-type]
    return address, 0


@dataclass(frozen=True, slots=True)
class Assumption:
    """`condition` was taken to hold when `word` (a load) was read; it matters only where that load is used.  `stepwise`: it is about iterations of
    a loop, and the word is read within its iteration, so that nothing need be assumed where they are executed one after another."""

    word: Term
    condition: Term
    stepwise: bool = False


# A load -> the loads that it stands for, where it is known which branch of their addresses is taken.
_moved: dict[Term, set[Term]] = {}


def note_moved(replaced: dict[Term, Term]) -> None:
    """Loads whose addresses were simplified stand for the original ones."""
    for before, after in replaced.items():
        if before.op == "load" and after is not before and after.op == "load":
            _moved.setdefault(before, set()).add(after)


def known() -> tuple[dict[Any, Any], ...]:
    """What is remembered here about terms, for `lift.unroll.forget`."""
    return (_moved,)


def with_moved(assumptions: Iterable[Assumption]) -> tuple[Assumption, ...]:
    """The assumptions, also for the loads that stand for theirs: where one is used, its address is that of the original."""
    result: dict[Assumption, None] = {}
    for each in assumptions:
        words = [each.word]
        for word in words:
            words += sorted(_moved.get(word, set()) - {*words}, key=lambda t: t.serial)
        result.update((Assumption(word, _at(each, word), each.stepwise), None) for word in words)
    return tuple(result)


def _at(assumption: Assumption, word: Term) -> Term:
    """The condition of `assumption` about the address of `word`, which is another spelling of that of its own word."""
    clash, address = assumption.condition, assumption.word.args[0]
    if word is assumption.word or clash.op != "not":
        return clash
    result = TRUE
    for part in _leaves(clash.args[0]):
        others = [a for a in part.args if a is not address] if part.op == "eq" and address in part.args else None
        result = terms.both(result, part if others is None else terms.equal(others[0], word.args[0]) if others else TRUE)
    return terms.negate(result)


def read(log: tuple[Write, ...], memory: str, width: int, address: Term, assume: Callable[[Assumption], None]) -> Term:
    """The word at `address` after the writes in `log`, newest last; `assume` gets each condition that was taken to hold."""
    untouched = terms.load(memory, width, address)
    for position in range(len(log) - 1, -1, -1):
        write = log[position]
        if write.memory != memory:
            continue
        match distinct(write.address, address):
            case True:
                continue
            case None:
                assume(Assumption(untouched, terms.negate(terms.both(write.condition, terms.equal(write.address, address)))))
                continue
        older = read(log[:position], memory, width, address, assume)
        return terms.mux(write.condition, blend(write.data, older, write.mask), older)
    return untouched


def blend(data: Term, old: Term, mask: Term | None) -> Term:
    """`data` where `mask` is 1, `old` elsewhere; lane by lane when the mask is made of replicated bits."""
    if mask is None or (mask.is_const and mask.attr == (1 << mask.width) - 1):
        return data
    kept = terms.apply("and", data.width, (old, terms.negate(mask)))
    return terms.apply("or", data.width, (terms.apply("and", data.width, (data, mask)), kept))
