"""A report to text: counts, what differs as a table in RTL names, what is not proved and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lift.crosscheck.verdicts import STATUSES, Counterexample, Report, Row, Verdict

SHOWN = 40  # rows of a counterexample


def summary(report: Report) -> str:
    """One line of counts for each kind of check."""
    kinds = [("cross-check of definitions", report.definitions), ("state at rest", report.invariant), ("replay of instructions", report.replays)]
    lines = [f"{name}: {_counts(verdicts)}" for name, verdicts in kinds if verdicts]
    return "\n".join(lines)


def _counts(verdicts: Sequence[Verdict]) -> str:
    numbers = {s: sum(v.status == s for v in verdicts) for s in STATUSES}
    return ", ".join(f"{n} {s}" for s, n in numbers.items() if n) or "nothing to compare"


def different(verdict: Verdict) -> str:
    """A difference: where, and the values that show it."""
    head = f"{verdict.location}: different: {verdict.target} of {verdict.subject}".removeprefix(": ")
    shown = verdict.counterexample
    return "\n".join([head, *(f"  {line}" for line in (table(shown) if shown else [verdict.reason]))])


def table(shown: Counterexample) -> list[str]:
    """Name, value and place, aligned: what was given, then both results."""
    given = list(shown.given)
    left_out = [f"... and {len(given) - SHOWN} more" for _ in [0] if len(given) > SHOWN]
    rows = [*given[:SHOWN], shown.ours, shown.theirs]
    names = [r.name for r in given[:SHOWN]] + [f"{shown.ours.name}, tensorlift", f"{shown.theirs.name}, {shown.by}"]
    width, digits = max(map(len, names)), max(len(_value(r)) for r in rows)
    lines = [f"{name:{width}}  {_value(row):>{digits}}  {row.location}".rstrip() for name, row in zip(names, rows, strict=True)]
    return [*lines[:-2], *left_out, *lines[-2:]]


def _value(row: Row) -> str:
    return f"{row.width}'h{row.value:x}"


def details(report: Report) -> str:
    """Each definition and each instruction with its counts and times; then every target that is not proved, with the reason."""
    kinds = [("Definitions", report.definitions), ("State at rest", report.invariant), ("Instructions", report.replays)]
    return "\n".join([*(line for title, verdicts in kinds for line in _kind(title, verdicts)), *_notes(report), ""])


def _kind(title: str, verdicts: Sequence[Verdict]) -> Iterator[str]:
    if not verdicts:
        return
    subjects = list(dict.fromkeys(v.subject for v in verdicts))
    width = max(map(len, subjects))
    yield title
    for subject in subjects:
        own = [v for v in verdicts if v.subject == subject]
        yield f"  {subject:{width}}  {_counts(own)}"
        yield from (f"    {line}" for line in _open(own))


def _open(verdicts: Iterable[Verdict]) -> Iterator[str]:
    for v in verdicts:
        trials = f" ({v.trials} trials)" if v.trials else ""
        if v.status == "different":
            yield from different(v).splitlines()
        elif v.status != "agreed" or v.reason:
            yield f"{v.target or 'all of it'}: {v.status}{trials}{': ' if v.reason else ''}{v.reason}"


def _notes(report: Report) -> Iterator[str]:
    yield "Under these assumptions"
    yield from (f"  {note}" for note in report.notes)
