"""How much shorter the passes make the functions of a module: lines of IR before and after, beside the published figures.

A module's functions are its transaction functions (`lift.unroll.pull`): every output, register and memory as a function of inputs some cycles ago and of
state, names that differ in indices only as one array.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from xdsl.ir import Operation

from lift.functions import LiftedFunction, TimedProver, lift_function
from lift.ir.operations import PURE, functions, walk
from lift.netlist.model import Netlist
from lift.passes import PASSES
from lift.passes.b3_detect_mac import MAC
from lift.passes.reuse import Lifter
from lift.testing import TrialProver
from lift.unroll.machine import with_deep_recursion
from lift.unroll.past import quiet_reset
from lift.unroll.pull import DEPTH, Puller
from lift.unroll.series import gathered
from lift.verilog import read

REPOSITORY = Path(__file__).parents[1]
_NO_COMPUTATION = ("arith.constant", "arith.index_castui")


@dataclass(frozen=True, slots=True)
class Published:
    """TensorLift, Table 3: files, and lines before and after."""

    files: int
    before: int
    after: int


TABLE_3 = {
    "PE": Published(1, 686, 49), "ExecuteController": Published(80, 997_760, 759_360), "LoadController": Published(23, 50_004, 33_244),
    "StoreController": Published(23, 63_313, 43_269), "TensorGemm": Published(9, 29_745, 1_183), "TensorAlu": Published(10, 4_832, 1_465),
    "Store": Published(5, 62_807, 54_294), "GenVMECmd": Published(5, 3_160, 2_205),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Module:
    """`top` of the Verilog in `folder`, which is `name` in the published table; `targets` (a pattern of names), or all outputs and what they stop at."""

    name: str
    folder: Path
    top: str
    targets: str | None = None


# One element of the mesh, the requests of im2col and the configuration, as in the published table.
EXECUTE = (
    r".*mesh_0_0\.tile_0_0\.c[12]|.*row\[0\].*col\[0\].*\.c[12]|io_im2col_req_\w+|config_initialized|current_dataflow|in_shift|acc_scale(_bits)?|activation"
    r"|a_transpose|bd_transpose|[ac]_addr_stride"
)


def modules() -> Iterator[Module]:
    """Those in the tree; those of TENSORLIFT_REAL_RTL (folders `chipyard` and `vta`) if it is set."""
    for name in ("PE", "ExecuteController", "LoadController", "StoreController"):
        yield Module(name, REPOSITORY / "rtl" / "gemmini", name, EXECUTE if name == "ExecuteController" else None)
    vta = REPOSITORY / "rtl" / "vta"
    if vta.exists():
        yield from (Module(name, vta, name) for name in ("TensorGemm", "TensorAlu", "Store", "GenVMECmd"))
    if "TENSORLIFT_REAL_RTL" in os.environ:
        root = Path(os.environ["TENSORLIFT_REAL_RTL"])
        tops = {"PE": "PE_256"} | {n: n for n in ("LoadController", "StoreController", "ExecuteController")}
        yield from (Module(name, root / "chipyard", top, EXECUTE if name == "ExecuteController" else None) for name, top in tops.items())
        yield from (Module(name, root / "vta", name) for name in ("TensorGemm", "TensorAlu", "Store", "GenVMECmd"))


def measured(module: Module, prove: bool) -> dict[str, float]:
    """The figures of one module."""
    start = perf_counter()
    netlist = read([module.folder], module.top)
    return with_deep_recursion(lambda: _lifted(module, netlist, prove, start))


def _lifted(module: Module, netlist: Netlist, prove: bool, start: float) -> dict[str, float]:
    puller = Puller(netlist, DEPTH, quiet_reset(netlist))
    pattern = module.targets
    names = None if pattern is None else [n for n in (*netlist.outputs, *netlist.registers) if re.fullmatch(pattern, n)]
    pulled = gathered(netlist, puller.all(names))
    lifter = Lifter(tuple(each() for each in PASSES), TimedProver() if prove else TrialProver())
    middle = perf_counter()
    lifted = [lift_function((f.instruction, 0, f.target), f, lifter, True, lambda *_: None) for f in pulled.values()]
    raw, after = sum(f.lines_raw for f in lifted), sum(f.lines_lifted for f in lifted)
    figures = {"functions": len(lifted), "before": raw, "after": after, "reduction_percent": 100 * (1 - after / raw)}
    figures |= {"unproved": sum(r.unknown for f in lifted for r in f.reports)} | _with_macs(lifted)
    return figures | {"pull_s": middle - start, "passes_s": perf_counter() - middle}


def _with_macs(lifted: list[LiftedFunction]) -> dict[str, float]:
    """The longest function that multiplies and accumulates: its lines, and those that its MACs are computed by."""
    found = []
    for function in lifted:
        macs = [op for each in functions(function.module) for op in walk(each.body.block) if MAC in op.attributes]
        if macs:
            found.append((function.lines_lifted, len(_computed_by(macs))))
    return dict(zip(("longest_with_macs", "core"), max(found), strict=True)) if found else {}


def _computed_by(operations: list[Operation]) -> set[Operation]:
    """The pure operations that are, or lead to, `operations`."""
    found, stack = set[Operation](), list(operations)
    while stack:
        op = stack.pop()
        if op not in found and op.name in PURE and op.name not in _NO_COMPUTATION:
            found.add(op)
            stack += [v.owner for v in op.operands if isinstance(v.owner, Operation)]
    return found


def rows(prove: bool) -> dict[str, dict[str, float]]:
    """By module and folder, with the published figures."""
    found = {}
    for module in modules():
        published = TABLE_3[module.name]
        paper = {"paper_functions": published.files, "paper_before": published.before, "paper_after": published.after}
        paper["paper_reduction_percent"] = 100 * (1 - published.after / published.before)
        found[f"{module.folder.name} {module.name}"] = measured(module, prove) | paper
    for folder in {key.split()[0] for key in found}:
        mine = [figures for key, figures in found.items() if key.split()[0] == folder]
        found[f"{folder} total"] = {column: sum(f[column] for f in mine) for column in ("functions", "before", "after", "unproved")}
    return found
