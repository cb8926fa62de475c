"""The command: what it takes, what it refuses, how it ends, what it leaves behind.  The assembly is a stand-in, so that each run is short."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

import lift.lifting
import lift.pipeline
from act.taidl.model import Accelerator, Buffer
from lift.assemble import Assembly
from lift.cli import default_name, main
from lift.files import MARK
from lift.options import Options
from lift.prove.session import UnsoundPass
from lift.unroll.extract import Lift

TOY = str(Path(__file__).parent / "designs" / "toy")
PARTIAL = ["-D", "PARTIAL"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current directory and cache, and an assembly that puts nothing together."""
    monkeypatch.chdir(tmp_path)
    memory = Buffer("mem", "u8", (1 << 16,), (), hbm=True)

    def assemble(functions: Lift, lifted: object, options: Options, progress: object) -> Assembly:
        return Assembly(Accelerator(options.name, (), {"mem": memory}, {}, {}, {}, ()), functions.opaque)

    monkeypatch.setattr(lift.pipeline, "assemble", assemble)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    return tmp_path


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What a usage error says."""
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    return capsys.readouterr().err


def test_writes_to_the_default_place_and_says_so(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([TOY, "--top", "Toy"]) == 0
    assert files(folder) == {"isas/generated/toy.taidl"}
    assert capsys.readouterr().out.startswith("isas/generated/toy.taidl: 5 instructions")


def test_the_first_line_says_who_wrote_the_file(folder: Path) -> None:
    main([TOY, "--top", "Toy", "-o", "a.taidl"])
    first = (folder / "a.taidl").read_text().split("\n", 1)[0]
    assert first.startswith(MARK) and "Do not edit" in first


def test_name_goes_into_the_file_and_its_default_place(folder: Path) -> None:
    main([TOY, "--top", "Toy", "--name", "other"])
    assert "accelerator other\n" in (folder / "isas/generated/other.taidl").read_text()


def test_writes_again_over_its_own_file(folder: Path) -> None:
    (folder / "a.taidl").write_text(f"{MARK} long ago.\nold\n")
    assert main([TOY, "--top", "Toy", "-o", "a.taidl"]) == 0
    assert "old" not in (folder / "a.taidl").read_text()


def test_never_writes_over_a_file_of_others(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "notes.txt").write_text("mine\n")
    assert main([TOY, "--top", "Toy", "-o", "notes.txt"]) == 1
    assert (folder / "notes.txt").read_text() == "mine\n"
    assert capsys.readouterr().err.startswith("notes.txt: error: expected a file whose first line begins with")


@pytest.mark.parametrize("option", [["--json", "notes.txt/j.json"], ["--report", "notes.txt"], ["--emit-ir", "notes.txt/ir"]])
def test_places_that_cannot_be_written_are_refused_before_the_work(option: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "notes.txt").write_text("mine\n")
    assert main(["nowhere", "--top", "Toy", "-o", "a.taidl", *option]) == 1
    assert capsys.readouterr().err.startswith(f"{option[1]}: error: cannot write")
    assert files(folder) == {"notes.txt"}


def test_emits_each_function_before_and_after_the_passes(folder: Path) -> None:
    main([TOY, "--top", "Toy", "--emit-ir", "ir"])
    assert {"ir/Toy/dot__sums.raw.mlir", "ir/Toy/dot__sums.lifted.mlir", "ir/Toy/weights__dot_row_col_weight.raw.mlir"} <= files(folder)
    assert (folder / "ir/Toy/dot__sums.lifted.mlir").read_text().startswith("builtin.module {")
    assert "tensorlift.mac" in (folder / "ir/Toy/dot__sums.lifted.mlir").read_text()
    assert "tensorlift.mac" not in (folder / "ir/Toy/dot__sums.raw.mlir").read_text()


def test_json_is_one_flat_object_of_numbers(folder: Path) -> None:
    main([TOY, "--top", "Toy", "--json", "j.json"])
    values = json.loads((folder / "j.json").read_text())
    counted = set("functions instructions opaque vacuous undefined proved tested assumed unknown peak_mb lines_raw lines_lifted".split())
    seconds = {f"{stage}_s" for stage in "read discover execute extract passes prove assemble".split()}
    assert set(values) == counted | seconds
    assert all(isinstance(value, int | float) for value in values.values())
    assert (values["instructions"], values["opaque"], values["vacuous"]) == (5, 0, 0)


def test_what_is_opaque_or_vacuous_is_named_and_has_its_own_status(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([TOY, "--top", "Toy", *PARTIAL, "--json", "j.json"]) == 3
    said = capsys.readouterr().err
    assert "wait is opaque: " in said and "fence is vacuous: " in said
    values = json.loads((folder / "j.json").read_text())
    assert (values["instructions"], values["opaque"], values["vacuous"]) == (7, 1, 1)


def test_allow_partial_accepts_what_is_done_in_part(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([TOY, "--top", "Toy", *PARTIAL, "--allow-partial"]) == 0
    assert "wait is opaque" in capsys.readouterr().err


def test_without_proofs_nothing_counts_as_proved(folder: Path) -> None:
    assert main([TOY, "--top", "Toy", "--no-prove", "--json", "j.json"]) == 3
    values = json.loads((folder / "j.json").read_text())
    assert values["proved"] == 0 < values["tested"]


def test_a_change_without_a_proof_is_a_disagreement(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def unsound(*arguments: object) -> None:
        raise UnsoundPass("dot__sums: result 0 changed without a proof")

    monkeypatch.setattr(lift.lifting, "lift_function", unsound)
    assert main([TOY, "--top", "Toy"]) == 4
    assert "dot__sums" in capsys.readouterr().err
    assert files(folder) == set()


def test_an_instruction_set_that_is_not_well_formed_is_not_written(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    twice = Assembly(Accelerator("toy", (), {"mem": Buffer("other", "u99", (1,), ())}, {}, {}, {}, ()), {})
    monkeypatch.setattr(lift.pipeline, "assemble", lambda *_: twice)
    assert main([TOY, "--top", "Toy"]) == 4
    assert "not well-formed\nisas/generated/toy.taidl:" in capsys.readouterr().err
    assert files(folder) == set()


def test_the_descriptor_is_printed_and_nothing_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([TOY, "--top", "Toy", "--print-descriptor"]) == 0
    said = capsys.readouterr().out
    assert 'valid = "cmd_valid"' in said and '"dot" = 3' in said
    assert files(folder) == set()


def test_the_descriptor_that_is_printed_is_one_that_is_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([TOY, "--top", "Toy", "--print-descriptor"])
    (folder / "toy.toml").write_text(capsys.readouterr().out)
    assert main([TOY, "--top", "Toy", "--descriptor", "toy.toml"]) == 0


def test_a_design_without_commands_has_a_descriptor_still(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([TOY, "--top", "Dot2", "--print-descriptor"]) == 0
    assert capsys.readouterr().out.startswith("# descriptor")


def test_a_file_list_is_enough(folder: Path) -> None:
    (folder / "sources.f").write_text(f"{TOY}/Toy.v\n{TOY}/Dot2.v\n")
    assert main(["-f", "sources.f", "--top", "Toy"]) == 0
    assert files(folder) == {"sources.f", "isas/generated/Toy.taidl"}


def test_parameters_reach_the_design(folder: Path) -> None:
    main([TOY, "--top", "Toy", "-P", "ROWS=8", "--emit-ir", "ir"])
    assert "memref<8xi64>" in (folder / "ir/Toy/dot__sums.raw.mlir").read_text()


def test_both_readers_lead_to_the_same_functions(folder: Path) -> None:
    main([TOY, "--top", "Toy", "--emit-ir", "first"])
    main([TOY, "--top", "Toy", "--emit-ir", "second", "--frontend", "pyverilog"])
    first, second = (re.sub(r'rtl.location = "[^"]*"', "", (folder / name / "Toy/dot__sums.lifted.mlir").read_text()) for name in ("first", "second"))
    assert first == second


@pytest.mark.parametrize("option", [["--executor", "dask:here"]])
def test_what_is_not_there_yet_is_refused(option: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"{option[0]} is not available yet" in refused([TOY, "--top", "Toy", *option], capsys)
    assert files(folder) == set()


@pytest.mark.parametrize("arguments", ["--top Toy", f"{TOY}", f"{TOY} --top Toy --jobs 0", f"{TOY} --top Toy -P ROWS", f"{TOY} --top Toy --name a-b"])
def test_wrong_usage_is_refused(arguments: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "usage: tensorlift" in refused(arguments.split(), capsys)


@pytest.mark.parametrize(("path", "name"), [("rtl/box", "box"), ("a/my-design/", "my_design"), ("x/Top.v", "Top"), ("2d", "_2d")])
def test_the_default_name_is_the_last_component(path: str, name: str) -> None:
    assert default_name(Path(path)) == name


def test_an_interrupted_run_ends_at_once_and_leaves_nothing(folder: Path) -> None:
    rtl = Path(__file__).parents[2] / "rtl" / "gemmini"
    command = [sys.executable, "-m", "lift.cli", str(rtl), "--top", "Gemmini", "-o", "a.taidl"]
    # Where the tests run in the background, interrupts are ignored by all children unless that is undone.
    listening = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    environment = {**os.environ, "PYTHONPATH": str(rtl.parents[1])}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment, preexec_fn=listening) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("execute"):
                process.send_signal(signal.SIGINT)
                break
        assert "interrupted" in process.stderr.read()
        assert process.wait(timeout=60) == 130
    assert files(folder) == set()
