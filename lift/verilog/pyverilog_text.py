"""Verilog-2005 text to text without comments, macros and directives, with the origin of each line.

pyverilog drops or misreads some constructs silently; `check` refuses those, and every keyword that its grammar does not know, before it
sees them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lift.errors import UserError
from lift.netlist.model import Location

# Strings, comments, attributes (which have no effect on values).
_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/|\(\*(?!\s*\)).*?\*\)', re.DOTALL)
# What pyverilog has no token for: the other spelling of ~^, and `automatic`, which matters to recursion alone.
_RESPELLED = re.compile(r'"(?:\\.|[^"\\\n])*"|\^~|\bautomatic\b')
_USE = re.compile(r"`([A-Za-z_]\w*)")
_TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|[A-Za-z_][\w$]*|\d*\'[sS]?[bBoOdDhH][\w?]+|\d[\d_]*|\^~|~\^|[<>=!]=|\\\S*|\S')
_IGNORED = frozenset("timescale resetall celldefine endcelldefine default_nettype begin_keywords end_keywords line pragma".split())
_REFUSED = frozenset(
    "cell config deassign defparam edge endconfig endprimitive endspecify endtable event force highz0 highz1 incdir include "
    "instance large liblist library macromodule medium noshowcancelled primitive pull0 pull1 pulldown pullup pulsestyle_ondetect "
    "pulsestyle_onevent rcmos realtime release rnmos rpmos rtran rtranif0 rtranif1 scalared showcancelled small specify specparam "
    "strong0 strong1 table time tran tranif0 tranif1 tri0 tri1 triand trior trireg unsigned use uwire vectored wand weak0 weak1 wor "
    "cmos nmos pmos bufif0 bufif1 notif0 notif1 "
    "logic always_ff always_comb always_latch unique inout tri supply0 supply1 real wait forever disable fork join".split()
)


_KEYWORDS = frozenset(
    "always assign begin case casex casez default else end endcase endfunction endgenerate endmodule endtask for function generate genvar if "
    "initial input integer localparam module negedge output parameter posedge reg repeat signed task while wire".split()
)


@dataclass(frozen=True, slots=True)
class Token:
    text: str
    line: int  # in the expanded text, from 1


@dataclass(slots=True)
class SourceText:
    """`origin` gives the file and line of each of the `lines`; in those of `moved` (from 0) macros have changed columns."""

    lines: list[str] = field(default_factory=list)
    origin: list[Location] = field(default_factory=list)
    moved: frozenset[int] = frozenset()

    @property
    def text(self) -> str:
        """The whole text."""
        return "\n".join(self.lines) + "\n"

    def at(self, line: int) -> Location:
        """Where line `line` (from 1) of the text stands."""
        return self.origin[min(max(line, 1), len(self.origin)) - 1]

    def of(self, name: str, line: int) -> Location:
        """Where `name` stands, in or below line `line` (from 1), where its declaration begins."""
        for number in range(line - 1, len(self.lines)):
            found = re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", self.lines[number])
            if found:
                at = self.origin[number]
                return at if number in self.moved else Location(at.file, at.line, found.start() + 1)
            if ";" in self.lines[number]:
                break
        return self.at(line)

    def tokens(self) -> Iterator[Token]:
        """The tokens of the text."""
        for number, line in enumerate(self.lines, 1):
            yield from (Token(m.group(), number) for m in _TOKEN.finditer(line))


def expand(path: Path, macros: dict[str, str], include: Sequence[Path]) -> SourceText:
    """The text of a file after preprocessing; `macros` is changed by its definitions."""
    preprocessor = _Preprocessor(macros, include)
    preprocessor.file(path)
    preprocessor.end(path)
    origin = preprocessor.origin or [Location(str(path), 1)]
    source = SourceText(preprocessor.lines, origin, frozenset(preprocessor.moved))
    check(source)
    return source


class _Preprocessor:
    def __init__(self, macros: dict[str, str], include: Sequence[Path]) -> None:
        self._macros, self._include = macros, include
        self._active = [(True, True)]  # of each `ifdef: this branch is read, some branch has been read
        self.lines: list[str] = []
        self.origin: list[Location] = []
        self.moved: set[int] = set()

    def end(self, path: Path) -> None:
        """Raise `UserError` when a condition is open behind the last line of the file."""
        if len(self._active) > 1:
            raise UserError(str(path), "`ifdef or `ifndef without `endif", "add it")

    def file(self, path: Path) -> None:
        text = _COMMENT.sub(_blank, path.read_text(encoding="utf-8", errors="replace"))
        for number, line in enumerate(text.splitlines(), 1):
            self._line(line, path, Location(str(path), number))

    def _line(self, line: str, path: Path, at: Location) -> None:
        stripped = line.strip()
        directive = _USE.match(stripped)
        name = directive.group(1) if directive else ""
        rest = stripped[directive.end() :].strip() if directive else ""
        if not self._conditional(name, rest, at) and all(read for read, _ in self._active):
            if name == "include":
                return self._included(rest, path, at)
            before, line = line, "" if self._directive(name, rest, at) else _RESPELLED.sub(_respell, self._substituted(line, at, 0))
            self.moved |= {len(self.lines)} if line and len(line) != len(before) else set()
        else:
            line = ""
        self.lines.append(line)
        self.origin.append(at)

    def _conditional(self, name: str, rest: str, at: Location) -> bool:
        named = name in ("ifdef", "ifndef", "elsif")
        if named:
            _alone(rest, name, at)
        elif name in ("else", "endif") and rest:
            raise UserError(str(at), f"unsupported: text behind `{name} in its line", "put it on a line of its own")
        match name:
            case "ifdef" | "ifndef":
                read = (rest in self._macros) == (name == "ifdef")
                self._active.append((read, read))
            case "elsif" | "else" if len(self._active) > 1:
                _, before = self._active.pop()
                read = not before and (name == "else" or rest in self._macros)
                self._active.append((read, before or read))
            case "endif" if len(self._active) > 1:
                self._active.pop()
            case "elsif" | "else" | "endif":
                raise UserError(str(at), f"`{name} without `ifdef", None)
            case _:
                return False
        return True

    def _directive(self, name: str, rest: str, at: Location) -> bool:
        if name == "define":
            match = re.match(r"([A-Za-z_]\w*)(\()?(.*)", rest)
            if match is None or match.group(2) or rest.endswith("\\"):
                raise UserError(str(at), "unsupported: a macro with arguments or of several lines", "use the slang reader")
            self._macros[match.group(1)] = match.group(3).strip()
        elif name == "undef":
            self._macros.pop(_alone(rest, name, at), None)
        elif name in ("resetall", "celldefine", "endcelldefine", "end_keywords") and rest:
            raise UserError(str(at), f"unsupported: text behind `{name} in its line", "put it on a line of its own")
        return name in ("define", "undef") or name in _IGNORED

    def _included(self, rest: str, path: Path, at: Location) -> None:
        name = rest.strip('"')
        for folder in (path.parent, *self._include):
            if (folder / name).is_file():
                return self.file(folder / name)
        raise UserError(str(at), f"'{name}': No such file or directory", "add its directory to the paths or the file list")

    def _substituted(self, line: str, at: Location, depth: int) -> str:
        def value(match: re.Match[str]) -> str:
            if match.group(1) not in self._macros or depth > 50:
                raise UserError(str(at), f"unknown macro '`{match.group(1)}'", "define it")
            return self._substituted(self._macros[match.group(1)], at, depth + 1)

        return _USE.sub(value, line)


def _alone(rest: str, directive: str, at: Location) -> str:
    """The one name behind a directive."""
    if len(rest.split()) != 1:
        raise UserError(str(at), f"unsupported: `{directive} '{rest}'", "write one name in the line, and what follows on the next")
    return rest


def _blank(match: re.Match[str]) -> str:
    text = match.group()
    return text if text.startswith('"') else re.sub(r"[^\n]", " ", text)


def _respell(match: re.Match[str]) -> str:
    return {"^~": "~^", "automatic": ""}.get(match.group(), match.group())


def check(source: SourceText) -> None:
    """Raise `UserError` for what pyverilog would drop or misread."""
    tokens = list(source.tokens())
    for before, token, after in zip([None, *tokens], tokens, [*tokens[1:], None], strict=False):
        problem = _problem(before.text if before else "", token.text, after.text if after else "")
        if problem:
            raise UserError(str(source.at(token.line)), f"unsupported: {problem}", "use the slang reader")


def _problem(before: str, token: str, after: str) -> str | None:
    if token in _REFUSED and before not in (".", "$"):
        return f"'{token}'"
    if token == "#" and not (after == "(" and before.isidentifier() and before not in _KEYWORDS):
        return "a delay"
    if token == "@" and before != "always":
        return "an event control inside a block"
    if token == "," and before == "(":
        return "an empty place in a list"
    if token == "signed" and before == "integer":
        return "'integer signed' (integers are signed)"
    if token == "always" and after != "@":
        return "an always block without a sensitivity list"
    return "an escaped identifier" if token.startswith("\\") else None
