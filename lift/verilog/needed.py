"""Source files to those that the top module needs.

A folder of a generator holds many designs beside the one that is read.  The files are searched for the definitions that they declare,
without parsing; from the file of the top, those files are needed that declare a name which a needed file mentions.  What stands in other
files is neither parsed nor judged.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from lift.errors import UserError
from lift.netlist.model import Location

_COMMENT_OR_STRING = re.compile(rb'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
_ENDS = {
    b"module": b"endmodule",
    b"macromodule": b"endmodule",
    b"interface": b"endinterface",
    b"package": b"endpackage",
    b"program": b"endprogram",
    b"primitive": b"endprimitive",
}
_DEFINITIONS = {word: re.compile(word + rb"(?=\s+(?:(?:automatic|static)\s+)?(\w+|\\\S+))") for word in _ENDS}
_WORD = re.compile(rb"[A-Za-z_]\w*")
_INCLUDE = re.compile(rb'`include\s+"([^"\n]+)"')
_USE = re.compile(rb"`([A-Za-z_]\w*)")
_DIRECTIVES = frozenset(
    "define undef undefineall ifdef ifndef elsif else endif include timescale default_nettype celldefine endcelldefine resetall line pragma "
    "begin_keywords end_keywords nounconnected_drive unconnected_drive".split()
)
_MACRO = re.compile(rb"`define\s+(\w+)")
_SHOWN_NAMES = 10


@dataclass(frozen=True, slots=True)
class Declaration:
    """A definition, where it stands, and its text without comments and layout."""

    name: str
    location: Location
    text: bytes


class Text:
    """One source file.  `is_text` is whether it can be one.  `names` may be more than it declares, where comments look like definitions."""

    def __init__(self, path: Path, raw: bytes) -> None:
        self.path, self._raw = path, raw
        self.is_text = b"\0" not in raw
        self.names = {name for name, _, _ in _definitions(raw)}
        self._code: bytes | None = None
        self._macros: set[str] | None = None

    @property
    def code(self) -> bytes:
        """The text with comments blanked."""
        if self._code is None:
            self._code = _COMMENT_OR_STRING.sub(_blank, self._raw)
        return self._code

    def words(self) -> set[str]:
        """Every identifier of the file."""
        return {word.decode() for word in set(_WORD.findall(self.code))}

    def included(self) -> set[str]:
        """The names of the files that it includes, without their folders."""
        return {Path(name.decode("latin-1")).name for name in _INCLUDE.findall(self.code)}

    def macros(self) -> set[str]:
        """The macros that the file defines."""
        if self._macros is None:
            self._macros = {name.decode() for name in _MACRO.findall(self._raw)}
        return self._macros

    def used_macros(self) -> set[str]:
        """The macros that the file uses."""
        return {name.decode() for name in set(_USE.findall(self.code))} - _DIRECTIVES

    def declarations(self) -> Iterator[Declaration]:
        """The definitions of the file."""
        for name, keyword, start in _definitions(self.code):
            end = self.code.find(_ENDS[keyword], start)
            text = self.code[start : end if end >= 0 else None]
            line = self.code.count(b"\n", 0, start) + 1
            column = start - self.code.rfind(b"\n", 0, start)
            yield Declaration(name, Location(str(self.path), line, column), b" ".join(text.split()))


def _definitions(code: bytes) -> Iterator[tuple[str, bytes, int]]:
    """(name, keyword, start of the keyword) of what looks like a definition."""
    for keyword, pattern in _DEFINITIONS.items():
        if keyword in code:
            for found in pattern.finditer(code):
                before = code[found.start() - 1 : found.start()]
                if not (before.isalnum() or before in (b"_", b"$", b"`")):
                    yield found[1].decode("latin-1"), keyword, found.start()


def read_text(path: Path) -> Text:
    """The file at `path`.  Raises `UserError` when it cannot be read."""
    try:
        return Text(path, path.read_bytes())
    except OSError as error:
        reason = error.strerror.lower() if error.strerror else "not readable"
        raise UserError(str(path), f"the file cannot be read: {reason}", "make it readable, or leave it out") from None


def _blank(found: re.Match[bytes]) -> bytes:
    """As many blanks for a comment, with its line ends; strings are kept, in which definitions may differ."""
    text = found[0]
    return text if text.startswith(b'"') else b"\n".join(b" " * len(line) for line in text.split(b"\n"))


def needed(texts: Sequence[Text], top: str) -> list[Text]:
    """Those of `texts` that `top` may need, in their order, without those that others include; all of them if none declares `top`."""
    declaring: dict[str, list[Text]] = {}
    for text in texts:
        for name in text.names:
            declaring.setdefault(name, []).append(text)
    waiting, found = list(declaring.get(top, texts)), set[Path]()
    while waiting:
        text = waiting.pop()
        if text.path not in found:
            found.add(text.path)
            waiting += [other for word in text.words() for other in declaring.get(word, ())]
            waiting += _defining(texts, text)
    kept = [text for text in texts if text.path in found]
    included = {name for text in kept for name in text.included()}
    return [text for text in kept if text.path.name not in included or top in text.names]


def _defining(texts: Sequence[Text], user: Text) -> Iterator[Text]:
    """A file for each macro that `user` takes from elsewhere, one without definitions if there is one."""
    for macro in user.used_macros() - user.macros():
        files = [text for text in texts if macro in text.macros()]
        yield from sorted(files, key=lambda text: len(text.names))[:1]


def no_top(top: str, names: Iterable[str]) -> UserError:
    """The error for a missing `top` among the modules `names`."""
    known = sorted(set(names))
    close = get_close_matches(top, known, n=_SHOWN_NAMES, cutoff=0.5) if len(known) > _SHOWN_NAMES else known
    advice = f"the modules are: {', '.join(known) or 'none'}" if close == known else f"of {len(known)} modules, similar: {', '.join(close) or 'none'}"
    return UserError(None, f"no module '{top}' in the sources", advice)


def first_copies(texts: Sequence[Text]) -> tuple[list[Text], frozenset[str]]:
    """`texts` without those that only repeat definitions of others, and the definitions that are repeated with the same text."""
    files = Counter(name for text in texts for name in text.names)
    known: dict[str, Declaration] = {}
    kept: list[Text] = []
    different: set[str] = set()
    for text in texts:
        new = list(text.declarations()) if any(files[name] > 1 for name in text.names) else []
        for declaration in new:
            if known.setdefault(declaration.name, declaration).text != declaration.text:
                different.add(declaration.name)
        if not new or any(known[d.name] is d or d.name in different for d in new):
            kept.append(text)
    return kept, frozenset(known.keys() - different)
