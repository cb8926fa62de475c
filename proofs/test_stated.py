"""Small modules do in every cycle, from any state and under any inputs, what is stated of them: every register and output."""

from __future__ import annotations

from pathlib import Path

import pytest

from lift.verilog import read
from proofs import designs, stated, vta
from proofs.designs import unlifted_cycle
from proofs.replay import about, must_be_confirmed
from proofs.solve import Refuted

MODULES = [*((designs.RTL, m) for m in stated.GEMMINI if m.top != "PE"), *((vta.RTL, m) for m in stated.VTA)]  # the element: test_pe
IDS = [f"{folder.name}-{m.top}{''.join(f'-{k}{v}' for k, v in m.parameters.items())}-step" for folder, m in MODULES]
each = pytest.mark.parametrize(("folder", "module"), MODULES, ids=IDS)


@each
def test_a_module_does_what_is_stated(folder: Path, module: stated.Module) -> None:
    one = unlifted_cycle(read([folder], module.top, parameters=dict(module.parameters)))
    with about(one):
        module.prove(one)


WRONG = {
    "Issue": ("(funct == FUNCT_MVIN3)", "(funct == FUNCT_MVOUT)"),
    "AluLane": ("a_less ? b : a", "a_less ? a : b"),
    "AffineIndex": ("sum_i + factor_1", "sum_i + factor_0"),
    "MAC": ("$signed(r_a) * $signed(r_b)", "$signed(r_a) * r_b"),
}


@pytest.mark.parametrize("top", WRONG, ids=[f"{'gemmini' if top == 'Issue' else 'vta'}-{top}-step" for top in WRONG])
def test_a_mutation_of_the_rtl_is_refuted(tmp_path: Path, top: str) -> None:
    folder, module = next((f, m) for f, m in MODULES if m.top == top)
    text, (old, new) = (folder / f"{top}.v").read_text(), WRONG[top]
    assert text.count(old) == 1
    (tmp_path / f"{top}.v").write_text(text.replace(old, new))
    one = unlifted_cycle(read([tmp_path], top))
    with pytest.raises(Refuted) as caught, about(one):
        module.prove(one)
    must_be_confirmed(caught.value)
