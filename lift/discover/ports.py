"""What a unit is lifted against, as data: its command port, its memory port, its other channels, clock and reset."""

from __future__ import annotations

from dataclasses import dataclass

from lift.discover.channels import Answer, Burst, Channel
from lift.retime.retime import Count, Hazard

MEMORY_PORTS = ("request_valid", "request_ready", "address", "write", "write_data", "write_mask", "response_valid", "response_data")


@dataclass(frozen=True, slots=True)
class CommandPort:
    """`words` maps the name of each payload word to its input port; `held`: they keep their values as long as the command takes."""

    valid: str
    ready: str | None
    words: dict[str, str]
    held: bool = False


@dataclass(frozen=True, slots=True)
class MemoryPort:
    """A port to the host's memory: requests of `data_bytes` bytes at a byte address, answers in order."""

    name: str
    request_valid: str
    request_ready: str | None
    address: str
    write: str | None
    write_data: str | None
    write_mask: str | None
    response_valid: str | None
    response_data: str | None
    address_bits: int
    data_bytes: int


@dataclass(frozen=True, slots=True)
class Contract:
    """What a unit is lifted against.  `reasons` says, item by item, why it is believed.  Where the memory port moves `bursts`, `memory` is the port of
    single beats behind their adapter (`lift.discover.bursts`).  `quiet`: inputs that tell of events elsewhere, and are 0 (`lift.discover.events`); `held`:
    outputs that are registers which other state depends on.  `reached`: (memory, channel) of the neighbours' memories that were put inside
    (`lift.discover.neighbours`).

    Of a unit without its pipeline (`lift.discover.pipelines`): `removed` are the registers of the pipeline, `left` what still holds words from one cycle to
    the next, `waiting` what says whether something is under way, `counts` how some of it counts that, `hazards` what iterations are taken not to do to one
    another."""

    clock: str | None
    reset: str | None
    reset_active: int
    command: CommandPort | None
    memory: MemoryPort | None
    reasons: dict[str, str]
    channels: tuple[Channel, ...] = ()
    answers: tuple[Answer, ...] = ()
    bursts: tuple[Burst, ...] = ()
    quiet: tuple[str, ...] = ()
    held: frozenset[str] = frozenset()
    removed: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    counts: tuple[Count, ...] = ()
    hazards: tuple[Hazard, ...] = ()
    reached: tuple[tuple[str, str], ...] = ()
