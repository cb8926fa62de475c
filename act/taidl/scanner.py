"""Text -> tokens, one at a time on demand, because notes and bodies inside a TAIDL file are not made of tokens."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection
from typing import NamedTuple, NoReturn

_BLANK = re.compile(r"(?:\s+|#[^\n]*)*")
_TOKEN = re.compile(r"(0[xX][0-9a-fA-F_]+|\d[\d_]*)|([A-Za-z_]\w*)|(<<|>>|<=|>=|==|!=|.)")
_TENSOR = re.compile(r"%[A-Za-z_][\w.-]*")
_LINE = re.compile(r"[^\n]*")


class Token(NamedTuple):
    """`kind` is "int", "name", "op" or "end"; `at` is the offset in the text."""

    kind: str
    text: str
    at: int


class SyntaxProblem(Exception):
    """What is wrong at one place of the text; the parser turns it into an error with a location."""

    def __init__(self, at: int, problem: str, advice: str | None = None) -> None:
        self.at, self.problem, self.advice = at, problem, advice
        super().__init__(problem)


class Scanner:
    """A position in `text`.  Comments run from `#` to the end of the line."""

    def __init__(self, text: str, filename: str, at: int = 0) -> None:
        self.text, self.filename, self.at = text, filename, at
        self._starts = [0] + [match.end() for match in re.finditer(r"\n", text)]
        self._peeked: tuple[int, Token] | None = None
        self.constants: dict[str, int] = {}
        """Names that stand for integers, in expressions and between back-quotes."""

    def line(self, at: int) -> int:
        return bisect_right(self._starts, at)

    def location(self, at: int) -> str:
        """`file:line:column`, both from 1."""
        line = self.line(at)
        return f"{self.filename}:{line}:{at - self._starts[line - 1] + 1}"

    def peek(self) -> Token:
        if self._peeked is None or self._peeked[0] != self.at:
            self._peeked = self.at, self._read()
        return self._peeked[1]

    def _read(self) -> Token:
        at = self._skip_blank()
        match = _TOKEN.match(self.text, at)
        if match is None:
            return Token("end", "end of file", at)
        number, name, _ = match.groups()
        return Token("int" if number else "name" if name else "op", match.group(), at)

    def _skip_blank(self) -> int:
        match = _BLANK.match(self.text, self.at)
        return match.end() if match else self.at

    def next(self) -> Token:
        token = self.peek()
        self.at = token.at if token.kind == "end" else token.at + len(token.text)
        return token

    def accept(self, text: str) -> bool:
        """Passes over the token `text` if it comes next."""
        found = self.peek().text == text and self.peek().kind != "end"
        if found:
            self.next()
        return found

    def expect(self, text: str) -> Token:
        if self.peek().text != text:
            self.fail(f"'{text}'")
        return self.next()

    def name(self, what: str, reserved: Collection[str] = ()) -> str:
        token = self.peek()
        if token.kind != "name":
            self.fail(what)
        if token.text in reserved:
            raise SyntaxProblem(token.at, f"expected {what}, found the keyword '{token.text}'", "choose another name")
        return self.next().text

    def integer(self, what: str) -> int:
        if self.peek().kind != "int":
            self.fail(what)
        token = self.next()
        try:
            return int(token.text, 0)
        except ValueError:
            raise SyntaxProblem(token.at, f"expected an integer, found '{token.text}'", "decimal numbers do not start with 0") from None

    def tensor(self) -> str:
        """A name of the body, `%name`, without the sign."""
        match = _TENSOR.match(self.text, self._skip_blank())
        if match is None:
            self.fail("a tensor of the body, such as %x")
        self.at = match.end()
        return match.group()[1:]

    def rest_of_line(self) -> str:
        """All that is left of this line, comment signs included."""
        match = _LINE.match(self.text, self.at)
        assert match is not None
        self.at = match.end()
        return match.group().strip()

    def braces(self) -> tuple[str, int]:
        """The text between `{` and its `}` as it stands, and the offset where it begins."""
        opening = self.expect("{")
        depth, at = 1, opening.at + 1
        for match in re.compile("[{}]").finditer(self.text, at):
            depth += 1 if match.group() == "{" else -1
            if depth == 0:
                self.at = match.end()
                return self.text[at : match.start()], at
        raise SyntaxProblem(opening.at, "expected '}' that closes this '{', found the end of the file", "close the body")

    def with_constants(self, body: str) -> str:
        """The text of a body with the values of constants between its back-quotes."""
        if not self.constants:
            return body
        pattern = re.compile(rf"\b({'|'.join(self.constants)})\b")
        return re.sub("`[^`]*`", lambda quoted: pattern.sub(lambda name: str(self.constants[name[0]]), quoted[0]), body)

    def body_start(self) -> int:
        """The offset of what comes first between the braces that come next."""
        return Scanner(self.text, self.filename, self.peek().at + 1).peek().at

    def fail(self, expected: str, advice: str | None = None) -> NoReturn:
        token = self.peek()
        if token.kind != "end" and self.line(token.at) > self.line(self.at):
            raise SyntaxProblem(self.at, f"expected {expected}, found the end of the line", advice)
        found = token.text if token.kind == "end" else f"'{token.text}'"
        raise SyntaxProblem(token.at, f"expected {expected}, found {found}", advice)

    def skip_to_line(self, words: Collection[str]) -> None:
        """Moves to the next line whose first word is one of `words`."""
        for start in self._starts[self.line(self.at) :]:
            self.at = start
            if self.peek().text in words and self.line(self.peek().at) == self.line(start):
                return
        self.at = len(self.text)
