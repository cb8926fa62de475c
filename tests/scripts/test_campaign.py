"""What a campaign of many kernels remembers from one slice to the next."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from campaign import Campaign, load, report, table

KERNEL = "swlib: dot 'd': lhs_contracting_dims=(0,)"


def test_a_refusal_with_a_small_budget_is_replaced_by_what_the_full_one_says() -> None:
    found = Campaign()
    found.note("swlib", 0, KERNEL, "refused", "no program", 0.1, final=False)
    found.note("swlib", 1, KERNEL, "refused", "no program", 0.1)
    assert found.again == [["swlib", 0, "no program"]]
    assert found.reasons["no program"] == 2
    found.note("swlib", 0, KERNEL, "equal", "", 0.2)
    assert (found.counts["equal"], found.counts["refused"], found.reasons["no program"], found.again) == (1, 1, 1, [])
    assert found.done == {"swlib": 2}


def test_a_campaign_goes_on_from_its_file(tmp_path: Path) -> None:
    found, file = Campaign(settings={"seed": 3}, seeds=[4]), tmp_path / "state.json"
    found.note("swlib", 0, KERNEL, "refused", "no program", 0.1, final=False)
    found.note("kernel 4", 0, "kernel_4", "wrong", "first difference", 0.1)
    found.save(file)
    again = load(file)
    assert again == found
    assert list(report(again)) == list(report(found))
    assert "| dot, lhs_contracting_dims | 0 | 1 | 0 | 0 | 0 |" in table(again.changes)
    assert "| all | 0 | 1 | 0 | 1 | 0 |" in table(again.changes)
