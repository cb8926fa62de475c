"""What may become of a mutant."""

from __future__ import annotations

from typing import Literal

What = Literal[
    "rejected by the reader",
    "equal by Z3, module by module",
    "refused by the lift",
    "refused by the lift's own check",
    "opaque instruction",
    "different TAIDL",
    "streams differ",
    "failed proof",
    "equal by Z3, from reset on",
    "timing only",
    "refuted by Z3",
    "no proof",
    "execution differs",
    "found out",
    "equal by Z3",
    "no error",
    "undecided",
    "survived",
    "crashed",
]
OUTCOMES: tuple[What, ...] = What.__args__  # type: ignore[attr-defined]
BAD: tuple[What, ...] = ("undecided", "survived", "crashed")

__all__ = ["BAD", "OUTCOMES", "What"]
