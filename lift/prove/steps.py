"""A proof of an equation in steps: each an equation of its own over a small cone, which together say what the whole says."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import SSAValue

from lift.prove.cone import Value


@dataclass(frozen=True, slots=True)
class Step:
    """`left` = `right` for all values of what is on the cut."""

    left: Value
    right: Value
    cut: tuple[SSAValue, ...]
