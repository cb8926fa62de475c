"""Instructions that do the same with other registers: one load, say, with three banks of strides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from act.backend.memo import by_identity
from act.generator.model import Selector
from act.records import replace
from act.taidl.model import Accelerator, Use

Groups = Mapping[int, tuple[Selector, ...]]


def alike(accelerator: Accelerator, selectors: Sequence[Selector]) -> Groups:
    """For each instruction, by the number of the object, those that differ from it in name and registers only, in their order; itself among them."""
    known = _known(selectors)
    if not known:
        for group in _groups(accelerator, selectors):
            known.update(dict.fromkeys(map(id, group), tuple(group)))
    return known


def one_of_each(accelerator: Accelerator, selectors: Sequence[Selector]) -> list[Selector]:
    """The first of those that are alike."""
    groups = alike(accelerator, selectors)
    return [each for each in selectors if groups[id(each)][0] is each]


@by_identity
def _known(selectors: Sequence[Selector]) -> dict[int, tuple[Selector, ...]]:
    """The groups of one backend, once they were asked for."""
    return {}


def _groups(accelerator: Accelerator, selectors: Sequence[Selector]) -> list[list[Selector]]:
    groups: list[list[Selector]] = []
    for each in selectors:
        group = next((group for group in groups if _alike(accelerator, group[0], each)), None)
        if group is None:
            groups.append([each])
        else:
            group.append(each)
    return groups


def _alike(accelerator: Accelerator, first: Selector, second: Selector) -> bool:
    if first.name == second.name or (len(first.uses), first.alpha, first.beta, first.pattern) != (len(second.uses), second.alpha, second.beta, second.pattern):
        return False
    uses = zip(first.uses, second.uses, strict=True)
    return all(_same_use(accelerator, use, other) for use, other in uses) and replace(first, name="", uses=()) == replace(second, name="", uses=())


def _same_use(accelerator: Accelerator, first: Use, second: Use) -> bool:
    """Of registers that hold the same values."""
    same = replace(first, state="", index=None) == replace(second, state="", index=None)
    return same and accelerator.states[first.state].element == accelerator.states[second.state].element
