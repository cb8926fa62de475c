"""`.taidl` text -> `Accelerator`.  Several errors are reported in one run: after one the parser goes on at the next clause or declaration."""

from __future__ import annotations

import re
from collections.abc import Callable

from act.errors import UserError
from act.taidl.clauses import CLAUSES, DECLARATIONS, RESERVED, Draft, read_clause
from act.taidl.expr import ExprError, evaluate
from act.taidl.expr_text import read_expr
from act.taidl.model import Accelerator, Buffer, Composite, Instruction, Note, State, Token, Word
from act.taidl.scanner import Scanner, SyntaxProblem
from act.taidl.steps import read_parts

VERSION = 1
ADVICE = "correct the file there; docs/taidl.md is the reference, isas/reference has examples"
Locations = dict[tuple[str, str, int], str]
"""Where a clause stands: (instruction, clause, how many of that clause came before) -> `file:line:column`; for a buffer or register
(name, "declaration", 0), for a note ("", "note", how many came before)."""


class TaidlErrors(UserError):
    """The errors of one file, in the order of the text; as a message they stand one below the other."""

    def __init__(self, errors: list[UserError]) -> None:
        self.errors = tuple(errors)
        super().__init__(errors[0].location, errors[0].problem, errors[0].advice)

    def __str__(self) -> str:
        return "\n".join(map(str, self.errors))


def parse(text: str, filename: str = "<taidl>") -> Accelerator:
    """The accelerator that `text` describes; `TaidlErrors` when it is malformed.  `verify` checks what it means."""
    return parse_located(text, filename)[0]


def parse_located(text: str, filename: str = "<taidl>") -> tuple[Accelerator, Locations]:
    """As `parse`, and where each clause stands."""
    parser = _Parser(text, filename)
    accelerator = parser.file()
    if parser.errors:
        raise TaidlErrors(parser.errors)
    return accelerator, parser.locations


