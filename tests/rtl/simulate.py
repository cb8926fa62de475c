"""Drive a Verilog module from Python: set inputs, step the clock, get outputs.

    with Simulation("rtl/gemmini", top="PE", parameters={"DIM": 4}) as sim:
        sim.reset()
        sim.set("in_a", 5)
        sim.step()
        sim.get("out_b")

Commands are collected and sent when a value is asked for; `trace` runs many cycles in one exchange.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

from model_build import REPOSITORY, build

CYCLES_PER_EXCHANGE = 4096


class Simulation:
    """A running model of module `top` of `folder` (relative to the repository). Port values are unsigned integers.

    Registers without reset start with random values drawn from `seed`. A module without a port `clock` is combinational: use set and get alone.
    """

    def __init__(self, folder: str | Path, top: str, parameters: Mapping[str, int] | None = None, seed: int = 1):
        model = build(REPOSITORY / folder, top, parameters or {})
        self.ports = {port.name: (number, port) for number, port in enumerate(model.ports)}
        self._pending: list[str] = []
        self._process = subprocess.Popen([str(model.program), str(seed)], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> Simulation:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 traceback: TracebackType | None) -> None:
        self._process.communicate()

    def set(self, name: str, value: int) -> None:
        """Drive an input; negative values are taken modulo 2**width."""
        number, port = self.ports[name]
        assert port.is_input, f"{name} is not an input"
        self._pending.append(f"s {number} {value % (1 << port.width):x}")

    def step(self, cycles: int = 1) -> None:
        """Let `cycles` rising edges of the clock pass."""
        self._pending.append(f"c {cycles}")

    def get(self, name: str) -> int:
        """The port's settled value."""
        return self.get_all([name])[0]

    def get_all(self, names: Sequence[str]) -> list[int]:
        """The settled values of several ports in one exchange."""
        for name in names:
            self._pending.append(f"g {self.ports[name][0]}")
        return self._exchange(len(names))

    def reset(self, cycles: int = 2) -> None:
        """Drive every input low, and `reset` high for `cycles` cycles."""
        for name, (_, port) in self.ports.items():
            if port.is_input:
                self.set(name, 0)
        self.set("reset", 1)
        self.step(cycles)
        self.set("reset", 0)

    def trace(self, stimuli: Iterable[Mapping[str, int]], outputs: Sequence[str]) -> list[tuple[int, ...]]:
        """For each cycle set its inputs (others keep their value), sample `outputs` just before the edge, then step."""
        samples: list[tuple[int, ...]] = []
        waiting = 0
        for stimulus in stimuli:
            for name, value in stimulus.items():
                self.set(name, value)
            self._pending += [f"g {self.ports[name][0]}" for name in outputs]
            self.step()
            waiting += 1
            if waiting == CYCLES_PER_EXCHANGE:
                samples += self._samples(waiting, len(outputs))
                waiting = 0
        return samples + self._samples(waiting, len(outputs))

    def _samples(self, cycles: int, outputs: int) -> list[tuple[int, ...]]:
        values = self._exchange(cycles * outputs)
        return [tuple(values[i * outputs : (i + 1) * outputs]) for i in range(cycles)]

    def _exchange(self, answers: int) -> list[int]:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write("\n".join([*self._pending, "f", ""]))
        self._process.stdin.flush()
        self._pending.clear()
        return [int(self._process.stdout.readline(), 16) for _ in range(answers)]


def signed(value: int, width: int) -> int:
    """The two's complement reading of the low `width` bits."""
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


def pack(lanes: Iterable[int], width: int) -> int:
    """Lane i goes to bits [i*width +: width], modulo 2**width."""
    return sum((int(lane) % (1 << width)) << (i * width) for i, lane in enumerate(lanes))


def unpack(value: int, width: int, lanes: int) -> list[int]:
    """The lanes of a flat vector as signed integers."""
    return [signed(value >> (i * width), width) for i in range(lanes)]
