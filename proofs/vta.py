"""rtl/vta, with small blocks and buffers -> its modes before and after the passes, and its instruction set as text; lifted from scratch, once a process."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from act.taidl import Accelerator, print_text
from act.taidl.verify import load
from lift.discover.bursts import single_beats
from lift.discover.commands import decoder
from lift.discover.contract import discover
from lift.discover.recorders import recorded
from lift.discover.state import find
from lift.functions import update_functions
from lift.lifting import lift_functions
from lift.netlist.model import Netlist
from lift.options import Options
from lift.pipeline import assemble
from lift.progress import Progress
from lift.unroll.extract import Lift, extract
from lift.unroll.machine import Machine, with_deep_recursion
from lift.verilog import read
from proofs.designs import ROOT, Case, cases_of

RTL = ROOT / "rtl" / "vta"
GENERATED = ROOT / "isas" / "generated" / "vta.taidl"
SMALL = {"BLOCK_IN": 4, "BLOCK_OUT": 4} | {f"LOG_{name}_DEPTH": bits for name, bits in (("UOP", 5), ("INP", 5), ("WGT", 4), ("ACC", 5), ("OUT", 5))}


def netlist(**parameters: int) -> Netlist:
    return read([RTL], "VTA", parameters=parameters, assertions=True)


@cache
def lift_of_vta() -> Lift:
    """Everything before it is turned into IR."""
    return with_deep_recursion(_extract)


def _extract() -> Lift:
    design = netlist(**SMALL)
    contract = discover(design)
    return extract(find(Machine(recorded(single_beats(design, contract), contract)), contract, decoder(design, contract.command)))


@cache
def vta() -> dict[str, tuple[Case, ...]]:
    return cases_of(lift_of_vta())


@cache
def specification_text() -> str:
    """Assembled anew."""
    options = Options((RTL,), "VTA", Path("unused.taidl"), "vta", parameters=dict(SMALL), prove=False)

    def assembled() -> Accelerator:
        found = assemble(lift_of_vta(), lift_functions(update_functions(lift_of_vta()), options, Progress()), options, Progress())
        assert not found.opaque, found.opaque
        return found.accelerator

    return print_text(with_deep_recursion(assembled))


@cache
def specification() -> Accelerator:
    return load(specification_text(), "vta, small")
