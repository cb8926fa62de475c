"""The published names of what is made from an instruction set that is described in Python."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from act.taidl import Accelerator

if TYPE_CHECKING:
    from act.oracle import Machine


def generate_oracle(accelerator: Accelerator, legacy: bool | None = None) -> Machine:
    """A machine that executes the instruction set; `TaidlErrors` when it is ill-typed."""
    return accelerator.generate_oracle(legacy)


def generate_backend(accelerator: Accelerator, folder: str | Path | None = None, legacy: bool | None = None) -> Path:
    """Writes the compiler backend, to backends/<name> by default, and returns its folder."""
    return accelerator.generate_backend(folder, legacy)


__all__ = ["generate_backend", "generate_oracle"]
