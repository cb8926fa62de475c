"""A rewrite rule with all that is said of it, and which rules can matter for one accelerator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from act.backend.classes import ClassGraph, ENode, Rule
from act.records import dataclass, replace

FAMILIES = ("structural", "algebraic", "conversion", "dot and convolution", "reduce", "constants", "lowering")
LEAVES = frozenset(("constant", "parameter", "reshape"))
"""Data and its re-interpretation, which every accelerator has."""

CONSTANT = ":constant"
"""`maximum:constant` is a maximum one operand of which is a constant; machines often have just that."""

ELSEWHERE: Mapping[str, frozenset[str]] = {
    "negate": frozenset(("dot",)),
    f"multiply{CONSTANT}": frozenset(("dot",)),
    f"maximum{CONSTANT}": frozenset(("clamp",)),
    f"minimum{CONSTANT}": frozenset(("clamp",)),
}
"""What the rules of `act.backend` make of what, before those of this package."""

Function = Callable[[ClassGraph, ENode], Iterable[ENode | int]]


@dataclass(frozen=True, slots=True)
class Rewrite(Rule):
    """`opcodes` are those of the root.  `within` are operators that a graph must contain for the rule to say anything, `builds` those that
    its proposals contain, and one of `either` besides.  `types` names the element types it is for, `statement` says what equals what, and when.
    `replaces`: the operator that is turned into others, only where an accelerator lacks it.  `shrinks`: there are fewer operators then."""

    family: str = ""
    statement: str = ""
    types: str = "any"
    builds: frozenset[str] = frozenset()
    either: frozenset[str] = frozenset()
    replaces: str | None = None
    shrinks: bool = False

    def __post_init__(self) -> None:
        if self.family not in FAMILIES or not self.statement or not self.opcodes:
            raise ValueError(f"rule '{self.name}' has no family, no statement or no operator")

    def renamed(self, name: str) -> Rewrite:
        """For one function that is several rules, one for each operator."""
        return replace(self, name=name)


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def rewriter(family: str) -> Callable[..., Rewrite]:
    """`rule(function, *opcodes, within="a b", builds="c d")` for one family; named and described by the function."""

    def rule(
        function: Function, *opcodes: str, types: str = "any", within: str = "", builds: str = "", either: str = "", replaces: str | None = None
    ) -> Rewrite:
        statement = " ".join((function.__doc__ or "").split())
        return Rewrite(
            function.__name__, frozenset(opcodes), function, words(within), family=family, statement=statement, types=types, builds=words(builds),
            either=words(either), replaces=replaces,
        )  # fmt: skip

    return rule


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether `rule` can matter for an accelerator, and why."""

    rule: Rewrite
    kept: bool
    reason: str


class Expressible:
    """The operators that an accelerator computes, or that rules turn into such: a closure in which each missing operator is made in one
    way only, the first of those in `rules`, so that no two rules undo each other."""

    def __init__(self, rules: Sequence[Rewrite], operators: Iterable[str]) -> None:
        self.given = frozenset(operators)
        self.found = set(self.given | LEAVES)
        self.lowerings: set[str] = set()
        while self._grow(rules):
            pass
        self.seen = frozenset().union(*(rule.opcodes | rule.within for rule in rules if rule.replaces is None and self.translates(rule)))

    def _grow(self, rules: Sequence[Rewrite]) -> bool:
        """Adds one operator, False when there is no more."""
        for name, needed in ELSEWHERE.items():
            if name not in self and needed <= self.found:
                self.found.add(name)
                return True
        for rule in rules:
            if rule.replaces is not None and rule.replaces not in self and self.builds(rule):
                self.found.add(rule.replaces)
                self.lowerings.add(rule.name)
                return True
        return False

    def __contains__(self, operator: str) -> bool:
        """An operator with a constant is there when the operator is."""
        return operator in self.found or operator.removesuffix(CONSTANT) in self.found

    def builds(self, rule: Rewrite) -> bool:
        return all(name in self for name in rule.builds) and (not rule.either or any(name in self for name in rule.either))

    def translates(self, rule: Rewrite) -> bool:
        """What the rule builds is more than data, and all of it is expressible."""
        return bool((rule.builds | rule.either) - LEAVES) and self.builds(rule)

    def _lacks(self, operators: Iterable[str]) -> list[str]:
        """Those that no instruction computes, in order."""
        return sorted(name for name in operators if name not in LEAVES and name not in self.given and name.removesuffix(CONSTANT) not in self.given)

    def _raised(self, rule: Rewrite) -> list[str]:
        """Operators that the accelerator lacks, which the rule makes of those that it has."""
        either = self._lacks(rule.either)
        missing = self._lacks(rule.builds) or (either if len(either) == len(rule.either) else [])
        return missing if rule.replaces is None and not self._lacks(rule.opcodes) else []

    def verdict(self, rule: Rewrite) -> Verdict:
        built = ", ".join(sorted(name for name in rule.builds | rule.either if name not in LEAVES and name in self))
        if rule.replaces is not None and rule.replaces in self.given:
            return Verdict(rule, False, f"the accelerator has {rule.replaces}")
        if rule.replaces is not None and rule.replaces in self and rule.name not in self.lowerings:
            return Verdict(rule, False, f"{rule.replaces} is made in another way")
        if raised := self._raised(rule):
            return Verdict(rule, False, f"builds {', '.join(raised)} of what the accelerator has")
        if self.builds(rule):
            return Verdict(rule, True, f"builds {built}" if built else "only removes operators")
        if rule.shrinks and rule.replaces is None and all(name.removesuffix(CONSTANT) in self.seen or name in self for name in rule.builds):
            return Verdict(rule, True, "makes less of operators that other rules look for")
        missing = sorted(name for name in rule.builds if name not in self) or sorted(rule.either)
        return Verdict(rule, False, f"builds {', '.join(missing)}, which the accelerator cannot express")


def verdicts(rules: Sequence[Rewrite], operators: Iterable[str]) -> Iterator[Verdict]:
    """One for each rule, in order."""
    known = Expressible(rules, operators)
    return (known.verdict(rule) for rule in rules)


def relevant(rules: Sequence[Rewrite], operators: Iterable[str]) -> list[tuple[Rewrite, str]]:
    """The rules that can matter for an accelerator whose instructions compute these operators (see `vocabulary`), each with the reason."""
    return [(each.rule, each.reason) for each in verdicts(rules, operators) if each.kept]
