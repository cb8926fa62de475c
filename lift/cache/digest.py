"""What results depend on, as hashes: the tool itself, the solver, the design node by node."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from lift.netlist.model import Location, Netlist, Node
from lift.unroll.terms import Term, walk_until

PACKAGES = ("z3-solver", "xdsl")  # what computes results besides our own code


def digest(*parts: Any) -> str:
    """The hash of plain data: numbers, texts, bytes, None and tuples of them."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def plain(value: object) -> Any:
    """Data classes, containers and terms as plain data; sets and the order in which a term was met are the same in every process."""
    rows: list[Any] = []
    return _plain(value, {}, rows), tuple(rows)


def _plain(value: object, numbers: dict[Term, int], rows: list[Any]) -> Any:
    if isinstance(value, Term):
        for term in walk_until(value, numbers):
            rows.append((term.op, term.width, term.attr, tuple(numbers[a] for a in term.args)))
            numbers[term] = len(numbers)
        return numbers[value]
    if is_dataclass(value):
        return type(value).__name__, tuple(_plain(getattr(value, f.name), numbers, rows) for f in fields(value))
    if isinstance(value, Mapping):
        return tuple((_plain(k, numbers, rows), _plain(v, numbers, rows)) for k, v in value.items())
    if isinstance(value, (frozenset, set)):
        return tuple(sorted(value))
    if isinstance(value, (tuple, list)):
        return tuple(_plain(each, numbers, rows) for each in value)
    return value


@cache
def tool() -> str:
    """This version of the tool: the text of every module of its own (limits of the solver are constants there), Python, and the packages."""
    root = Path(__file__).parents[2]
    sources = sorted(path for package in ("lift", "act") for path in (root / package).rglob("*.py"))
    own = tuple((path.relative_to(root).as_posix(), hashlib.sha256(path.read_bytes()).hexdigest()) for path in sources)
    return digest(own, platform.python_version(), tuple(version(package) for package in PACKAGES))


class Nodes:
    """Hashes of the expressions of a design; equal expressions have equal hashes in every process."""

    def __init__(self) -> None:
        self._known: dict[int, bytes] = {}
        self._kept: list[Node] = []  # so that no identity is given twice

    def of(self, root: Node) -> bytes:
        known, stack = self._known, [root]
        while stack:
            node = stack[-1]
            if id(node) in known:
                stack.pop()
                continue
            missing = [a for a in node.args if id(a) not in known]
            if missing:
                stack += missing
                continue
            stack.pop()
            own = repr((node.op, node.width, node.attr, node.xmask, node.label)).encode()
            known[id(node)] = hashlib.sha256(own + b"".join(known[id(a)] for a in node.args)).digest()
            self._kept.append(node)
        return known[id(root)]

    def all(self, roots: Iterable[Node | None]) -> tuple[bytes | None, ...]:
        return tuple(None if root is None else self.of(root) for root in roots)

    def described(self, value: object) -> Any:
        """Part of a design as plain data, its expressions as their hashes, without places in the source text."""
        match value:
            case Node():
                return self.of(value)
            case Location():
                return None
            case Mapping():
                return tuple((name, self.described(each)) for name, each in value.items())
            case tuple() | list():
                return tuple(self.described(each) for each in value)
            case frozenset() | set():
                return tuple(sorted(value))
            case None | int() | str() | bytes():
                return value
        if not is_dataclass(value):
            raise TypeError(f"no hash of {type(value).__name__}")
        return tuple(self.described(getattr(value, f.name)) for f in fields(value) if f.compare)


def netlist_digest(netlist: Netlist, nodes: Nodes) -> str:
    """Everything of a design but where in the source text it stands."""
    parts = (nodes.described(getattr(netlist, f.name)) for f in fields(netlist) if f.compare and f.name != "locations")
    return digest(*parts, tuple(netlist.locations))
