"""The clauses of one instruction: text -> `Draft` -> `Instruction`."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from typing import Any

from act.records import dataclass, field
from act.taidl.expr_text import WORDS, read_expr
from act.taidl.model import Expr, Field, Index, Instruction, Read, Set, Slice, TokenUse, Use, Word, Write
from act.taidl.scanner import Scanner, SyntaxProblem
from act.taidl.steps import read_steps

_DECLARATIONS = frozenset({"command", "hbm", "buffer", "config", "staged", "instruction", "composite", "assume", "proved"})
_CLAUSES = frozenset({"part", "source", "encode", "when", "use", "read", "write", "clobber", "set", "after", "cost", "opaque", "body"})
RESERVED = WORDS | _CLAUSES | _DECLARATIONS
"""Words that end an expression and are no names.  The words below that are not among them may be names as well."""
DECLARATIONS = _DECLARATIONS | {"constant", "token", "unit"}
CLAUSES = _CLAUSES | {"before", "exclusive", "pop", "push", "on", "do"}


@dataclass(slots=True)
class Draft:
    """An instruction while its clauses come in; `found[clause]` holds what each occurrence of the clause says."""

    name: str
    alpha: tuple[str, ...]
    beta: tuple[str, ...]
    line: int
    found: dict[str, list[Any]] = field(default_factory=dict)

    def count(self, clause: str) -> int:
        return len(self.found.get(clause, ()))

    def all(self, clause: str) -> tuple[Any, ...]:
        return tuple(self.found.get(clause, ()))

    def joined(self, clause: str) -> tuple[Any, ...]:
        return tuple(item for items in self.all(clause) for item in items)

    def instruction(self) -> Instruction:
        cost, body, unit, steps = (self.all(clause)[0] if self.count(clause) else None for clause in ("cost", "body", "on", "do"))
        return Instruction(
            self.name, self.alpha, self.beta, self.joined("encode"), self.all("when"), self.all("use"), self.all("read"), self.all("write"),
            self.all("clobber"), self.all("set"), self.joined("after"), cost, body or "",
            part_only=bool(self.found.get("part")), opaque=bool(self.found.get("opaque")), source=self.all("source"), line=self.line,
            before=self.joined("before"), exclusive=self.joined("exclusive"), pops=self.all("pop"), pushes=self.all("push"),
            unit=unit, steps=steps or (),
        )  # fmt: skip


def normal_body(text: str) -> str:
    """The body as it is kept: without common indentation, blank ends and spaces at line ends."""
    lines = [line.rstrip() for line in text.expandtabs().splitlines()]
    return textwrap.dedent("\n".join(lines)).strip("\n")


def read_clause(scanner: Scanner, clause: str, draft: Draft, words: Mapping[str, Word]) -> None:
    """Reads what follows the keyword `clause` into `draft`."""
    once = {"part", "cost", "opaque", "body", "on", "do"}
    if clause in once and draft.count(clause):
        raise SyntaxProblem(scanner.at, f"'{clause}' is given twice for '{draft.name}'", "keep one")
    readers: dict[str, Callable[[], Any]] = {
        "part": lambda: True,
        "opaque": lambda: True,
        "source": scanner.rest_of_line,
        "encode": lambda: _encode(scanner, words),
        "when": lambda: _expr(scanner),
        "use": lambda: _use(scanner),
        "read": lambda: _read(scanner),
        "write": lambda: _write(scanner),
        "clobber": lambda: _slice(scanner),
        "set": lambda: _set(scanner),
        "after": lambda: _names(scanner),
        "before": lambda: _names(scanner),
        "exclusive": lambda: _names(scanner),
        "pop": lambda: _token(scanner),
        "push": lambda: _token(scanner),
        "on": lambda: scanner.name("a unit", RESERVED),
        "do": lambda: read_steps(scanner),
        "cost": lambda: _expr(scanner),
        "body": lambda: normal_body(scanner.with_constants(scanner.braces()[0])),
    }
    value = readers[clause]()
    _check_end(scanner, clause)
    draft.found.setdefault(clause, []).append(value)


def _check_end(scanner: Scanner, clause: str) -> None:
    token = scanner.peek()
    if token.kind != "end" and token.text not in CLAUSES | DECLARATIONS:
        expected = f"the end of the '{clause}' clause, another clause or a declaration"
        raise SyntaxProblem(token.at, f"expected {expected}, found '{token.text}'", f"clauses are: {', '.join(sorted(CLAUSES))}")


def _expr(scanner: Scanner) -> Expr:
    return read_expr(scanner, RESERVED)


def _encode(scanner: Scanner, words: Mapping[str, Word]) -> tuple[Field, ...]:
    fields = [_field(scanner, words)]
    while scanner.accept(";"):
        fields.append(_field(scanner, words))
    return tuple(fields)


def _field(scanner: Scanner, words: Mapping[str, Word]) -> Field:
    at, word = scanner.peek().at, scanner.name("a command word", RESERVED)
    if word not in words:
        known = ", ".join(words) or "none"
        raise SyntaxProblem(at, f"'{word}' is no command word (known: {known})", "declare it by 'command' before the instructions")
    high, low = words[word].width - 1, 0
    if scanner.accept("["):
        high = low = scanner.integer("a bit number")
        if scanner.accept(":"):
            low = scanner.integer("a bit number")
        scanner.expect("]")
    scanner.expect("=")
    return Field(word, high, low, _expr(scanner))


def _register(scanner: Scanner) -> tuple[str, Expr | None]:
    name = scanner.name("a register", RESERVED)
    if not scanner.accept("["):
        return name, None
    index = read_expr(scanner)
    scanner.expect("]")
    return name, index


def _use(scanner: Scanner) -> Use:
    state, index = _register(scanner)
    if scanner.accept("as"):
        return Use(state, index, name=scanner.name("the name for the register's value", RESERVED))
    if scanner.accept("=="):
        return Use(state, index, equals=_expr(scanner))
    scanner.fail("'as NAME' or '== VALUE'")


def _set(scanner: Scanner) -> Set:
    state, index = _register(scanner)
    scanner.expect("=")
    return Set(state, index, _expr(scanner))


def _read(scanner: Scanner) -> Read:
    name = scanner.tensor()
    scanner.expect("=")
    return Read(name, _slice(scanner))


def _write(scanner: Scanner) -> Write:
    target = _slice(scanner)
    scanner.expect("=")
    return Write(target, scanner.tensor(), scanner.tensor() if scanner.accept("if") else None)


def _slice(scanner: Scanner) -> Slice:
    buffer = scanner.name("a buffer", RESERVED)
    scanner.expect("[")
    coordinates = _coordinates(scanner)
    if scanner.accept("]"):
        if not scanner.accept("["):
            return Slice(buffer, coordinates, ())
        coordinates += _coordinates(scanner)
    indices = _indices(scanner) if scanner.accept(":") else ()
    scanner.expect("]")
    return Slice(buffer, coordinates, indices)


def _coordinates(scanner: Scanner) -> tuple[Expr, ...]:
    found = [read_expr(scanner)]
    while scanner.accept(","):
        found.append(read_expr(scanner))
    return tuple(found)


def _indices(scanner: Scanner) -> tuple[Index, ...]:
    found = [_index(scanner)]
    while scanner.accept(","):
        found.append(_index(scanner))
    return tuple(found)


def _index(scanner: Scanner) -> Index:
    name = scanner.name("an index variable", RESERVED)
    scanner.expect("<")
    return Index(name, read_expr(scanner))


def _token(scanner: Scanner) -> TokenUse:
    token = scanner.name("a token", RESERVED)
    return TokenUse(token, _expr(scanner) if scanner.accept("if") else None)


def _names(scanner: Scanner) -> tuple[str, ...]:
    found = [scanner.name("an instruction")]
    while scanner.accept(","):
        found.append(scanner.name("an instruction"))
    return tuple(found)
