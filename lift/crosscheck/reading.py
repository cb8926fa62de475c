"""One module of yosys' text to Z3 expressions over variables with RTL names: signals before the clock edge, registers and memories after it.

yosys describes a state by uninterpreted functions, of which every signal is made, and a step by equations.  Functions that stand for
inputs, registers and ports of instances are replaced by the variables; what is no more than such a function costs no equation.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import z3

from lift.crosscheck.bits import Bits, bit, extract, is_one
from lift.crosscheck.yosys import Section

Ports = Mapping[str, Mapping[str, int]]


class Unreadable(Exception):
    """The text is not what was expected; the message says what is missing."""


@dataclass(slots=True)
class Reading:
    """`axioms` hold for the variables that were bound, once all are."""

    section: Section
    before: dict[str, Bits]
    after: dict[str, Bits]
    memories_before: dict[str, Bits]
    memories_after: dict[str, Bits]
    pins: dict[str, Bits]
    substitution: dict[int, tuple[Bits, Bits]] = field(default_factory=dict)
    pending: list[tuple[Bits, Bits]] = field(default_factory=list)

    def bind(self, expression: Bits, value: Bits) -> None:
        """`expression` of yosys is the variable (or part of one) `value`."""
        if z3.is_bool(expression) and not z3.is_bool(value):
            value = is_one(value)
        key, leaf = expression.get_id(), _is_leaf(expression)
        if leaf and key not in self.substitution:
            self.substitution[key] = (expression, value)
        elif z3.is_app_of(expression, z3.Z3_OP_CONCAT):
            low = expression.size()
            for part in expression.children():
                low -= part.size()
                self.bind(part, extract(value, low, part.size()))
        elif (inner := _bit_of(expression)) is not None:
            self.bind(inner, bit(value))
        elif (kept := self._reset(expression)) is not None:
            self.substitution[kept.get_id()] = (kept, value)
            self.pending.append((expression, value))
        else:
            self.pending.append((expression, value))

    def _reset(self, expression: Bits) -> Bits | None:
        """The register behind a multiplexer by which an asynchronous reset acts at once."""
        if not z3.is_app_of(expression, z3.Z3_OP_ITE):
            return None
        leaves = [a for a in expression.children()[1:] if _is_leaf(a) and a.get_id() not in self.substitution]
        return leaves[0] if len(leaves) == 1 else None

    def resolve(self, expressions: Sequence[Bits]) -> list[Bits]:
        """Expressions over the variables, Booleans as 1 bit."""
        found = substituted(expressions, list(self.substitution.values()))
        return [bit(e) if z3.is_bool(e) else e for e in found]

    @property
    def axioms(self) -> list[Bits]:
        """What else holds of the variables."""
        values = [bit(value) if z3.is_bool(value) else value for _, value in self.pending]
        return [a == b for a, b in zip(self.resolve([e for e, _ in self.pending]), values, strict=True)]


def substituted(expressions: Sequence[Bits], pairs: Sequence[tuple[Bits, Bits]]) -> list[Bits]:
    """Each expression with the pairs replaced; all in one go, as what they share is shared by thousands."""
    if not expressions or not pairs:
        return list(expressions)
    packed = z3.And(*(z3.Const(f"@{n}", e.sort()) == e for n, e in enumerate(expressions)), z3.BoolVal(True))
    return [_marked(equation) for equation in z3.substitute(packed, *pairs).children()[:-1]]


def read(section: Section, ports: Ports, quiet: Mapping[str, int], signals: Collection[str], registers: Collection[str]) -> Reading:
    """`ports`: for each instance the widths of its ports.  `signals` are wanted before the step and `registers` after it.  `quiet`: inputs
    with the value that they have after the step (asynchronous resets that are over).  Raises Unreadable."""
    lines = [*_children(section, ports), section.text, f"(declare-fun |@s| () |{section.name}_s|)", f"(declare-fun |@t| () |{section.name}_s|)"]
    lines.append(f"(assert (|{section.name}_h| |@s|))")
    lines.append(f"(assert (|{section.name}_t| |@s| |@t|))")
    wanted = list(_wanted(section, signals, {*registers, *quiet}))
    lines += [f"(declare-fun |@{n}| () {sort}) (assert (= |@{n}| {text}))" for n, (_, _, sort, text) in enumerate(wanted)]
    try:
        found: Bits = z3.parse_smt2_string("\n".join(lines))
    except z3.Z3Exception as error:
        raise Unreadable(f"Z3 does not read the text of yosys: {_first(error)}") from error
    return _assembled(section, ports, quiet, wanted, list(found))


def _first(error: z3.Z3Exception) -> str:
    value = error.args[0] if error.args else error
    text = value.decode() if isinstance(value, bytes) else str(value)
    return text.strip().splitlines()[0] if text.strip() else "no message"


def _wanted(section: Section, signals: Collection[str], registers: Collection[str]) -> Iterator[tuple[str, str, str, str]]:
    """(table, name, sort, text) of everything that is looked at."""
    for name, sort in section.sorts.items():
        if name in signals:
            yield "before", name, sort, f"(|{section.name}_n {name}| |@s|)"
        if name in registers:
            yield "after", name, sort, f"(|{section.name}_n {name}| |@t|)"
    for name, sort in section.memories.items():
        yield "memories_before", name, sort, f"(|{section.name}_m {name}| |@s|)"
        yield "memories_after", name, sort, f"(|{section.name}_m {name}| |@t|)"


def _children(section: Section, ports: Ports) -> Iterator[str]:
    """Declarations of the modules of instances: nothing is known about them but their ports."""
    done: set[str] = set()
    for instance, module in section.cells.items():
        if module in done:
            continue
        done.add(module)
        yield f"(declare-sort |{module}_s| 0)"
        yield from (f"(declare-fun |{module}_{kind}| (|{module}_s|) Bool)" for kind in ("is", "a", "u", "i", "h"))
        yield f"(declare-fun |{module}_t| (|{module}_s| |{module}_s|) Bool)"
        for port, width in ports.get(instance, {}).items():
            yield f"(declare-fun |{module}_n {port}| (|{module}_s|) {'Bool' if width == 1 else f'(_ BitVec {width})'})"


def _assembled(section: Section, ports: Ports, quiet: Mapping[str, int], wanted: list[tuple[str, str, str, str]], found: list[Bits]) -> Reading:
    tables: dict[str, dict[str, Bits]] = {"before": {}, "after": {}, "memories_before": {}, "memories_after": {}}
    split = len(found) - len(wanted)
    for (table, name, _, _), equation in zip(wanted, found[split:], strict=True):
        tables[table][name] = _marked(equation)
    links, step = (list(_equations(c)) for c in (found[:1], found[1:split]))
    moves = [(b, a) if _is_leaf(b) and b.arg(0).decl().name() == "@t" else (a, b) for a, b in step]
    for name, value in quiet.items():
        if name in tables["after"]:
            moves.append((tables["after"][name], z3.BoolVal(bool(value))))
    for table in ("after", "memories_after"):
        tables[table] = dict(zip(tables[table], substituted(list(tables[table].values()), moves), strict=True))
    return Reading(section, tables["before"], tables["after"], tables["memories_before"], tables["memories_after"], dict(_pins(ports, links)))


def _marked(equation: Bits) -> Bits:
    """What a marker is set equal to, on whichever side Z3 has put it."""
    one, other = equation.children()
    return other if z3.is_const(one) and one.decl().name().startswith("@") else one


def _equations(parts: list[Bits]) -> Iterator[tuple[Bits, Bits]]:
    """The two sides of each equation in a conjunction, in either order."""
    for part in parts:
        if z3.is_and(part):
            yield from _equations(part.children())
        elif z3.is_eq(part):
            yield part.arg(0), part.arg(1)


def _pins(ports: Ports, links: list[tuple[Bits, Bits]]) -> Iterator[tuple[str, Bits]]:
    """What is connected to each port of each instance, by `instance.port`."""
    for one, other in links:
        outside, inside = (one, other) if other.num_args() == 1 and other.arg(0).num_args() == 1 else (other, one)
        if inside.num_args() == 1 and inside.arg(0).num_args() == 1 and " " in inside.decl().name():
            instance = inside.arg(0).decl().name().partition("_h ")[2]
            port = inside.decl().name().partition("_n ")[2]
            if port in ports.get(instance, {}):
                yield f"{instance}.{port}", outside


def _is_leaf(expression: Bits) -> bool:
    """A function of the state that nothing defines."""
    return z3.is_app_of(expression, z3.Z3_OP_UNINTERPRETED) and expression.num_args() == 1


def _bit_of(expression: Bits) -> Bits | None:
    """The 1-bit vector of which `expression` is the truth: `(= ((_ extract 0 0) a) #b1)`."""
    if not z3.is_eq(expression) or not z3.is_bv(expression.arg(0)):
        return None
    inner, other = expression.arg(0), expression.arg(1)
    if z3.is_app_of(inner, z3.Z3_OP_EXTRACT) and inner.size() == inner.arg(0).size():
        inner = inner.arg(0)
    return inner if inner.size() == 1 and z3.is_bv_value(other) and other.as_long() == 1 and not z3.is_bv_value(inner) else None
