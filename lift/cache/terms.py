"""Data with terms in it <-> bytes.  Terms are hash-consed per process: what is read is put into the table again, so that equal terms are one object."""

from __future__ import annotations

import io
import marshal
import pickle
from collections.abc import Callable
from typing import Any

from lift.cache.store import DataOnly
from lift.unroll import terms
from lift.unroll.machine import Later
from lift.unroll.terms import Term

Row = tuple[str, int, int | str | None, tuple[int, ...]]  # operator, width, attribute, numbers of operands


class Writer:
    """Numbers terms; `rows` describes them, operands first."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._numbers: dict[Term, int] = {}

    def term(self, root: Term) -> int:
        for term in terms.walk_until(root, self._numbers):
            self.rows.append((term.op, term.width, term.attr, tuple(self._numbers[a] for a in term.args)))
            self._numbers[term] = len(self._numbers)
        return self._numbers[root]


def read_terms(rows: list[Row], undefined: str) -> list[Term]:
    """The terms that a `Writer` numbered.  `undefined` sets those undefined values apart that had no name of their own, only a number in the process
    that made them."""
    found: list[Term] = []
    for op, width, attr, args in rows:
        if op == "sym" and str(attr).startswith("undefined@"):
            attr = f"{attr}.{undefined}"
        found.append(terms.make(op, width, tuple(found[a] for a in args), attr))
    return found


def dump(value: object) -> bytes:
    """`value`, made of data classes, containers, terms, and register values some of which nobody has computed."""
    data, writer = io.BytesIO(), Writer()
    _Pickler(data, writer).dump(value)
    return marshal.dumps((writer.rows, data.getvalue()), 2)


def load(content: bytes, undefined: str) -> Any:
    """What `dump` was given; values that were not computed are `Unknown`."""
    rows, data = marshal.loads(content)
    return _Unpickler(io.BytesIO(data), read_terms(rows, undefined)).load()


class Unknown:
    """Stands for a register's value that was never computed."""


class _Pickler(pickle.Pickler):
    def __init__(self, out: io.BytesIO, writer: Writer) -> None:
        super().__init__(out, pickle.HIGHEST_PROTOCOL)
        self._writer = writer

    def persistent_id(self, obj: Any) -> int | None:
        return self._writer.term(obj) if type(obj) is Term else None

    def reducer_override(self, obj: Any) -> Any:
        if type(obj) is not Later:
            return NotImplemented
        known = obj.known()
        return (Unknown, ()) if isinstance(known, Later) else (computed, (known,))


class _Unpickler(DataOnly):
    def __init__(self, data: io.BytesIO, found: list[Term]) -> None:
        super().__init__(data)
        self._terms = found

    def persistent_load(self, number: int) -> Term:  # type: ignore[override]
        return self._terms[number]


def computed(term: Term) -> Later:
    """A value that was to be computed later, and has been."""
    made = Later(_giving(term))
    made.now()
    return made


def _giving(term: Term) -> Callable[[], Term]:
    return lambda: term
