"""A design -> what more than ranges of registers holds of every state that it can reach from reset: dearer, and seldom needed."""

from __future__ import annotations

from lift.discover.contract import Contract
from lift.netlist.model import Netlist
from proofs.mutation.control import Invariant
from proofs.mutation.held import held
from proofs.mutation.joint import joints


def invariants(netlist: Netlist, contract: Contract, known: list[Invariant]) -> list[Invariant]:
    """Each is proved by induction with `known` ones and those before it."""
    found: list[Invariant] = [*joints(netlist, contract, known)]
    return [*found, *held(netlist, contract, [*known, *found])]
