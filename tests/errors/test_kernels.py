"""Kernels that have no program: kernels/NAME.hlo gives the message in kernels/NAME.txt, and exit status 1.

The instruction set is the reference ISA, for some kernels with a smaller memory.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from act.cli import cc_main, gen_main

HERE = Path(__file__).parent
ISA = HERE.parents[1] / "isas" / "reference" / "systolic16.taidl"
CASES = sorted(HERE.glob("kernels/*.hlo"))
SMALLER = {
    "too_large_for_a_scratchpad_of_16_rows": ("s8[16384][16]", "s8[16][16]"),
    "too_large_for_a_host_memory_of_1024_bytes": ("u8[1 << 40]", "u8[1024]"),
}


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_kernel_without_a_program_is_refused_with_the_reason(path, golden, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("isa.taidl").write_text(ISA.read_text().replace(*SMALLER.get(path.stem, ("", ""))))
    Path(path.name).write_text(path.read_text())
    assert gen_main(["isa.taidl", "-o", "backend"]) == 0
    capsys.readouterr()
    status = cc_main(["backend", path.name, "-o", "out.asm"])
    golden(f"kernels/{path.stem}.txt", f"exit status {status}\n{capsys.readouterr().err}")
    assert status == 1
    assert not Path("out.asm").exists()


def test_a_budget_that_is_too_small_is_named(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert gen_main([str(ISA), "-o", "backend"]) == 0
    capsys.readouterr()
    assert cc_main(["backend", str(HERE / "inputs" / "matmul.hlo"), "--budget", "2"]) == 1
    said = capsys.readouterr().err
    assert "within a budget of 2 steps\n  give a larger --budget" in said
