"""A copy of the RTL in which one file differs -> the first claim of these proofs about that module that does not hold of it.

Only modules whose behaviour is stated from the specification, not read from the RTL, can be refuted so.
"""

from __future__ import annotations

from pathlib import Path

from proofs.mutation import units
from proofs.mutation.kinds import What
from proofs.solve import NotProved, Refuted


def judged(file: str, folder: Path) -> tuple[What, str] | None:
    """Outcome and evidence; None if everything that is stated of the module still holds, or nothing is stated."""
    from proofs import test_controllers, test_mutations

    unit = Path(file).stem
    if unit in ("LoadController", "StoreController"):
        try:
            test_mutations.claims_hold(test_controllers.Controller(unit, 4, folder))
        except Refuted as error:
            return "failed proof", str(error).splitlines()[0]
        except NotProved:
            return None
    return units.judged(file, folder)
