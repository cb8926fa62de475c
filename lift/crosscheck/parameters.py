"""A module of the source text to the names of its parameters, so that it can be made a top with the values it has in the design."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from lift.netlist.module import Module

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
DECLARED = re.compile(r"\b(parameter|localparam)\b|(?<=[\s,(\]])([A-Za-z_]\w*)\s*=(?!=)")


LARGE = 1 << 31  # from here on a value may stand for a negative one


def overrides(module: Module, given: Mapping[str, int | str] = {}) -> dict[str, int | str]:
    """The parameters of a module, without local ones, with their values.  Those that are no plain numbers are taken from `given`, or keep
    what the source says."""
    names = _names(Path(module.location.file), module.name)
    plain = {name: value for name, value in module.parameters.items() if name in names and value < LARGE}
    return plain | {name: value for name, value in given.items() if name in names and name not in plain}


@cache
def _names(file: Path, module: str) -> frozenset[str]:
    text = COMMENT.sub(" ", file.read_text(errors="replace"))
    found = re.search(rf"\bmodule\s+{re.escape(module)}\b(.*?)\bendmodule\b", text, re.DOTALL)
    if not found:
        return frozenset()
    body, names, kind = found[1], set[str](), ""
    for statement in re.findall(r"#\s*\(.*?\)\s*\(|\bparameter\b[^;]*;", body, re.DOTALL):
        for keyword, name in DECLARED.findall(statement):
            kind = keyword or kind
            if name and kind == "parameter":
                names.add(name)
    return frozenset(names)
