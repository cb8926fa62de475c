"""Every command of a program is damaged in many ways: the replay refuses the program, or its outputs are still right on the oracle."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

from act.backend.compile import Backend, Compiled, compile_module
from act.backend.emit import Operation, commands
from act.backend.replay import WrongProgram, check
from act.backend.verify import disagreement
from act.errors import UserError
from act.hlo import parse_module
from act.hlo.model import Module
from act.oracle import MachineError
from act.program import Program
from act.taidl.encode import EncodeError
from tests.act.backend.backends import ROOT, backend_of, hlo

LIMITED = hlo(
    "a = s8[20,17] parameter(0)",
    "b = s8[17,9] parameter(1)",
    "d = s32[20,9] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
    "low = s32[] constant(-128)",
    "high = s32[] constant(127)",
    "limited = s32[20,9] clamp(low, d, high)",
    "narrow = s8[20,9] convert(limited)",
)
WRAPPING = hlo(
    "a = s8[16,16] parameter(0)",
    "b = s8[16,16] parameter(1)",
    "c = s8[16,16] parameter(2)",
    "d = s8[16,16] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
    "e = s8[16,16] add(d, c)",
)
ATTENTION = hlo(
    "q = bf16[64,64] parameter(0)",
    "k = bf16[64,64] parameter(1)",
    "t = bf16[64,64] transpose(k), dimensions={1,0}",
    "s = bf16[64,64] dot(q, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
)
CASES = {
    "reference/systolic16.taidl": LIMITED,
    "generated/gemmini.taidl": LIMITED,
    "reference/gemmini.taidl": WRAPPING,
    "reference/h_qkv.taidl": ATTENTION,
}
STEPS = (-16, -1, 1, 5, 64)
"""By how much an attribute is changed."""


class Made(NamedTuple):
    backend: Backend
    module: Module
    compiled: Compiled


@cache
def made(isa: str) -> Made:
    backend, module = backend_of((ROOT / "isas" / isa).read_text()), parse_module(CASES[isa])
    return Made(backend, module, compile_module(backend, module))


def damaged(operations: list[Operation]) -> Iterator[list[Operation]]:
    """The program with one attribute changed, one command left out or done twice, and two commands exchanged."""
    for position, operation in enumerate(operations):
        before, after = operations[:position], operations[position + 1 :]
        yield [*before, *after]
        yield [*before, operation, operation, *after]
        if after:
            yield [*before, after[0], operation, *after[1:]]
        for name, value in operation.attributes.items():
            for step in STEPS:
                if value + step >= 0:
                    yield [*before, replace(operation, attributes={**operation.attributes, name: value + step}), *after]


def program_of(case: Made, issued: list[Operation]) -> Program | None:
    """The program of the damaged operations; None when they have no encoding."""
    try:
        return replace(case.compiled.program, commands=tuple(commands(case.backend.accelerator, issued)))
    except (UserError, EncodeError):
        return None


def accepted(case: Made, issued: list[Operation], program: Program) -> bool:
    try:
        check(case.backend.accelerator, case.compiled.graph, issued, case.compiled.allocation, program)
    except WrongProgram:
        return False
    return True


@pytest.mark.parametrize("isa", CASES)
def test_what_the_replay_accepts_is_right(isa):
    case = made(isa)
    refused = kept = 0
    for issued in damaged(list(case.compiled.operations)):
        program = program_of(case, issued)
        if program is None:
            continue
        if not accepted(case, issued, program):
            refused += 1
            continue
        kept += 1
        assert disagreement(case.backend.accelerator, case.module, program, rounds=1) is None
    assert refused > 4 * kept


@pytest.mark.parametrize("isa", CASES)
def test_what_is_wrong_on_the_oracle_is_refused(isa):
    """A sample of the same programs, the other way around."""
    case = made(isa)
    wrong = 0
    for issued in list(damaged(list(case.compiled.operations)))[::17]:
        program = program_of(case, issued)
        if program is None:
            continue
        try:
            with np.errstate(all="ignore"):
                right = disagreement(case.backend.accelerator, case.module, program, rounds=1) is None
        except MachineError:
            right = False
        if not right:
            wrong += 1
            assert not accepted(case, issued, program)
    assert wrong > 3
