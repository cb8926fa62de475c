"""Verilog and SystemVerilog sources to a `lift.netlist.Netlist`."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from lift.errors import UserError
from lift.netlist.arrays import walk
from lift.netlist.depth import deep_recursion
from lift.netlist.hierarchy import flatten
from lift.netlist.model import Assertion, Netlist
from lift.verilog.sources import collect

__all__ = ["below", "read"]


def read(
    paths: Sequence[Path],
    top: str,
    *,
    frontend: str = "slang",
    defines: Mapping[str, str] = {},
    parameters: Mapping[str, int | str] = {},
    black_boxes: Sequence[str] = (),
    file_lists: Sequence[Path] = (),
    assertions: bool = False,
) -> Netlist:
    """The design below module `top` of the files in `paths` (files or directories) and `file_lists`.

    `defines` are macros, to which SYNTHESIS is added, `parameters` override those of the top, modules named in `black_boxes` stay outside:
    their outputs become inputs of the netlist and their inputs outputs, named `instance.port`.  `assertions`: those that the sources leave out
    of synthesis as well, which takes a second reading.  Raises `UserError` with the location for bad input.
    """
    sources = collect([Path(p) for p in paths], [Path(p) for p in file_lists])
    match frontend:
        case "slang":
            from lift.verilog import slang_reader as reader
        case "pyverilog":
            from lift.verilog import pyverilog_reader as reader
        case _:
            raise UserError(None, f"unknown reader '{frontend}'", "use slang or pyverilog")
    with deep_recursion(), _no_collection():
        netlist = reader.read(sources, top, {"SYNTHESIS": "1"} | dict(sources.defines) | dict(defines), parameters, black_boxes)
        if not assertions or frontend != "slang" or "SYNTHESIS" in defines:
            return netlist
        try:
            simulated = reader.read(sources, top, dict(sources.defines) | dict(defines), parameters, black_boxes)
        except UserError:  # simulation code that cannot be read says nothing of the design
            return netlist
        return replace(netlist, assertions=_known(netlist, simulated), simulated=simulated.design)


def below(netlist: Netlist, key: str) -> Netlist:
    """The netlist of a definition of the design that `netlist` was flattened from, as if it were the top."""
    assert netlist.design is not None
    unit = flatten(netlist.design.modules, key, netlist.design.builder)
    if netlist.simulated is None or key not in netlist.simulated.modules:
        return unit
    simulated = flatten(netlist.simulated.modules, key, netlist.simulated.builder)
    return replace(unit, assertions=_known(unit, simulated), simulated=netlist.simulated)


def _known(netlist: Netlist, simulated: Netlist) -> tuple[Assertion, ...]:
    """The assertions of the simulated design over registers and memories of the synthesised one."""
    found = []
    for assertion in simulated.assertions:
        leaves = [n for n in walk(assertion.holds) if n.op in ("reg", "memread", "undef")]
        if all(n.attr in (netlist.memories if n.op == "memread" else netlist.registers) for n in leaves):
            found.append(assertion)
    return tuple(found)


@contextmanager
def _no_collection() -> Iterator[None]:
    """No garbage collection inside: reading makes many objects that live on, in which a collector would search in vain."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
