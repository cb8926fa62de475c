"""Many kernels, judged in slices: what was found so far, kept in a file from one run to the next."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from statistics import median
from typing import Any

VERDICTS = ("equal", "refused", "out of time", "wrong", "crashed")
FAILURES = ("wrong", "crashed")


@dataclass(slots=True)
class Campaign:
    """`settings` are those of the first run, which all have; `seeds` are the random kernels that are changed.  `done` says of each source
    how many of its kernels were judged; `again` are those (source, number, reason) that were refused with a small budget; `changes` counts
    verdicts by what was changed; `times` are seconds of the processor, of the equal ones."""

    settings: dict[str, Any] = field(default_factory=dict)
    seeds: list[int] = field(default_factory=list)
    done: dict[str, int] = field(default_factory=dict)
    again: list[list[Any]] = field(default_factory=list)
    changes: dict[str, Counter[str]] = field(default_factory=dict)
    reasons: Counter[str] = field(default_factory=Counter)
    times: list[float] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def counts(self) -> Counter[str]:
        return sum(self.changes.values(), Counter())

    def note(self, source: str, number: int, name: str, verdict: str, reason: str, seconds: float, final: bool = True) -> None:
        """What became of kernel `number` of `source`; a refusal that is not `final` is looked at again."""
        known = next((each for each in self.again if each[:2] == [source, number]), None)
        if known is not None:
            self.again.remove(known)
            self.changes[what_changed(name)]["refused"] -= 1
            self.reasons[known[2]] -= 1
        self.done[source] = max(number + 1, self.done.get(source, 0))
        self.changes.setdefault(what_changed(name), Counter())[verdict] += 1
        if verdict == "equal":
            self.times.append(round(seconds, 4))
        elif verdict not in FAILURES:
            self.reasons[reason] += 1
            if not final:
                self.again.append([source, number, reason])

    def save(self, file: Path) -> None:
        part = file.with_suffix(".part")
        part.write_text(json.dumps({each.name: getattr(self, each.name) for each in fields(self)}))
        part.replace(file)


def load(file: Path | None) -> Campaign:
    """What was found so far; nothing where there is no file."""
    if file is None or not file.exists():
        return Campaign()
    known = json.loads(file.read_text())
    counters = {"changes": {name: Counter(each) for name, each in known.pop("changes").items()}, "reasons": Counter(known.pop("reasons"))}
    return Campaign(**known, **counters)


def what_changed(name: str) -> str:
    """`swlib: dot 'd': lhs_contracting_dims=(0,)` is `dot, lhs_contracting_dims`."""
    _, _, change = name.partition(": ")
    operator, _, value = change.partition(": ")
    kinds = "operands exchanged" if "exchanged" in value else "type" if "becomes" in value else "operator"
    attributes = ", ".join(each.split("=")[0] for each in re.findall(r"\w+=", value))
    return f"{operator.split()[0]}, {attributes or kinds}" if operator else "random kernels"


def table(changes: Mapping[str, Mapping[str, int]]) -> str:
    """Markdown: one row for each attribute of each operator."""
    rows = [_row(what, found) for what, found in sorted(changes.items())]
    rows.append(_row("all", sum(map(Counter, changes.values()), Counter())))
    return "\n".join([f"| what was changed | {' | '.join(VERDICTS)} |", "|---|" + "---|" * len(VERDICTS), *rows]) + "\n"


def _row(what: str, found: Mapping[str, int]) -> str:
    return f"| {what} | " + " | ".join(str(found.get(verdict, 0)) for verdict in VERDICTS) + " |"


def report(found: Campaign) -> Iterator[str]:
    """The counts, in lines."""
    counts = found.counts
    yield f"{counts.total()} kernels: {', '.join(f'{counts[each]} {each}' for each in VERDICTS)}; {found.seconds:.0f} s of the processor"
    if found.times:
        yield f"compile time of the equal ones: median {1000 * median(found.times):.0f} ms, maximum {1000 * max(found.times):.0f} ms"
    if found.again:
        yield f"{len(found.again)} of the refused with a small budget, and not looked at again yet"
    yield from (f"  {count}: {reason}" for reason, count in found.reasons.most_common() if count)