class _Parser:
    def __init__(self, text: str, filename: str) -> None:
        self.scanner = Scanner(text, filename)
        self.errors: list[UserError] = []
        self.locations: Locations = {}
        self.name, self.header = "", ""
        self.words: dict[str, Word] = {}
        self.buffers: dict[str, Buffer] = {}
        self.states: dict[str, State] = {}
        self.instructions: dict[str, Instruction] = {}
        self.composites: dict[str, Composite] = {}
        self.notes: list[Note] = []
        self.tokens: dict[str, Token] = {}
        self.units: dict[str, None] = {}

    def file(self) -> Accelerator:
        if self.guard(self.head, ()):
            while self.scanner.peek().kind != "end":
                self.guard(self.declaration, DECLARATIONS)
        return Accelerator(
            self.name, tuple(self.words.values()), self.buffers, self.states, self.instructions, self.composites, tuple(self.notes), self.header,
            self.tokens, tuple(self.units),
        )  # fmt: skip

    def guard(self, step: Callable[[], None], resume: frozenset[str] | tuple[str, ...]) -> bool:
        """Does `step`; on an error notes it and moves to the next line that begins with a word of `resume`."""
        try:
            step()
            return True
        except SyntaxProblem as problem:
            self.errors.append(UserError(self.scanner.location(problem.at), problem.problem, problem.advice or ADVICE))
            self.scanner.at = max(self.scanner.at, problem.at)
            self.scanner.skip_to_line(resume)
            return False

    def head(self) -> None:
        scanner = self.scanner
        if not scanner.accept("taidl"):
            scanner.fail("'taidl 1'", "the first line of a TAIDL file is its format version")
        at, version = scanner.peek().at, scanner.integer("the format version")
        if version != VERSION:
            raise SyntaxProblem(at, f"expected format version {VERSION}, found {version}", "use the release that wrote this file")
        lines = re.match(r"[^\n]*\n((?:#[^\n]*\n)*)", scanner.text[scanner.at :] + "\n")
        self.header = "\n".join(re.sub("^# ?", "", line).rstrip() for line in lines.group(1).splitlines()) if lines else ""
        scanner.expect("accelerator")
        self.name = scanner.name("the accelerator's name")

    def declaration(self) -> None:
        token = self.scanner.peek()
        if token.text not in DECLARATIONS:
            self.scanner.fail(f"a declaration ({', '.join(sorted(DECLARATIONS))})")
        self.scanner.next()
        match token.text:
            case "command":
                self.command()
            case "hbm" | "buffer":
                self.buffer(hbm=token.text == "hbm")
            case "config" | "staged":
                self.state(token.text)
            case "token":
                self.token()
            case "unit":
                self.unit()
            case "constant":
                self.named_constant()
            case "instruction" | "composite":
                self.instruction(composite=token.text == "composite")
            case _:
                self.note(token.text)

    def fresh(self, what: str, taken: dict[str, object]) -> str:
        at, name = self.scanner.peek().at, self.scanner.name(what)
        if name in taken:
            raise SyntaxProblem(at, f"'{name}' is declared twice", "give each a name of its own")
        return name

    def command(self) -> None:
        while True:
            name = self.fresh("the name of a command word", {**self.words})
            self.scanner.expect(":")
            self.words[name] = Word(name, self.positive("the width of the word in bits"))
            if not self.scanner.accept(","):
                return

    def token(self) -> None:
        at = self.scanner.peek().at
        name = self.fresh("the token's name", {**self.tokens})
        self.locations[name, "declaration", 0] = self.scanner.location(at)
        limit = self.positive("how many tokens are too many") if self.scanner.accept("<") else None
        at = self.scanner.peek().at
        initial = self.constant("the initial count") if self.scanner.accept("=") else 0
        if limit is not None and initial >= limit:
            raise SyntaxProblem(at, f"expected an initial count below {limit}, found {initial}")
        self.tokens[name] = Token(name, initial, limit)

    def unit(self) -> None:
        while True:
            self.units[self.fresh("the name of a unit", {**self.units})] = None
            if not self.scanner.accept(","):
                return

    def named_constant(self) -> None:
        """Constants are put in where they stand: the model does not have them."""
        name = self.fresh("the constant's name", {**self.scanner.constants, **self.buffers, **self.states})
        self.scanner.expect("=")
        self.scanner.constants[name] = self.constant(f"the value of {name}")

    def buffer(self, hbm: bool) -> None:
        at = self.scanner.peek().at
        name = self.fresh("the buffer's name", {**self.buffers, **self.states})
        self.locations[name, "declaration", 0] = self.scanner.location(at)
        self.scanner.expect(":")
        element = self.scanner.name("an element type, such as s8")
        at, access = self.scanner.peek().at, self.dimensions()
        unit = self.dimensions() if self.scanner.peek().text == "[" else ()
        if hbm and (len(access) != 1 or unit):
            raise SyntaxProblem(at, "expected one dimension of bytes for a host memory", f"write hbm {name} : u8[{access[0]}]")
        self.buffers[name] = Buffer(name, element, access, unit, hbm)

    def dimensions(self) -> tuple[int, ...]:
        self.scanner.expect("[")
        sizes = [self.positive("the size of a dimension")]
        while self.scanner.accept(","):
            sizes.append(self.positive("the size of a dimension"))
        self.scanner.expect("]")
        return tuple(sizes)

    def constant(self, what: str) -> int:
        at = self.scanner.peek().at
        try:
            return evaluate(read_expr(self.scanner), {})
        except ExprError as error:
            raise SyntaxProblem(at, f"expected a constant, {what}: {error}") from None

    def positive(self, what: str) -> int:
        at, value = self.scanner.peek().at, self.constant(what)
        if value < 1:
            raise SyntaxProblem(at, f"expected {what}, at least 1, found {value}")
        return value

    def state(self, kind: str) -> None:
        at = self.scanner.peek().at
        name = self.fresh("the register's name", {**self.buffers, **self.states})
        self.locations[name, "declaration", 0] = self.scanner.location(at)
        count = None
        if self.scanner.accept("["):
            count = self.positive("the number of registers")
            self.scanner.expect("]")
        self.scanner.expect(":")
        element = self.scanner.name("the register's type, such as u14")
        initial = self.constant("the initial value") if self.scanner.accept("=") else None
        self.states[name] = State(name, kind, element, count, initial)  # type: ignore[arg-type]

    def instruction(self, composite: bool) -> None:
        at = self.scanner.peek().at
        name = self.fresh("the instruction's name", {**self.instructions, **self.composites})
        self.locations[name, "instruction", 0] = self.scanner.location(at)
        draft = Draft(name, *self.attributes(), self.scanner.line(at))
        parts = read_parts(self.scanner) if composite else ()
        while self.scanner.peek().text in CLAUSES:
            self.guard(lambda: self.clause(draft, composite), CLAUSES | DECLARATIONS)
        if composite:
            self.composites[name] = Composite(draft.instruction(), parts)
        else:
            self.instructions[name] = draft.instruction()

    def attributes(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        groups: list[list[str]] = [[], []]
        start = self.scanner.expect("(").at
        while self.scanner.peek().text != ")":
            chosen = groups[1] if self.scanner.accept("|") else groups[0]
            chosen.extend(self.name_list({")", "|"}))
            if chosen is groups[1]:
                break
        if len({*groups[0], *groups[1]}) < len(groups[0]) + len(groups[1]):
            raise SyntaxProblem(start, "an attribute is named twice", "give each attribute a name of its own")
        self.scanner.expect(")")
        return tuple(groups[0]), tuple(groups[1])

    def name_list(self, ends: set[str]) -> list[str]:
        if self.scanner.peek().text in ends:
            return []
        found = [self.attribute()]
        while self.scanner.accept(","):
            found.append(self.attribute())
        return found

    def attribute(self) -> str:
        at, name = self.scanner.peek().at, self.scanner.name("an attribute", RESERVED)
        if name in self.scanner.constants:
            raise SyntaxProblem(at, f"'{name}' is a constant", "give the attribute another name")
        return name

    def clause(self, draft: Draft, composite: bool) -> None:
        token = self.scanner.next()
        if composite and token.text == "encode":
            raise SyntaxProblem(token.at, "expected no encode clause: the parts of a composite are encoded", "remove the clause")
        self.locations[draft.name, token.text, draft.count(token.text)] = self.scanner.location(token.at)
        if token.text == "body" and self.scanner.peek().text == "{":
            self.locations[draft.name, "text of body", 0] = self.scanner.location(self.scanner.body_start())
        read_clause(self.scanner, token.text, draft, self.words)

    def note(self, kind: str) -> None:
        self.locations["", "note", len(self.notes)] = self.scanner.location(self.scanner.peek().at)
        subject = self.scanner.name("the instruction that the note is about")
        while self.scanner.accept("."):
            subject += "." + self.scanner.name("a buffer")
        self.scanner.expect(":")
        self.notes.append(Note(kind, subject, self.scanner.rest_of_line()))  # type: ignore[arg-type]
