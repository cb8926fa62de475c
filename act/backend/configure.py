"""Steps with addresses -> commands: instructions that set configuration registers come in where a register has another value.

A setting is done once for all that follow it: a register that one instruction sets together with others gets the value that is needed of
it next, and nothing is set that is set already (paper: configuration as part of alpha; the hoisting is ours).
"""

from __future__ import annotations

from collections.abc import Sequence

from act.backend.registers import Register, Requirement, first_values
from act.errors import UserError
from act.generator.model import Setter
from act.hlo.dtypes import wrap
from act.records import dataclass, field
from act.taidl.expr import ExprError, evaluate, names
from act.taidl.model import Accelerator, Expr, Int, Name
from act.taidl.model import Set as Effect

ADVICE = "describe an instruction that sets these registers to attributes, and nothing else"


@dataclass(frozen=True, slots=True)
class Setting:
    """A configuration instruction with its attributes."""

    name: str
    attributes: dict[str, int]


@dataclass(slots=True)
class Configurator:
    """Follows the values of the registers through the program; None is a value that is not known."""

    accelerator: Accelerator
    setters: Sequence[Setter]
    state: dict[Register, int | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.state |= first_values(self.accelerator)

    def before(self, needed: Sequence[Requirement], following: dict[Register, int]) -> list[Setting]:
        """The settings that make `needed` true; `following` are the next values that later instructions need, for the rest."""
        settings: list[Setting] = []
        for register, value in needed:
            if self.state[register] == value:
                continue
            setting = self._setting(register, dict(needed), following)
            if setting is None:
                raise UserError(None, f"no instruction sets {describe(register)} to {value} without disturbing what else is needed", ADVICE)
            settings.append(setting)
        if any(self.state[register] != value for register, value in needed):
            raise UserError(None, "the registers " + ", ".join(describe(register) for register, _ in needed) + " cannot be set together", ADVICE)
        return settings

    def _setting(self, register: Register, needed: dict[Register, int], following: dict[Register, int]) -> Setting | None:
        """The first of the settings after which most of what is needed holds."""
        best: tuple[int, Setter, dict[str, int], dict[Register, int | None]] | None = None
        for setter in self.setters:
            for effect in setter.sets:
                chosen = self._choose(setter, effect, register, needed, following)
                if chosen is None:
                    continue
                state = self.state | self._after(setter.sets, chosen)
                right = sum(state[each] == value for each, value in needed.items())
                if best is None or right > best[0]:
                    best = right, setter, chosen, state
        if best is None:
            return None
        _, setter, chosen, self.state = best
        return Setting(setter.name, {name: chosen[name] for name in setter.attributes})

    def _choose(self, setter: Setter, effect: Effect, register: Register, needed: dict[Register, int], following: dict[Register, int]) -> dict[str, int] | None:
        """Attributes of `setter` with which `effect` gives `register` its value and nothing else that is needed changes."""
        if effect.state != register[0]:
            return None
        values: dict[str, int] = dict(setter.fixed)
        if not _bind(effect.index, register[1], values) or not _bind(effect.value, needed[register], values):
            return None
        for other in setter.sets:
            target = self._target(other, values)
            if target is None:
                return None
            wanted = needed.get(target, following.get(target, self.state[target]))
            if isinstance(other.value, Name):
                values.setdefault(other.value.name, 0 if wanted is None else wanted)
            if target in needed and wrap(self._element(target), evaluate(other.value, values)) != needed[target]:
                return None
        for name in setter.attributes:
            values.setdefault(name, 0)
        return values if all(_holds(condition, values) for condition in setter.conditions) else None

    def _target(self, effect: Effect, values: dict[str, int]) -> Register | None:
        if effect.index is None:
            return effect.state, None
        if names(effect.index) - values.keys():
            return None
        register = effect.state, evaluate(effect.index, values)
        return register if register in self.state else None

    def _element(self, register: Register) -> str:
        return self.accelerator.states[register[0]].element

    def apply(self, effects: Sequence[Effect], values: dict[str, int]) -> None:
        """What `effects` do to the registers."""
        self.state.update(self._after(effects, values))

    def _after(self, effects: Sequence[Effect], values: dict[str, int]) -> dict[Register, int | None]:
        """What registers hold after `effects`; all `values` are those before."""
        found: dict[Register, int | None] = {}
        for effect in effects:
            try:
                index = None if effect.index is None else evaluate(effect.index, values)
                found[effect.state, index] = wrap(self._element((effect.state, index)), evaluate(effect.value, values))
            except ExprError:
                found |= {register: None for register in self.state if register[0] == effect.state}
        return found


def _bind(expr: Expr | None, value: int | None, values: dict[str, int]) -> bool:
    match expr:
        case None:
            return value is None
        case Int(known):
            return known == value
        case Name(name) if value is not None:
            return values.setdefault(name, value) == value
    return False


def _holds(condition: Expr, values: dict[str, int]) -> bool:
    try:
        return evaluate(condition, values) != 0
    except ExprError:
        return False


def describe(register: Register) -> str:
    name, index = register
    return name if index is None else f"{name}[{index}]"


def next_needs(needs: Sequence[Sequence[Requirement]]) -> list[dict[Register, int]]:
    """For every step the first value that it or a later one needs of each register."""
    result: list[dict[Register, int]] = []
    following: dict[Register, int] = {}
    for needed in reversed(needs):
        following = {**following, **dict(needed)}
        result.append(following)
    return result[::-1]
