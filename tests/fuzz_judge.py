"""A kernel -> whether its program is right, refused, wrong, or crashed the compiler; and the smallest kernel of which the same is true."""

from __future__ import annotations

import re
import signal
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from math import inf
from time import perf_counter, process_time
from types import FrameType

from act.backend.choose import BUDGET, Choice
from act.backend.compile import Backend, Statistics, compile_module
from act.backend.verify import disagreement
from act.errors import UserError
from act.hlo import Computation, Instruction, Module, check_computation
from tests.fuzz_kernels import as_module, pruned

SECONDS = 60
"""Of the processor, after which a kernel is out of time: what else the machine does makes no difference."""


class Verdict(Enum):
    EQUAL = "equal"
    REFUSED = "refused"
    WRONG = "wrong"
    CRASHED = "crashed"
    SLOW = "out of time"


@dataclass(frozen=True, slots=True)
class Outcome:
    """`reason` is why it was refused, the first difference, or where the compiler crashed."""

    verdict: Verdict
    reason: str = ""
    seconds: float = 0.0
    nodes: int = 0


class OutOfTime(BaseException):
    """Not caught by what handles errors."""


_armed = [False]


def _ring(number: int, frame: FrameType | None) -> None:
    if _armed[0]:
        raise OutOfTime


def judge(backend: Backend, module: Module, seed: int = 0, seconds: int = SECONDS, budget: int = BUDGET) -> Outcome:
    """Compiles in process, then runs on the oracle, with garbage in on-chip memories, against the reference on random and edge inputs."""
    try:
        return _judge(backend, module, seed, seconds, budget)
    except OutOfTime:  # also while an error was being handled
        return Outcome(Verdict.SLOW, f"after {seconds} s")


def _judge(backend: Backend, module: Module, seed: int, seconds: int, budget: int) -> Outcome:
    begin, statistics = process_time(), Statistics()
    previous = signal.signal(signal.SIGPROF, _ring)
    _armed[0] = True
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        program = compile_module(backend, module, statistics, budget, Choice(budget)).program
        taken = process_time() - begin
        found = disagreement(backend.accelerator, module, program, seed=seed, rounds=1)
        nodes = int(statistics.values.get("nodes", 0))
        return Outcome(Verdict.WRONG, str(found), taken, nodes) if found else Outcome(Verdict.EQUAL, "", taken, nodes)
    except UserError as error:
        return Outcome(Verdict.REFUSED, reason(error), process_time() - begin)
    except Exception as error:
        return Outcome(Verdict.CRASHED, where(error), process_time() - begin)
    finally:
        _armed[0] = False
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)


def where(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    place = frames[-1]
    return f"{type(error).__name__} at {place.filename.rpartition('/act/')[2]} in {place.name}: {str(error)[:160]}"


def reason(error: UserError) -> str:
    """The message without names, numbers and shapes, by which refused kernels are counted."""
    first, *rest = str(error).rpartition("error: ")[2].split("\n")
    text = f"{first}: {rest[0].strip()}" if first.endswith("ended at") and rest else first
    text = re.sub(r"'[^']*'|[^ ]*_model|-?\b[0-9]+[.][.]-?[0-9]+\b", "'…'", text)
    text = re.sub(r"\[[0-9,]*\]", "[…]", text)
    return re.sub(r"\b[0-9]+\b", "n", text)[:240]


def smaller(computation: Computation) -> Iterator[Computation]:
    """Kernels with less in them: an inner value is the result; an instruction is an input, or one of its operands."""
    for each in computation.instructions:
        if each.opcode not in ("parameter", "constant") and each.name != computation.root:
            yield pruned(replace(computation, root=each.name))
    for position, each in enumerate(computation.instructions):
        if each.opcode in ("parameter", "constant", "tuple"):
            continue
        number = sum(other.opcode == "parameter" for other in computation)
        made = Instruction(each.name, each.shape, "parameter", (), {"number": number})
        yield pruned(replace(computation, instructions=(*computation.instructions[:position], made, *computation.instructions[position + 1 :])))
        for operand in each.operands:
            if computation[operand].shape == each.shape and each.name != computation.root:
                yield pruned(renamed(computation, each.name, operand))


def renamed(computation: Computation, name: str, other: str) -> Computation:
    lines = tuple(replace(each, operands=tuple(other if operand == name else operand for operand in each.operands)) for each in computation)
    return replace(computation, instructions=lines)


def shrunk(module: Module, fails: Callable[[Module], bool], attempts: int = 200, until: float = inf) -> Module:
    """The smallest kernel that is found in so many attempts for which `fails` still holds; no attempt begins after `until` (`perf_counter`)."""
    best, left = module, attempts
    while left and perf_counter() < until:
        for candidate in sorted(smaller(best.main), key=lambda each: len(each.instructions)):
            left -= 1
            if not left or perf_counter() > until:
                break
            if len(candidate.instructions) <= len(best.main.instructions) and candidate != best.main and _fails(candidate, fails):
                best = as_module(candidate, module.name)
                break
        else:
            break
        left = max(left, 0)
    return best


def _fails(candidate: Computation, fails: Callable[[Module], bool]) -> bool:
    check_computation(candidate)
    return fails(as_module(candidate, "smaller"))
