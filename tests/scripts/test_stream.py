"""`scripts/stream.py`: so many instructions as were asked for, the same ones again for the same seed, and it ends where something differs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import stream

from tests.end_to_end.rtl import needs_rtl

Drawn = tuple[int, int]  # number, length


class Fake:
    """Streams of `length` instructions named "a"; number `wrong` differs."""

    def __init__(self, wrong: int | None = None) -> None:
        self.wrong, self.seen, self.latencies = wrong, list[Drawn](), list[int]()

    @property
    def subject(self) -> stream.Subject:
        return stream.Subject(lambda number, length: (number, length), lambda drawn: ["a"] * (drawn[1] + 1), self._compare)

    def _compare(self, some: Sequence[Drawn], latency: int) -> list[str]:
        self.seen += some
        self.latencies.append(latency)
        return [f"seed {number}" for number, _ in some if number == self.wrong]


def test_it_executes_as_many_instructions_as_are_wanted() -> None:
    found = stream.run(Fake().subject, seed=3, wanted=5000, longest=50)
    assert 5000 <= found.executed["a"] < 5000 + 51
    assert found.longest == 51
    assert not found.differences


def test_a_seed_gives_the_same_streams_again_and_another_gives_others() -> None:
    runs = [Fake() for _ in range(3)]
    for fake, seed in zip(runs, (3, 3, 4), strict=True):
        stream.run(fake.subject, seed, wanted=500, longest=9)
    assert runs[0].seen == runs[1].seen
    assert {number for number, _ in runs[0].seen}.isdisjoint(number for number, _ in runs[2].seen)


def test_every_batch_meets_memory_of_other_latencies() -> None:
    fake = Fake()
    stream.run(fake.subject, seed=3, wanted=3000, longest=20)
    assert len(set(fake.latencies)) == len(fake.latencies) > 1
    assert 0 not in fake.latencies


def test_it_ends_where_something_differs() -> None:
    fake = Fake(wrong=3 * stream.PER_SEED + 60)
    found = stream.run(fake.subject, seed=3, wanted=100_000, longest=5)
    assert found.differences == [f"seed {fake.wrong}"]
    assert found.streams == 2 * stream.BATCH


@needs_rtl
def test_the_streams_of_the_day_have_the_same_effect_on_rtl_and_oracle() -> None:
    seed = date.today().toordinal()
    print(f"replay: scripts/stream.py gemmini -N 200 --seed {seed}")
    found = stream.run(stream.gemmini(), seed, wanted=200, longest=50)
    assert found.differences == []
