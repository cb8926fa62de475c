"""Mutants of the RTL: where they are made, how they are drawn, and what becomes of a few that are others every day."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from lift.verilog import read
from proofs.mutation import relations, rules, texts, units
from proofs.mutation.literals import other_literals
from proofs.mutation.outcome import taidl_verdict
from proofs.mutation.run import chosen
from proofs.mutation.sites import KINDS, mutants
from tests.end_to_end.rtl import needs_rtl

RTL = Path(__file__).parents[2] / "rtl/gemmini"
MAC = (RTL / "MacUnit.v").read_text()


def test_each_mutant_differs_in_one_place_and_has_a_name_of_its_own() -> None:
    found = mutants("MacUnit.v", MAC)
    assert {each.kind for each in found} == set(KINDS) - {"condition"}
    assert len({each.id for each in found}) == len({each.apply(MAC) for each in found}) == len(found)
    assert MAC not in {each.apply(MAC) for each in found}


def test_comments_are_left_alone() -> None:
    assert not mutants("a.v", "// a + b\nmodule a; /* 8'd3 */ endmodule\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("$signed(in_a) * $signed(in_b)", "$signed(in_a) + $signed(in_b)"),
        ("product} + in_c", "product} - in_c"),
        ("signed [15:0]", " [15:0]"),
        ("[19:0] in_c", "[19-1:0] in_c"),
    ],
)
def test_operators_signs_and_widths_are_changed(old: str, new: str) -> None:
    assert MAC.replace(old, new) in {each.apply(MAC) for each in mutants("MacUnit.v", MAC)}


def test_constants_keep_their_width() -> None:
    assert list(other_literals("2'd3")) == ["2'd0", "2'd2"]
    assert list(other_literals("8'hff")) == ["8'h0", "8'hfe"]
    assert list(other_literals("4'bxx01")) == []


def test_a_seed_draws_the_same_mutants_of_all_kinds() -> None:
    every = mutants("PE.v", (RTL / "PE.v").read_text())
    assert chosen(every, 3, 24) == chosen(every, 3, 24) != chosen(every, 4, 24)
    assert {each.kind for each in chosen(every, 3, 24)} == {each.kind for each in every}


def test_costs_comments_and_places_are_no_semantics() -> None:
    text = "# a\ninstruction a()\n  source  a.v:1\n  cost    3\n  write   x\n"
    assert taidl_verdict(text, text.replace("cost    3", "cost    4").replace("# a", "# b").replace("a.v:1", "a.v:2")) is None
    assert taidl_verdict(text, text.replace("write   x", "write   y")) == ("different TAIDL", "write   y")
    assert taidl_verdict(text, text.replace("  write   x", "  opaque")) == ("opaque instruction", "1 opaque instructions instead of 0")


TEXT = """taidl 1

instruction add(n | a)
  encode  op = 1; w[7:0] = a; w[15:8] = n
  when    1 <= n
  read    %x0 = mem[a + i : i < n]
  write   mem[a + i : i < n] = %v0
  cost    5 * n
  body {
    %x0 = s8[`n`] parameter(0)
    ROOT %v0 = s8[`n`] add(%x0, %x0)
  }
"""


def test_each_mutant_of_an_instruction_set_differs_in_one_place_but_not_in_costs() -> None:
    found = [(each, each.apply(TEXT)) for each in texts.mutants(TEXT)]
    assert len({text for _, text in found}) == len({each.id for each, _ in found}) == len(found)
    assert all("cost    5 * n\n" in text and text != TEXT for _, text in found)


@pytest.mark.parametrize(
    ("old", "new"),
    [("add(%x0", "subtract(%x0"), ("1 <= n", "1 < n"), ("  when    1 <= n", ""), ("w[7:0]", "w[8:0]"), ("%x0 = s8", "%x0 = u8"), ("w[7:0] = a", "w[7:0] = n")],
)
def test_bodies_conditions_and_encodings_are_changed(old: str, new: str) -> None:
    assert TEXT.replace(old, new, 1) in {each.apply(TEXT) for each in texts.mutants(TEXT)}


def test_a_seed_draws_the_same_wrong_rules_of_all_kinds() -> None:
    def names(seed: int) -> list[str]:
        return [each.id for each in rules.drawn(seed, 20)]

    assert names(3) == names(3) != names(4)
    assert {each.kind for each in rules.drawn(3, 20)} == {"left", "right", "types", "function"}


def mutate(*arguments: str) -> int:
    from mutate import main

    return main(arguments)


def test_a_sample_of_mutants_of_modules_is_noticed(tmp_path: Path) -> None:
    """Other ones every day."""
    seed = date.today().toordinal()
    print(f"seed {seed}")
    assert mutate("--set", "units", "--sample", "8", "--seed", str(seed), "--output", str(tmp_path)) == 0


def test_a_mutant_that_nothing_notices_is_a_survivor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(units, "_stated", lambda unit, changed: ("survived", ""))
    assert mutate("--set", "units", "--replay", "InstructionControl.v:27:43:&&to||", "--output", str(tmp_path)) == 4


def test_an_interrupted_run_goes_on_with_its_seed_and_judges_what_is_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = (["--set", "units", "--output", str(tmp_path), *more] for more in (["--sample", "2", "--seed", "11"], ["--sample", "3", "--resume"]))
    assert mutate(*first) == mutate(*second) == 0
    judged = [line.split()[1] for line in capsys.readouterr().out.splitlines() if line[:4].strip().isdigit()]
    assert judged == [f"{each.id}:" for each in units.drawn(11, 3)]


@needs_rtl
@pytest.mark.slow
@pytest.mark.parametrize("design", ["gemmini", "vta"])
def test_a_sample_of_mutants_of_designs_is_noticed(tmp_path: Path, design: str) -> None:
    seed = date.today().toordinal()
    print(f"seed {seed}")
    assert mutate("--design", design, "--sample", "8", "--seed", str(seed), "--jobs", "2", "--output", str(tmp_path)) == 0


SMALL_VTA = {"BLOCK_IN": 4, "BLOCK_OUT": 4} | {f"LOG_{name}_DEPTH": 5 for name in ("UOP", "INP", "WGT", "ACC", "OUT")}
SAME = (
    ("gemmini", "ExecuteController.v", "(a_row_16 < a_rows)", "(bd_row_16 < a_rows)"),
    ("vta", "TensorLoad.v", "bits <= {BEAT_BITS{1'b0}}", "bits <= {BEAT_BITS{1'b1}}"),
)
OTHERS = ("gemmini", "DmaWriter.v", "last_beat ? 4'd0 : ", ""), ("vta", "TensorLoad.v", "&& beat == BEAT)", "|| beat == BEAT)")


@pytest.mark.parametrize(("design", "file", "old", "new", "same"), [*((*each, True) for each in SAME), *((*each, False) for each in OTHERS)])
def test_what_differs_only_where_nothing_counts_is_the_same(tmp_path: Path, design: str, file: str, old: str, new: str, same: bool) -> None:
    folder, top, parameters = RTL.parent / design, {"gemmini": "Gemmini", "vta": "VTA"}[design], {"gemmini": {"DIM": 4}, "vta": SMALL_VTA}[design]
    for source in folder.glob("*.v"):
        (tmp_path / source.name).write_text(source.read_text().replace(old, new) if source.name == file else source.read_text())
    assert (tmp_path / file).read_text() != (folder / file).read_text()
    right, other = (read([each], top, parameters=dict(parameters)) for each in (folder, tmp_path))
    assert bool(getattr(relations, design)(right, other)) == same
