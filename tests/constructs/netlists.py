"""Sources to the traces of the netlist that a reader makes of them: a digit is x when it depends on what the netlist leaves undefined."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from lift.netlist.model import Netlist
from lift.netlist.simulate import Simulator
from tests.constructs.bench import Case, Row, Trace


def trace(netlist: Netlist, rows: Sequence[Row], random_choices: int = 0) -> Trace:
    """The outputs in each cycle, for all undefined bits 0, all 1, and as often as is asked at random."""
    runs = [_run(netlist, rows, choice) for choice in _choices(random_choices)]
    return [
        {name: _merged([run[k][name] for run in runs], node.width) for name, node in netlist.outputs.items()} for k in range(len(rows))
    ]


def _choices(number: int) -> Iterator[Callable[[int], int]]:
    yield lambda width: 0
    yield lambda width: (1 << width) - 1
    for seed in range(number):
        yield random.Random(seed).getrandbits


def _run(netlist: Netlist, rows: Sequence[Row], undefined: Callable[[int], int]) -> list[dict[str, int]]:
    simulator = Simulator(netlist, undefined)
    return [simulator.step(row) for row in rows]


def _merged(values: Sequence[int], width: int) -> str:
    ones = zeros = values[0]
    for value in values:
        ones, zeros = ones & value, zeros | value
    return "".join("1" if ones >> k & 1 else "x" if zeros >> k & 1 else "0" for k in reversed(range(width)))


def in_reset(case: Case, cycle: int) -> bool:
    """An asynchronous reset acts at once in simulators and at the clock edge in netlists: not compared."""
    reset = case.netlist.reset
    return reset is not None and case.rows[cycle][reset] != reset.endswith("_n")


def differences(case: Case, expected: Trace, found: Trace, unknown: bool = False) -> list[str]:
    """Where `found` differs from `expected` in a bit that is 0 or 1 there; with `unknown` also where a bit is known in `found` only."""
    wrong: list[str] = []
    for k, digits in enumerate(expected):
        for name, text in digits.items():
            if not in_reset(case, k) and any(_differs(e, f, unknown) for e, f in zip(text, found[k][name], strict=True)):
                wrong.append(f"{case.name}, cycle {k}: {name} is {found[k][name]}, expected {text} for {dict(case.rows[k])}")
    return wrong


def _differs(expected: str, found: str, unknown: bool) -> bool:
    return expected != found if expected in "01" else unknown and found in "01"


def compared(case: Case, expected: Trace) -> int:
    """How many bits of `expected` are 0 or 1."""
    return sum(d in "01" for k, digits in enumerate(expected) if not in_reset(case, k) for text in digits.values() for d in text)
