"""Cases of rules as text -> kernels.

A file of `cases/` has for each rule its name, lines with `+` for kernels on which it must propose something, and with `-` for near ones on
which it must not.  A kernel is its parameters and its instructions, separated by `;`.  `T` is any element type, PLAIN the dimension numbers
of a product of matrices.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from act.errors import UserError
from act.hlo import Computation
from tests.act.rewrites.graphs import computation

DTYPES = ("s8", "u8", "s32", "s3", "s64", "f32", "bf16", "pred")
FOLDER = Path(__file__).parent / "cases"


@cache
def cases() -> dict[str, list[tuple[bool, str]]]:
    """For each rule whether it must fire, and on what."""
    found: dict[str, list[tuple[bool, str]]] = {}
    name = ""
    for line in (line for file in sorted(FOLDER.glob("*.txt")) for line in file.read_text().splitlines()):
        if line[:2] in ("+ ", "- "):
            found[name].append((line[0] == "+", line[2:]))
        elif line and line[0] != "#":
            name = line
            assert name not in found, f"two lists of cases for {name}"
            found[name] = []
    return found


def texts(name: str, fires: bool) -> list[str]:
    return [text for sign, text in cases().get(name, []) if sign == fires]


def instantiated(text: str, dtype: str) -> Computation | None:
    """The computation of a case for one element type; None when it is not well-typed for that."""
    text = text.replace("PLAIN", "lhs_contracting_dims={1}, rhs_contracting_dims={0}")
    parameters, *lines = re.sub(r"\bT\b", dtype, text).split(";")
    try:
        return computation(parameters, *lines)
    except UserError:
        return None


def programs(text: str, dtypes: tuple[str, ...] = DTYPES) -> Iterator[Computation]:
    """One for each element type for which there is one."""
    for dtype in dtypes if re.search(r"\bT\b", text) else dtypes[:1]:
        found = instantiated(text, dtype)
        if found is not None:
            yield found
