"""A copy of the RTL in which one file differs -> the first claim of these proofs about that module that does not hold of it.

Only modules whose behaviour is stated from the specification, not read from the RTL, can be refuted so.
"""

from __future__ import annotations

from pathlib import Path

from proofs.solve import NotProved, Refuted


def refutation(file: str, folder: Path) -> str | None:
    """What is refuted, None if everything that is stated of the module still holds, or nothing is stated."""
    from proofs import test_controllers, test_mutations
    from proofs.designs import netlist

    unit = Path(file).stem
    if unit in ("PE", "MacUnit"):
        found = test_mutations.first_refutation(netlist("PE", folder))
        return None if found is None else f"{found[0]}: {str(found[2]).splitlines()[0]}"
    if unit in ("LoadController", "StoreController"):
        try:
            test_mutations.claims_hold(test_controllers.Controller(unit, 4, folder))
        except Refuted as error:
            return str(error).splitlines()[0]
        except NotProved:
            return None
    return None
