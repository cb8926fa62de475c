"""A mistake put into our reading is found, and shown in RTL names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from lift.crosscheck.text import different
from lift.crosscheck.verdicts import Verdict
from lift.netlist import lowering
from lift.netlist.builder import Builder
from lift.netlist.model import Node
from lift.netlist.ports import MemoryPort, merge_writes
from lift.netlist.processes import WordWrite
from tests.lift.crosscheck import small
from tests.lift.crosscheck.small import compared, design, needs_yosys, verdicts

pytestmark = needs_yosys

Make = Callable[..., Node]


def other_operator(old: str, new: str) -> Callable[[pytest.MonkeyPatch], None]:
    """One operator is taken for another."""

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        right: Make = Builder.make
        monkeypatch.setattr(Builder, "make", lambda b, op, width, args, attr=None: right(b, new if op == old else op, width, args, attr))
        extend = Builder.extend
        if {old, new} == {"sext", "zext"}:
            monkeypatch.setattr(Builder, "extend", lambda b, a, width, sign: extend(b, a, width, not sign))

    return patch


def swapped(old: str) -> Callable[[pytest.MonkeyPatch], None]:
    """The operands of an operator change places."""

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        right: Make = Builder.make

        def make(b: Builder, op: str, width: int, args: Sequence[Node], attr: int | str | None = None) -> Node:
            return right(b, op, width, args[::-1] if op == old else args, attr)

        monkeypatch.setattr(Builder, "make", make)

    return patch


def without_mask(monkeypatch: pytest.MonkeyPatch) -> None:
    """Masked writes write the whole word."""

    def merged(b: Builder, writes: Sequence[WordWrite]) -> list[MemoryPort]:
        return [replace(port, mask=None) for port in merge_writes(b, writes)]

    monkeypatch.setattr(lowering, "merge_writes", merged)


def without_reset(monkeypatch: pytest.MonkeyPatch) -> None:
    """A multiplexer always takes its second value."""
    right = Builder.mux
    monkeypatch.setattr(Builder, "mux", lambda b, condition, then, otherwise: right(b, condition, otherwise, otherwise))


# Mistakes of expressions are made while the text is read, those of statements when they are executed, once for each definition.
Mistake = tuple[str, Callable[[pytest.MonkeyPatch], None], str]
IN_EXPRESSIONS: dict[str, Mistake] = {
    "signed comparison": (small.SIGNS, other_operator("slt", "ult"), "less"),
    "sign extension": (small.SIGNS, other_operator("sext", "zext"), "sum"),
    "arithmetic shift": (small.SIGNS, other_operator("ashr", "lshr"), "sum"),
    "operands of a difference": (small.SIGNS, swapped("sub"), "sum"),
    "step of a child": (small.NESTED, other_operator("add", "sub"), "y"),
}
IN_STATEMENTS: dict[str, Mistake] = {
    "dropped write mask": (small.MASKED, without_mask, "mem"),
    "dropped reset": (small.ASYNCHRONOUS, without_reset, "r"),
}


def expect_difference(found: list[Verdict], target: str) -> None:
    wrong = [v for v in found if v.status == "different"]
    assert target in {v.target for v in wrong}
    assert all(v.counterexample is not None and v.counterexample.ours.value != v.counterexample.theirs.value for v in wrong)


@pytest.mark.parametrize("mistake", IN_EXPRESSIONS)
def test_a_mistake_in_expressions_is_a_difference(mistake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, patch, target = IN_EXPRESSIONS[mistake]
    with monkeypatch.context() as patched:
        patch(patched)
        netlist = design(text, tmp_path)
    expect_difference(compared(netlist), target)


@pytest.mark.parametrize("mistake", IN_STATEMENTS)
def test_a_mistake_in_statements_is_a_difference(mistake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, patch, target = IN_STATEMENTS[mistake]
    patch(monkeypatch)
    expect_difference(verdicts(text, tmp_path), target)


def test_the_counterexample_is_a_table_of_rtl_names_with_locations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other_operator("slt", "ult")(monkeypatch)
    (wrong,) = [v for v in verdicts(small.SIGNS, tmp_path) if v.target == "less"]
    head, *rows = different(wrong).splitlines()
    assert head.startswith(f"{tmp_path}/top.sv:2:") and "less of Top" in head
    assert [row.split()[0] for row in rows] == ["a", "b", "less,", "less,"]
    assert "8'h" in rows[0] and "top.sv:2:" in rows[0]
    assert {row.split()[1] for row in rows[2:]} == {"tensorlift", "yosys"}
    a, b = (int(row.split()[1].partition("h")[2], 16) for row in rows[:2])
    assert (a < b) != ((a ^ 0x80) < (b ^ 0x80))
