"""A unit to every path of every instruction, as far as it is found: as it is, or without the pipeline in which its iterations overlap."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from lift.cache import Store, executions
from lift.discover.commands import Decoder
from lift.discover.contract import Contract
from lift.discover.neighbours import with_memories
from lift.discover.pipelines import better, counts_what_is_under_way, incomplete, without_pipeline
from lift.discover.recorders import recorded
from lift.netlist.model import Netlist
from lift.unroll.budget import of_unit

Way = tuple[Netlist, Contract]


def executed(
    netlist: Netlist, contract: Contract, decoded: Decoder, progress: Callable[[str], None], store: Store | None, sharing: int = 1
) -> executions.Found:
    """The way on which all is found, or else the one on which most is.  Of units that share a budget, one that has needed most of its share is executed
    on one way only."""
    best: executions.Found | None = None
    for way in _ways(netlist, contract):
        kept = store if way[0] is netlist else None  # of a changed design, what was looked at says too little
        found = executions.find(recorded(*way), way[1], decoded, progress, kept, sharing)
        if not incomplete(found.unit):
            return found
        best = found if best is None or better(found.unit, best.unit) else best
        if sharing > 1 and 2 * found.unit.steps > of_unit(found.unit.machine, sharing).limit:
            break
    assert best is not None
    return best


def _ways(netlist: Netlist, contract: Contract) -> Iterator[Way]:
    """Without its pipeline first where the unit counts what is under way in it; otherwise that is not even looked for before it is needed."""
    other = without_pipeline(*with_memories(netlist, contract)) if counts_what_is_under_way(netlist) else None
    first = other is not None and other[1].counts
    if other is not None and first:
        yield other
    yield netlist, contract
    if not first:
        other = other or without_pipeline(*with_memories(netlist, contract))
        if other is not None:
            yield other
