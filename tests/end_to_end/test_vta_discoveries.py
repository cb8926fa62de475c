"""What the RTL does otherwise than its documentation says comes out of the lift: for each such thing a command is found on which the documented machine leaves
something else than the instruction set does, and the RTL leaves what the instruction set does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from vta_model import Machine, operation

from act.oracle import MachineError
from tests.end_to_end.rtl import needs_rtl
from tests.end_to_end.vta_hardware import Hardware, Stream, lifted, model_differences, rtl_differences

LATENCY_SEED = 1
TRIED = 200


class OperandAtDst(Machine):
    """With an immediate, operand a is read where the result goes."""

    def _alu(self, f: dict[str, int]) -> None:
        imm = f["imm"] - (1 << 16) if f["imm"] >> 15 else f["imm"]
        for dst, src, _ in self._iterations(f):
            first = self.acc[dst]
            second = np.full_like(first, imm) if f["use_imm"] else self.acc[src]
            self._write(dst, operation(f["alu_op"], first.astype(np.int64), second.astype(np.int64), imm < 0))


class DirectionOfOperand(Machine):
    """Without an immediate, the sign of operand b says which way to shift."""

    def _alu(self, f: dict[str, int]) -> None:
        if f["use_imm"]:
            return super()._alu(f)
        for dst, src, _ in self._iterations(f):
            first, second = self.acc[dst].astype(np.int64), self.acc[src].astype(np.int64)
            left, right = (operation(f["alu_op"], first, second, way) for way in (True, False))
            self._write(dst, np.where(second < 0, left, right))


@dataclass(frozen=True, slots=True)
class Discovery:
    """`machine` does as is documented; instructions whose names begin so, with this in them, show what the RTL does."""

    machine: type[Machine]
    instruction: str
    having: str = ""


DISCOVERIES = {
    "operand a is read at src when there is an immediate": Discovery(OperandAtDst, "alu_add", "use_imm"),
    "the unused immediate still says which way to shift": Discovery(DirectionOfOperand, "alu_3"),
}


@pytest.fixture(scope="module", name="hardware")
def fixture_hardware(tmp_path_factory: pytest.TempPathFactory) -> Hardware:
    return Hardware(lifted(tmp_path_factory.mktemp("lifted")))


def streams(hardware: Hardware, found: Discovery) -> Iterator[Stream]:
    names = [n for n in hardware.instructions if n.startswith(found.instruction) and found.having in n and "_step" not in n]
    assert names
    return (hardware.stream(seed, names[seed % len(names)]) for seed in range(TRIED))


@needs_rtl
@pytest.mark.parametrize("title", DISCOVERIES)
def test_the_instruction_set_says_what_the_rtl_does_and_the_documentation_does_not(title: str, hardware: Hardware) -> None:
    found = DISCOVERIES[title]
    witness, lines = next((s, lines) for s in streams(hardware, found) if (lines := model_differences(hardware, s, found.machine)))
    assert rtl_differences(hardware, [witness], LATENCY_SEED) == []
    print(f"{title}: {witness.operations[-1]}: {lines[0]}")


def test_a_machine_without_differences_has_no_witness(hardware: Hardware) -> None:
    assert [s.seed for s in streams(hardware, DISCOVERIES["the unused immediate still says which way to shift"]) if model_differences(hardware, s)] == []


@pytest.mark.parametrize("field", ["lp", "lp_49"])
def test_a_loop_bound_of_zero_is_outside_of_what_the_instruction_set_says(field: str, hardware: Hardware) -> None:
    """The RTL runs 2**14 iterations then, the documented machine none; the instruction set claims neither."""
    stream = next(streams(hardware, DISCOVERIES["operand a is read at src when there is an immediate"]))
    name, attributes = stream.operations[-1]
    with pytest.raises(MachineError, match=f"1 <= {field}"):
        hardware.machine.step(name, {**attributes, field: 0})
