"""Register values at a clock edge: terms, or terms that nobody has asked for yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from lift.unroll.memory import Write
from lift.unroll.terms import Term


class Later:
    """The next value of a data register, not computed before somebody looks at it: most of what moves in a pipeline is never used."""

    __slots__ = ("_compute", "_given", "_value")

    def __init__(self, compute: Callable[..., Term], *given: object) -> None:
        self._compute: Callable[..., Term] | None = compute
        self._given = given
        self._value: Term | None = None

    def now(self) -> Term:
        if self._value is None:
            assert self._compute is not None
            self._value = self._compute(*self._given)
            self._compute, self._given = None, ()
        return self._value

    def known(self) -> Term | Later:
        """The value if it was computed already."""
        return self if self._value is None else self._value


Value = Term | Later


def term_of(value: Value) -> Term:
    return value.now() if isinstance(value, Later) else value


@dataclass(frozen=True, slots=True)
class State:
    """Register values and the writes since the instruction began, at a clock edge.  Registers outside `active` are known to keep their
    value in the coming cycle, as long as `inputs` stay what they were; those in `held` keep it as long as none of the registers and inputs named there
    changes, whatever else they depend on.  Write ports whose numbers are not in `ports` do not write as long as nothing changes that their enables
    depend on; None: all may."""

    registers: Mapping[str, Value]
    active: frozenset[str]
    log: tuple[Write, ...] = ()
    inputs: dict[str, Term] = field(default_factory=dict)
    held: Mapping[str, frozenset[str]] = field(default_factory=dict)
    ports: frozenset[int] | None = None

    def value(self, name: str) -> Term:
        return term_of(self.registers[name])

    def values(self) -> dict[str, Term]:
        """All of them, computed."""
        return {name: term_of(value) for name, value in self.registers.items()}
