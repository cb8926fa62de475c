"""HLO text -> tokens, and a cursor over them that makes located errors."""

from __future__ import annotations

import re
from typing import NoReturn

from act.errors import UserError
from act.records import dataclass

_NUMBER = r"-?(?:\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|inf|nan)"
_QUANTITY = r"(?:-?\d+|`[^`]*`)"
_TOKENS = re.compile(
    rf"""(?P<space>\s+|//[^\n]*|\#[^\n]*|/\*.*?\*/)
    |(?P<labels>[\dbf?]+_[\dio?]+->[\dbf?]+)
    |(?P<padding>{_QUANTITY}(?:_{_QUANTITY}){{1,2}}(?:x{_QUANTITY}(?:_{_QUANTITY}){{1,2}})*)
    |(?P<sizes>{_QUANTITY}(?:x{_QUANTITY})+)
    |(?P<expression>`[^`\n]*`)
    |(?P<string>"(?:[^"\\]|\\.)*")
    |(?P<number>{_NUMBER}(?![\w.]))
    |(?P<name>%?[A-Za-z_](?:[\w.]|-(?=\w))*|%[\d](?:[\w.]|-(?=\w))*)
    |(?P<mark>->|\.\.\.|<=|[-{{}}()\[\],=:?*+;@|/<>])""",
    re.VERBOSE | re.DOTALL,
)
_LITERAL = re.compile(r"\{[^`()#]{200,}\}(?=\s*\))")
"""A constant of many numbers, which is one token until somebody must look closer."""


@dataclass(frozen=True, slots=True)
class Token:
    """`kind` is name, number, string, expression, padding, sizes, labels, literal, mark or end; `start` and `end` are offsets in the text."""

    kind: str
    text: str
    start: int
    end: int


def tokenize(text: str, filename: str, first_line: int) -> list[Token]:
    """All tokens but space and comments, then one of kind `end`; an error when a character starts no token."""
    tokens = _tokens(text, 0, len(text), filename, first_line, literals=True)
    return [*tokens, Token("end", "end of text", len(text), len(text))]


def _tokens(text: str, position: int, end: int, filename: str, first_line: int, literals: bool) -> list[Token]:
    tokens: list[Token] = []
    while position < end:
        match = _TOKENS.match(text, position)
        if literals and text[position] == "{" and len(tokens) > 1 and (tokens[-2].text, tokens[-1].text) == ("constant", "("):
            literal = _LITERAL.match(text, position)
            if literal is not None:
                tokens.append(Token("literal", literal.group(), position, literal.end()))
                position = literal.end()
                continue
        if match is None:
            where = location(text, position, filename, first_line)
            raise UserError(where, f"unexpected character {text[position]!r}", "expected HLO text as XLA prints it")
        if match.lastgroup != "space":
            tokens.append(Token(match.lastgroup or "", match.group(), position, match.end()))
        position = match.end()
    return tokens


def location(text: str, offset: int, filename: str, first_line: int = 1) -> str:
    before = text[:offset]
    return f"{filename}:{first_line + before.count(chr(10))}:{offset - before.rfind(chr(10))}"


class Cursor:
    """A place in the tokens of one text."""

    def __init__(self, text: str, filename: str, first_line: int = 1) -> None:
        self.text, self.filename, self.first_line = text, filename, first_line
        self.tokens = tokenize(text, filename, first_line)
        self.position = 0
        self._counted, self._line = 0, first_line

    @property
    def token(self) -> Token:
        return self.tokens[self.position]

    @property
    def follows_directly(self) -> bool:
        """No space between the previous token and this one."""
        return self.position > 0 and self.tokens[self.position - 1].end == self.token.start

    @property
    def line(self) -> int:
        """The line of the token; counted onwards from the last question."""
        start = self.token.start
        if start < self._counted:
            self._counted, self._line = 0, self.first_line
        self._line += self.text.count("\n", self._counted, start)
        self._counted = start
        return self._line

    def location(self, token: Token | None = None) -> str:
        return location(self.text, (token or self.token).start, self.filename, self.first_line)

    def error(self, problem: str, advice: str | None = None, at: Token | None = None) -> NoReturn:
        raise UserError(self.location(at), problem, advice)

    def at(self, text: str) -> bool:
        return self.token.text == text and self.token.kind in ("mark", "name")

    def look_closer(self) -> None:
        """Puts the tokens of a literal in its place."""
        token = self.token
        self.tokens[self.position : self.position + 1] = _tokens(self.text, token.start, token.end, self.filename, self.first_line, literals=False)

    def next(self) -> Token:
        token = self.token
        self.position += token.kind != "end"
        return token

    def accept(self, text: str) -> bool:
        found = self.at(text)
        self.position += found
        return found

    def expect(self, text: str, where: str) -> Token:
        if not self.at(text):
            self.error(f"expected '{text}' {where}, found '{self.token.text}'")
        return self.next()

    def kind(self, kind: str, what: str) -> Token:
        if self.token.kind != kind:
            self.error(f"expected {what}, found '{self.token.text}'")
        return self.next()
