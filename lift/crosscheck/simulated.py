"""A netlist and what it was read with -> the same RTL on Icarus Verilog, its files as they are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lift.crosscheck.check import Given
from lift.crosscheck.definitions import alone
from lift.crosscheck.icarus import Icarus
from lift.crosscheck.parameters import overrides
from lift.discover.recorders import is_record
from lift.netlist.model import Netlist


@contextmanager
def simulated(netlist: Netlist, given: Given) -> Iterator[Icarus]:
    """The top of `netlist` with all below it.  Raises NotSimulated where Icarus does not take it."""
    design = netlist.design
    assert design is not None, "a netlist without definitions"
    if any(is_record(netlist, memory) for memory in netlist.memories):
        netlist = alone(design, design.top)
    files = list(dict.fromkeys(Path(m.location.file) for m in design.modules.values()))
    with Icarus(netlist, given.sources(files, overrides(design.modules[design.top], given.parameters))) as machine:
        yield machine
