"""Sets of mutants other than those of whole designs: modules that are stated, results of passes and texts of the instruction set, rewrite rules -> outcomes.

Half of the results are lifted functions, half are texts.  Each mutant is judged in a process of its own that ends within a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Literal

from proofs.mutation.apart import Apart, Failed
from proofs.mutation.kinds import OUTCOMES, What
from proofs.mutation.outcome import Outcome
from proofs.mutation.run import chosen
from proofs.mutation.sites import Mutant

Name = Literal["rtl", "units", "results", "rules"]
SECONDS = 300
"""For one mutant."""


@dataclass(frozen=True, slots=True)
class Task:
    """A mutant, and how it is judged: outcome and evidence."""

    id: str
    kind: str
    judge: Callable[[], tuple[str, str]]


def tasks(name: Name, seed: int, count: int) -> list[Task]:
    """Mutants drawn by `seed`, of a set other than that of whole designs."""
    if name == "units":
        return units(seed, count)
    return [*functions(seed, count // 2), *texts(seed, count - count // 2)] if name == "results" else rules(seed, count)


def units(seed: int, count: int) -> list[Task]:
    from proofs.mutation import units

    return [_of_unit(each) for each in units.drawn(seed, count)]


def _of_unit(mutant: Mutant) -> Task:
    from proofs.mutation import units

    return Task(mutant.id, mutant.kind, partial(units.verdict, mutant))


def named(name: Name, identifiers: Sequence[str]) -> list[Task]:
    """Those with these names.  Raises KeyError for a name that there is not."""
    from proofs.designs import specification_text
    from proofs.mutation import results, rules, texts, units

    if name == "units":
        found_units = {each.id: each for each in units.every()}
        return [_of_unit(found_units[each]) for each in identifiers]
    if name == "rules":
        every = {each.id: each for each in rules.every()}
        return [Task(each, every[each].kind, every[each].judge) for each in identifiers]
    changed = {each.id: each for each in texts.mutants(specification_text(texts.DIM))}
    found = []
    for each in identifiers:
        mutant = changed.get(each) or results.named(each)
        judge = partial(results.verdict if isinstance(mutant, results.ChangedResult) else texts.verdict, mutant)  # type: ignore[arg-type]
        found.append(Task(each, mutant.kind, judge))
    return found


def functions(seed: int, count: int) -> list[Task]:
    from proofs.mutation import results

    return [Task(each.id, each.kind, partial(results.verdict, each)) for each in results.drawn(seed, count)]


def texts(seed: int, count: int) -> list[Task]:
    """Those that the reader takes: what it refuses needs no proof."""
    from proofs.designs import specification_text
    from proofs.mutation import texts

    every = chosen(texts.mutants(specification_text(texts.DIM)), seed, 4 * count)
    return [Task(each.id, each.kind, partial(texts.verdict, each)) for each in every if texts.accepted(each)][:count]


def rules(seed: int, count: int) -> list[Task]:
    from proofs.mutation import rules

    return [Task(each.id, each.kind, each.judge) for each in rules.drawn(seed, count)]


def outcomes(given: Sequence[Task], jobs: int = 1) -> Iterator[Outcome]:
    """In their order; what does not end in time survives."""
    for task, result in zip(given, Apart([partial(_timed, each) for each in given], jobs, SECONDS).results(), strict=True):
        if isinstance(result, Failed):
            yield Outcome(task.id, task.kind, "survived" if result.late else "crashed", result.why, {})
        else:
            yield result


def _timed(task: Task) -> Outcome:
    start = perf_counter()
    what, why = task.judge()
    return Outcome(task.id, task.kind, _what(what), why, {"judge": round(perf_counter() - start, 2)})


def _what(text: str) -> What:
    return OUTCOMES[OUTCOMES.index(text)]  # type: ignore[arg-type]
