"""What cannot be said in the specification: the mode, or the composite, stays opaque for this reason."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from lift.unroll.terms import Term


class NoTemplate(Exception):
    """Something that has no form in the specification; the message says what, `about` are the terms that have it not, and `target` is the
    state variable that was to be written, one of `targets`."""

    def __init__(self, reason: str, *about: Term) -> None:
        super().__init__(reason)
        self.about, self.target, self.targets = about, "", frozenset[str]()


class NothingWritten(NoTemplate):
    """Every element keeps its value."""


class Overlap(NoTemplate):
    """Fields of the command that share bits of `word`."""

    def __init__(self, word: str, bit: int) -> None:
        super().__init__(f"fields of {word} overlap at bit {bit}")
        self.word = word


class Impossible(NoTemplate):
    """A mode, or a pair of modes, that no command and state select."""


class NotWellFormed(Exception):
    """What was assembled is no TAIDL: a bug of the assembly, not of its input."""


@contextmanager
def writing(target: str, *about: Term) -> Iterator[None]:
    """What has no form inside is said of `target` and, where nothing closer is known, of these terms."""
    try:
        yield
    except NoTemplate as reason:
        reason.target = reason.target or target
        reason.about = reason.about or about
        raise
