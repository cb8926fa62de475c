"""tensorlift --cross-check: exit status 4 and a table when our reading or our functions differ, counts in --json, text in --report.

The assembly is a stand-in, so that each run is short.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from act.taidl.model import Accelerator, Buffer
from lift import pipeline
from lift.assemble import Assembly
from lift.cli import main
from lift.netlist.builder import Builder
from lift.options import Options
from lift.unroll.extract import Lift
from tests.lift.crosscheck import small
from tests.lift.crosscheck.small import needs_icarus, needs_yosys
from tests.lift.crosscheck.test_replay import damaged, other_data

pytestmark = [needs_yosys, needs_icarus]

TOY = str(Path(__file__).parents[1] / "designs" / "toy")
DONE, REJECTED, PARTIAL, DISAGREES = 0, 1, 3, 4


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pipeline, "assemble", assemble)
    (tmp_path / "signs.v").write_text(small.SIGNS)
    return tmp_path


def assemble(functions: Lift, lifted: object, options: Options, progress: object) -> Assembly:
    memory = Buffer("mem", "u8", (1 << 16,), (), hbm=True)
    return Assembly(Accelerator(options.name, (), {"mem": memory}, {}, {}, {}, ()), functions.opaque)


def run(*arguments: str) -> int:
    return main([*arguments, "--cross-check", "--no-cache", "--json", "counts.json", "--report", "report", "-o", "a.taidl", "--allow-partial"])


def counts() -> dict[str, int]:
    found = json.loads(Path("counts.json").read_text())
    return {name.removeprefix("crosscheck_"): number for name, number in found.items() if name.startswith("crosscheck_")}


def test_agreement_is_counted_and_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(TOY, "--top", "Toy") == DONE
    assert re.search(r"cross-check of definitions: \d+ agreed\nstate at rest: \d+ agreed\nreplay of instructions: \d+ tested", capsys.readouterr().out)
    assert counts()["agreed"] > 10
    assert counts()["different"] == 0
    assert "Dot2" in (folder / "report/crosscheck.txt").read_text()


def test_a_module_without_commands_is_checked_only(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("signs.v", "--top", "Top") == DONE
    told = capsys.readouterr()
    assert told.out == "cross-check of definitions: 3 agreed\n"
    assert "nothing was lifted: module 'Top' has no command port" in told.err
    assert not (folder / "a.taidl").exists()


def test_a_mistake_of_the_reader_is_exit_status_4(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    right = Builder.make
    monkeypatch.setattr(Builder, "make", lambda b, op, width, args, attr=None: right(b, "ult" if op == "slt" else op, width, args, attr))
    monkeypatch.setattr(pipeline, "lift_netlist", None)  # a wrong reading is not lifted
    assert run("signs.v", "--top", "Top") == DISAGREES
    told = capsys.readouterr()
    assert "different: less of Top" in told.err
    assert "less, tensorlift" in told.err and "less, yosys" in told.err and "signs.v:2:" in told.err
    assert counts() == {"agreed": 2, "tested": 0, "different": 1, "not_comparable": 0}
    assert not (folder / "a.taidl").exists()


def test_a_mistake_of_the_unroller_is_exit_status_4(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    right = pipeline.lift_netlist

    def wrong(*arguments: object) -> tuple[object, Lift]:
        results, functions = right(*arguments)  # type: ignore[arg-type]
        return results, damaged(functions, other_data, "load")

    monkeypatch.setattr(pipeline, "lift_netlist", wrong)
    assert run(TOY, "--top", "Toy") == DISAGREES
    told = capsys.readouterr().err
    assert "different: " in told and " of load" in told
    assert ", tensorlift " in told and ", Icarus Verilog " in told
    assert counts()["different"] > 0
    assert not (folder / "a.taidl").exists()


def test_without_yosys_the_run_ends_with_advice(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("lift.crosscheck.yosys.is_installed", lambda: False)
    assert run(TOY, "--top", "Toy") == REJECTED
    assert "yosys was not found" in capsys.readouterr().err
