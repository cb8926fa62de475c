"""An instruction set -> its commands: the instructions of one opcode together, the registers that they need and set, and what they compute with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from act.taidl import Accelerator, Instruction, Int
from act.taidl.body import body_of

# Operators that rename, place or repeat elements and compute nothing.
_PLUMBING = frozenset(
    "parameter constant broadcast reshape bitcast bitcast-convert convert copy transpose slice concatenate pad tuple get-tuple-element iota".split()
)

Code = frozenset[tuple[str, int, int, int]]  # constant fields: word, high, low, value
Move = tuple[frozenset[str], str]  # buffers that are read, and the one that is written


@dataclass(frozen=True, slots=True)
class Command:
    """The instructions of one opcode: the ways in which one command may be meant.  `code` is what tells it from others."""

    name: str
    members: tuple[Instruction, ...]
    code: Code = frozenset()

    @property
    def operators(self) -> set[str]:
        return {o for each in self.members for o in operators(each)}

    @property
    def registers(self) -> set[str]:
        """Those that its operations need or set; of several of one kind, which."""
        return {register(u.state, u.index) for i in self.members for u in (*i.uses, *i.sets)}

    @property
    def needed(self) -> set[str]:
        """The registers that it needs, those of one kind under one name."""
        return {u.state for i in self.members for u in i.uses}

    @property
    def changed(self) -> set[str]:
        return {s.state for i in self.members for s in i.sets}

    @property
    def moves(self) -> bool:
        """Whether it writes a buffer, beside registers."""
        return any(i.writes for i in self.members)


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two instruction sets; `names`: what the hardware calls its buffers."""

    accelerator: Accelerator
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.accelerator.name

    def moves(self, each: Instruction) -> set[Move]:
        read = frozenset(self.names.get(r.slice.buffer, r.slice.buffer) for r in each.reads)
        return {(read, self.names.get(w.slice.buffer, w.slice.buffer)) for w in each.writes}


def operators(each: Instruction) -> set[str]:
    """What the body computes with: `add`, `dot`, `reduce-window(maximum)`, ..."""
    if not each.body.strip():
        return set()
    found = {(o.opcode, o.attributes.get("kind")) for o in body_of(each)}
    return {opcode if kind is None else f"{opcode}({kind})" for opcode, kind in found if opcode not in _PLUMBING}


def able(some: Iterable[Instruction]) -> set[str]:
    """The operators that instructions compute with, and those that they are made of: a clamp is a maximum and a minimum."""
    found = {o for each in some for o in operators(each)}
    return found | {"maximum", "minimum"} if "clamp" in found else found


def register(state: str, index: object | None) -> str:
    match index:
        case None:
            return state
        case Int(value):
            return f"{state}[{value}]"
    return f"{state}[...]"


def commands(accelerator: Accelerator) -> list[Command]:
    """Instructions by the constants that all of them have in the same bits; those without an encoding, or without an effect on memory, each by itself."""
    own = [i for i in accelerator.instructions.values() if not i.steps or i.encode]
    encoded = [i for i in own if i.encode]
    places = set.intersection(*({f[:3] for f in _constants(i)} for i in encoded)) if encoded else set()
    groups: dict[object, list[Instruction]] = {}
    for each in own:
        code = frozenset(f for f in _constants(each) if f[:3] in places)
        groups.setdefault((code, "" if code and each.writes else each.name), []).append(each)
    return [Command(_stem([i.name for i in g]), tuple(g), frozenset(f for f in _constants(g[0]) if f[:3] in places)) for g in groups.values()]


def _constants(each: Instruction) -> Code:
    return frozenset((f.word, f.high, f.low, f.value.value) for f in each.encode if isinstance(f.value, Int))


def _stem(names: Sequence[str]) -> str:
    """The words that the names begin with."""
    words = zip(*(n.split("_") for n in names), strict=False)
    return "_".join(w[0] for w in takewhile(lambda w: len(set(w)) == 1, words)) or names[0]


def paired(hardware: Accelerator, model: Accelerator) -> dict[str, str]:
    """Buffers of the model -> those of the hardware: the host's memory, then of one type, then the only one with such elements."""
    found: dict[str, str] = {}
    kinds = (lambda b: b.hbm or None, lambda b: (b.element, b.access, b.unit), lambda b: (b.element, len(b.access), len(b.unit)), lambda b: b.element)
    for kind in kinds:
        for name, buffer in model.buffers.items():
            rest = [n for n, b in hardware.buffers.items() if n not in found.values() and _of_kind(kind(b), kind(buffer))]
            rivals = [n for n, b in model.buffers.items() if n not in found and _of_kind(kind(b), kind(buffer))]
            if name not in found and rest and len(rest) == len(rivals) == 1:
                found[name] = rest[0]
    return found


def _of_kind(one: object, other: object) -> bool:
    return one is not None and one == other
