"""A lifted instruction set beside a hand-written one: what one of them lacks is told in commands, registers and operators, whatever things are called."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from act.taidl import parse
from lift.cli import main
from lift.diff.completeness import comparison

ROOT = Path(__file__).parents[3]
HARDWARE = (ROOT / "isas/generated/gemmini.taidl").read_text()
MODEL = ROOT / "isas/reference/gemmini_sim.taidl"
TOY = str(ROOT / "tests/lift/designs/toy")


def sections(hardware: str, model: str) -> dict[str, list[str]]:
    """The lines of the report below each heading."""
    found: dict[str, list[str]] = {}
    title = ""
    for line in comparison(parse(hardware), parse(model), "model.taidl").splitlines()[1:]:
        if line and not line.startswith(" "):
            title = line
        elif line:
            found.setdefault(title, []).append(line.strip())
    return found


@pytest.fixture(scope="module", name="found")
def fixture_found() -> dict[str, list[str]]:
    return sections(HARDWARE, MODEL.read_text())


def test_buffers_are_paired_by_their_types(found: dict[str, list[str]]) -> None:
    assert found["buffers"][1:3] == ["accumulator s32[1024][16]: as acc", "scratchpad s8[16384][16]: as spad"]
    assert found["buffers"][3] == "c s32[2][16, 16]: not in the model"


def test_three_loads_with_registers_of_their_own_are_found_where_the_model_has_one(found: dict[str, list[str]]) -> None:
    lines = found["commands that both have"]
    assert "mvin2, mvin, mvin3: mvin, mvin_acc" in lines
    for name, bank in (("mvin", 0), ("mvin2", 1), ("mvin3", 2)):
        assert f"{name} has registers of its own: block_strides[{bank}], shrinks[{bank}], strides[{bank}]" in lines
    assert "the model has one for all of them, with registers load_stride" in lines


def test_pooling_is_missing_in_the_model(found: dict[str, list[str]]) -> None:
    (line,) = [line for line in found["commands that both have"] if "reduce-window(maximum)" in line]
    assert line.startswith("not in the model: reduce-window(maximum), in mvout_accumulator_pool_size_1, ")
    assert "by registers pool_lpad, pool_ocols" in line
    (line,) = [line for line in found["operators"] if line.startswith("only in hardware: ")]
    assert "reduce-window(maximum)" in line


def test_registers_that_configure_what_both_have_belong_together(found: dict[str, list[str]]) -> None:
    lines = found["commands that both have"]
    assert lines[lines.index("config_ld: config_load") + 1] == "sets block_strides, shrinks, strides; in the model load_stride"
    assert "config_st: config_store" in lines


def test_rounding_of_sums_that_stay_in_the_array_is_missing_in_the_model(found: dict[str, list[str]]) -> None:
    (line,) = [line for line in found["operators"] if line.startswith("only in hardware: ")]
    assert {"shift-left", "shift-right-arithmetic"} <= set(line.removeprefix("only in hardware: ").split(", "))


def test_what_no_command_computes_is_software(found: dict[str, list[str]]) -> None:
    assert found["operations of the model that no command performs"] == [
        "softmax: software, as no command computes divide, exponential, multiply, reduce(add)",
        "gelu: software, as no command computes erf, multiply",
        "layernorm: software, as no command computes multiply, reduce(add), rsqrt",
    ]


def test_larger_tiles_than_the_model_has_are_told(found: dict[str, list[str]]) -> None:
    assert "at most 1024 elements of scratchpad at once, 256 elements in the model" in found["commands that both have"]


@pytest.mark.parametrize("name", ["gemmini", "vta"])
def test_an_instruction_set_lacks_nothing_beside_itself(name: str) -> None:
    text = (ROOT / f"isas/generated/{name}.taidl").read_text()
    found = sections(text, text)
    assert found["commands that the model lacks"] == ["none"]
    assert found["operations of the model that no command performs"] == ["none"]
    assert found["operators"][1:] == ["only in hardware: none", "only in the model: none"]
    assert not any("in the model:" in line for line in found["commands that both have"])


def test_an_operator_that_the_hardware_does_without_is_told() -> None:
    """A model that saturates beside hardware that wraps."""
    wrapping = re.sub(r"clamp\(%\w+, (%\w+), %\w+\)", r"copy(\1)", HARDWARE)
    assert "only in the model: clamp" in sections(wrapping, MODEL.read_text())["commands that both have"]


def test_a_command_of_the_same_encoding_is_the_same_under_any_name() -> None:
    mine = HARDWARE[HARDWARE.index("taidl 1") :]
    renamed = mine.replace("instruction mvin3_", "instruction fetch_")
    found = sections(HARDWARE, renamed)
    assert "mvin3: fetch" in [line.split(" (")[0] for line in found["commands that both have"]]
    assert found["commands that the model lacks"] == ["none"]


def test_the_comparison_stands_beside_the_report(tmp_path: Path) -> None:
    folder, output = tmp_path / "report", tmp_path / "toy.taidl"
    assert main([TOY, "--top", "Toy", "--no-cache", "--allow-partial", "-o", str(output), "--report", str(folder), "--compare", str(MODEL)]) == 0
    assert (folder / "compare.txt").read_text() == comparison(parse(output.read_text()), parse(MODEL.read_text()), MODEL.as_posix())


def test_a_comparison_needs_a_place_for_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([TOY, "--top", "Toy", "-o", str(tmp_path / "toy.taidl"), "--compare", str(MODEL)])
    assert end.value.code == 2
    assert "--compare is part of the report: say where that goes (--report DIR)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "model.taidl: error: cannot read: No such file or directory\n  give a file in TAIDL"),
        (b"taidl 1\naccelerator \xff", "model.taidl: error: expected text in UTF-8, found another byte at offset 20"),
        (b"taidl 1\naccelerator x\nbufer a : s8[4]\n", "model.taidl:2:14: error: expected a declaration"),
        (MODEL.read_bytes().replace(b" erf(", b" erv("), "model.taidl:104:26: error: gelu: the operator 'erv' is not supported"),
    ],
    ids=["no file", "not text", "not TAIDL", "no HLO"],
)
def test_a_model_that_is_none_is_refused_before_anything_is_done(
    content: bytes | None, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    if content is not None:
        Path("model.taidl").write_bytes(content)
    assert main([TOY, "--top", "Toy", "--no-cache", "-o", "toy.taidl", "--report", "report", "--compare", "model.taidl"]) == 1
    assert message in capsys.readouterr().err
    assert {p.name for p in tmp_path.iterdir()} <= {"model.taidl"}
