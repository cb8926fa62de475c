"""Random valid instruction streams leave the local memories and the host memory of RTL and oracle identical."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.end_to_end.machines import GENERATED, REFERENCE, Hardware, hardware
from tests.end_to_end.rtl import needs_rtl
from tests.end_to_end.streams import Stream, compare

pytestmark = needs_rtl
LATENCY_SEED = 1


def every_operation(target: Hardware) -> list[str]:
    accelerator = target.accelerator
    return [each.name for each in accelerator.instructions.values() if not each.opaque] + list(accelerator.composites)


def in_turn(target: Hardware, seeds: range, length: int = 0) -> Iterator[Stream]:
    """Streams of `length` operations and one more with what configures it: every operation in turn.  Where composites are whole, the last may be one."""
    names = every_operation(target)
    return (Stream(target, seed, name := names[seed % len(names)], length, needs_parts(target, name) or seed % 3 == 0) for seed in seeds)


def needs_parts(target: Hardware, name: str) -> bool:
    instruction = target.accelerator.instructions.get(name)
    return instruction is not None and (instruction.part_only or bool(instruction.after))


def check(target: Hardware, streams: Iterator[Stream]) -> set[str]:
    executed, differences = compare(target, streams, LATENCY_SEED)
    assert not differences, f"{len(differences)} differences\n" + "\n".join(differences[:5])
    print(f"{executed.total()} operations of {len(executed)} kinds, no difference")
    return set(executed)


def test_every_single_instruction_has_the_same_effect() -> None:
    target = hardware(GENERATED.read_text())
    executed = check(target, in_turn(target, range(max(60, len(every_operation(target))))))
    assert executed == set(every_operation(target))


def test_short_streams_have_the_same_effect() -> None:
    target = hardware(GENERATED.read_text())
    executed = check(target, in_turn(target, range(1000, 1000 + max(40, len(every_operation(target)))), length=8))
    assert executed == set(every_operation(target))


def test_composites_are_recognised_among_commands() -> None:
    target = hardware(GENERATED.read_text())
    composites = list(target.accelerator.composites)
    streams = [Stream(target, seed, name, length=4, parts=False) for seed, name in enumerate(2 * composites, 2000)]
    assert [line for stream in streams for line in stream.recognised()] == []
    assert set(composites) <= {name for stream in streams for name, _ in stream.operations}


def test_the_reference_instruction_set_describes_the_same_machine() -> None:
    target = hardware(REFERENCE.read_text())
    executed = check(target, in_turn(target, range(20)))
    assert len(executed) == len(every_operation(target))


@pytest.mark.slow
def test_thousands_of_single_instructions_have_the_same_effect() -> None:
    target = hardware(GENERATED.read_text())
    check(target, in_turn(target, range(10_000, 13_000)))


@pytest.mark.slow
def test_a_thousand_streams_have_the_same_effect() -> None:
    target = hardware(GENERATED.read_text())
    check(target, in_turn(target, range(20_000, 21_000), length=20))


SATURATION = "clamp(%v0, %x0, %v1)"


@pytest.mark.parametrize(
    ("instruction", "right", "wrong"),
    [
        ("mvout", "i * stride", "i * stride + i"),
        ("mvout", SATURATION, "maximum(%x0, %x0)"),
    ],
    ids=["a wrong stride", "saturation dropped"],
)
def test_a_wrong_specification_is_found(instruction: str, right: str, wrong: str) -> None:
    target = hardware(changed(GENERATED.read_text(), instruction, right, wrong))
    names = [name for name in every_operation(target) if name.startswith(instruction)]
    _, differences = compare(target, (Stream(target, seed, names[seed % len(names)]) for seed in range(8 * len(names))), LATENCY_SEED)
    assert any(f"elements of {target.host} differ" in line for line in differences)


def changed(text: str, instruction: str, right: str, wrong: str) -> str:
    """`text` with the first `right` in an instruction whose name begins so replaced."""
    start = text.index(right, text.index(f"\ninstruction {instruction}"))
    return text[:start] + wrong + text[start + len(right) :]
