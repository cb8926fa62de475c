"""The instruction set lifted from rtl/vta does what the RTL does: random valid streams leave memory and the five buffers identical."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import islice

import pytest

from act.taidl.steps import calls
from tests.end_to_end.rtl import needs_rtl
from tests.end_to_end.test_streams import changed
from tests.end_to_end.vta_hardware import Hardware, Stream, lifted, model_differences, rtl_differences

LATENCY_SEED = 1
BATCH = 100


@pytest.fixture(scope="module", name="text")
def fixture_text(tmp_path_factory: pytest.TempPathFactory) -> str:
    return lifted(tmp_path_factory.mktemp("lifted"))


@pytest.fixture(scope="module", name="hardware")
def fixture_hardware(text: str) -> Hardware:
    return Hardware(text)


def in_turn(hardware: Hardware, seeds: range, length: int = 0, only: str = "") -> Iterable[Stream]:
    """Streams that end with every instruction in turn (whose name begins so), `length` others before it."""
    names = [name for name in hardware.instructions if name.startswith(only)]
    return (hardware.stream(seed, names[seed % len(names)], length) for seed in seeds)


def check(hardware: Hardware, streams: Iterable[Stream]) -> None:
    """No difference, and every instruction was executed, alone or as a step of a macro."""
    executed: Counter[str] = Counter()
    remaining = iter(streams)
    while batch := list(islice(remaining, BATCH)):
        found = rtl_differences(hardware, batch, LATENCY_SEED)
        assert not found, f"{len(found)} differences\n" + "\n".join(found[:5])
        executed.update(name for stream in batch for name, _ in stream.operations)
    print(f"{executed.total()} instructions of {len(executed)} kinds, no difference")
    steps = {step.instruction for name in executed for step in calls(hardware.instructions[name].steps)}
    assert set(executed) | steps == set(hardware.accelerator.instructions)


def test_every_instruction_does_what_the_model_in_python_does(hardware: Hardware) -> None:
    streams = in_turn(hardware, range(3 * len(hardware.instructions)))
    assert [line for stream in streams for line in model_differences(hardware, stream)] == []


@needs_rtl
def test_every_single_instruction_has_the_same_effect(hardware: Hardware) -> None:
    check(hardware, in_turn(hardware, range(1000, 1000 + 4 * len(hardware.instructions))))


@needs_rtl
def test_short_streams_have_the_same_effect(hardware: Hardware) -> None:
    check(hardware, in_turn(hardware, range(2000, 2000 + len(hardware.instructions)), length=8))


def takes_its_tokens(hardware: Hardware, name: str, token: str) -> bool:
    """Whether the RTL waits after `name` for another `token`, as the oracle says."""
    try:
        rtl_differences(hardware, [hardware.waiting(1, name, token)], LATENCY_SEED)
    except AssertionError as error:
        return "not done" in str(error)
    return False


@needs_rtl
def test_every_instruction_takes_the_tokens_that_it_pops(hardware: Hardware) -> None:
    pairs = [(name, use.token) for name, each in hardware.instructions.items() for use in each.pops]
    assert len({token for _, token in pairs}) == 4
    assert [pair for pair in pairs if not takes_its_tokens(hardware, *pair)] == []


@needs_rtl
def test_a_token_that_is_never_taken_is_found(text: str, hardware: Hardware) -> None:
    name = next(name for name, module in hardware.modules.items() if module == "load" and hardware.instructions[name].body)
    broken = Hardware(changed(text, f"{name}(", "bits[4:4] = ", "bits[5:5] = "))
    assert not takes_its_tokens(broken, name, hardware.token("compute", "load"))


@needs_rtl
@pytest.mark.slow
def test_thousands_of_single_instructions_have_the_same_effect(hardware: Hardware) -> None:
    seeds = range(10_000, 15_000)
    print(f"seeds {seeds}")
    check(hardware, in_turn(hardware, seeds))


@needs_rtl
@pytest.mark.slow
def test_hundreds_of_streams_have_the_same_effect(hardware: Hardware) -> None:
    seeds = range(20_000, 20_250)
    print(f"seeds {seeds}")
    check(hardware, in_turn(hardware, seeds, length=20))


@needs_rtl
@pytest.mark.parametrize(
    ("instruction", "right", "wrong"),
    [
        ("gemm", " add(", " subtract("),
        ("alu", "shift-right-arithmetic", "shift-right-logical"),
        ("store", "i * xstride", "i * xstride + 4 * i"),
        ("load", "j + sram_offset", "j + sram_offset + 1"),
        ("store", "bits[25:10] = ", "bits[24:9] = "),
    ],
    ids=["an operator", "a shift", "a stride", "an offset", "a field of the encoding"],
)
def test_a_wrong_instruction_set_is_found(text: str, instruction: str, right: str, wrong: str) -> None:
    hardware = Hardware(changed(text, instruction, right, wrong))
    names = [name for name in hardware.instructions if name.startswith(instruction)]
    found = rtl_differences(hardware, list(in_turn(hardware, range(4 * len(names)), only=instruction)), LATENCY_SEED)
    assert any("differ, first" in line for line in found)


@needs_rtl
def test_a_token_that_is_never_given_is_found(text: str, hardware: Hardware) -> None:
    """The RTL waits for ever for what the instruction set says that loads push."""
    names = {each.issue[0] for each in hardware.nothings if each.module == "load"}
    for name in sorted(names):
        if "bits[6:6] = 1;" in text[text.index(f"\ninstruction {name}(") :].split("\n\n")[0]:
            text = changed(text, f"{name}(", "bits[6:6] = 1;", "bits[6:6] = 0;")
    broken = Hardware(text)
    with pytest.raises(AssertionError, match="not done"):
        rtl_differences(broken, list(in_turn(broken, range(10), length=3)), LATENCY_SEED)
