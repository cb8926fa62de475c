"""Verilog and SystemVerilog sources to a `lift.netlist.Netlist`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from lift.errors import UserError
from lift.netlist.depth import deep_recursion
from lift.netlist.model import Netlist
from lift.verilog.sources import collect

__all__ = ["read"]


def read(
    paths: Sequence[Path],
    top: str,
    *,
    frontend: str = "slang",
    defines: Mapping[str, str] = {},
    parameters: Mapping[str, int | str] = {},
    black_boxes: Sequence[str] = (),
    file_lists: Sequence[Path] = (),
) -> Netlist:
    """The design below module `top` of the files in `paths` (files or directories) and `file_lists`.

    `defines` are macros, to which SYNTHESIS is added, `parameters` override those of the top, modules named in `black_boxes` stay outside: their outputs become
    inputs of the netlist and their inputs outputs, named `instance.port`.  Raises `UserError` with the location for bad input.
    """
    sources = collect([Path(p) for p in paths], [Path(p) for p in file_lists])
    match frontend:
        case "slang":
            from lift.verilog import slang_reader as reader
        case "pyverilog":
            from lift.verilog import pyverilog_reader as reader
        case _:
            raise UserError(None, f"unknown reader '{frontend}'", "use slang or pyverilog")
    with deep_recursion():
        return reader.read(sources, top, {"SYNTHESIS": "1"} | dict(defines), parameters, black_boxes)
