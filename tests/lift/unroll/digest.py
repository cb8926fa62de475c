"""A `Lift` to stable text: one line a mode and one an update function, the terms as digests that do not depend on the order of execution."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from lift.unroll import terms
from lift.unroll.extract import Lift, Mode
from lift.unroll.function import Loop, Statement, UpdateFunction
from lift.unroll.paths import describe
from lift.unroll.terms import Term

INDEX = re.compile(r"i\d+('?)$")


class Digest:
    """Digests of terms; loop indices are numbered in the order in which they first occur."""

    def __init__(self) -> None:
        self._done: dict[Term, str] = {}
        self._indices: dict[str, str] = {}

    def term(self, root: Term | None) -> str:
        if root is None:
            return "-"
        for term in terms.walk_until(root, self._done):  # type: ignore[arg-type]
            parts = [self._done[a] for a in term.args]
            if term.op in terms.COMMUTATIVE:
                parts.sort()
            whole = f"{term.op} {term.width} {self._attribute(term)} {' '.join(parts)}"
            self._done[term] = hashlib.sha256(whole.encode()).hexdigest()[:16]
        return self._done[root]

    def _attribute(self, term: Term) -> str:
        text = str(term.attr)
        match = INDEX.match(text) if term.op == "sym" else None
        if match is None:
            return re.sub(r"^undefined@.*", "undefined", text)
        return self._indices.setdefault(text.rstrip("'"), f"index{len(self._indices)}") + match[1]

    def statement(self, statement: Statement) -> str:
        if isinstance(statement, Loop):
            head = f"{self.term(statement.index)} {self.term(statement.count)}"
            return f"loop {head} {{{self.statements(statement.body)}}}"
        parts = (statement.address, statement.data, statement.mask, statement.condition)
        return " ".join(["store", statement.memory, *(self.term(t) for t in parts)])

    def statements(self, body: Iterable[Statement]) -> str:
        return "; ".join(self.statement(s) for s in body)


def text(lift: Lift) -> str:
    """Everything that the lift says, with a digest for each function."""
    lines = [f"arrays {name} {a.shape} {a.width}" for name, a in sorted(lift.arrays.items())]
    lines += [f"register {name}" for name in sorted(lift.registers)]
    lines += [f"opaque {name}: {reason}" for name, reason in sorted(lift.opaque.items())]
    lines += [f"vacuous {name}" for name in sorted(lift.vacuous)]
    for name, modes in sorted(lift.modes.items()):
        for mode in modes:
            lines += _mode(name, mode)
    return "\n".join(lines) + "\n"


def _mode(name: str, mode: Mode) -> list[str]:
    digest = Digest()
    functions = [f"  {target} {_function(digest, f)}" for target, f in sorted(mode.functions.items())]
    facts = ", ".join(("" if holds else "not ") + describe(p) for p, holds in mode.facts)
    domain = " ".join(sorted(digest.term(d) for d in mode.domain))
    assumed = " ".join(sorted(digest.term(a) for a in mode.assumptions))
    return [f"{name} {mode.number}: {facts} | domain {domain} | assumes {assumed}", *functions]


def _function(digest: Digest, function: UpdateFunction) -> str:
    whole = f"{digest.statements(function.body)} = {digest.term(function.result)}"
    short = f"{len(function.body)} statements" if function.result is None else describe(function.result)
    arguments = " ".join(a.name for a in function.arguments)
    return f"{short} {hashlib.sha256(whole.encode()).hexdigest()[:16]} ({arguments})"
