"""A pass proposes, the proof disposes: each pass is made to propose what is wrong, and nothing of it is kept."""

from __future__ import annotations

import dataclasses

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from lift.ir.operations import context, result, walk
from lift.passes import PASSES, LiftPass, PassReport, decided, known_bits, run_passes
from lift.passes import a1_canon_bitmanip as a1
from lift.passes import b5_detect_clamp as b5
from lift.passes.facts import Facts
from lift.passes.forms import Form, Forms
from lift.passes.pieces import Piece
from lift.prove import Prover, Session, UnsoundPass

SIGN = """func.func @f(%p: i4) -> i6 {
  %c3 = arith.constant 3 : i4
  %c4 = arith.constant 4 : i6
  %m = arith.shrui %p, %c3 : i4
  %s = arith.trunci %m : i4 to i1
  %low = arith.extui %p : i4 to i6
  %e = arith.extsi %s : i1 to i2
  %w = arith.extui %e : i2 to i6
  %h = arith.shli %w, %c4 : i6
  %r = arith.ori %low, %h : i6
  func.return %r : i6
}"""
CLAMP = """func.func @f(%x: i16) -> i16 {
  %hi = arith.constant 127 : i16
  %lo = arith.constant -128 : i16
  %above = arith.cmpi sgt, %x, %hi : i16
  %below = arith.cmpi slt, %x, %lo : i16
  %a = arith.select %below, %lo, %x : i16
  %r = arith.select %above, %hi, %a : i16
  func.return %r : i16
}"""
ROUND = """func.func @f(%x: i16) -> i17 {
  %half = arith.constant 8 : i17
  %four = arith.constant 4 : i17
  %w = arith.extsi %x : i16 to i17
  %s = arith.addi %w, %half : i17
  %r = arith.shrsi %s, %four : i17
  func.return %r : i17
}"""
COUNTER = """func.func @f(%x: i16) -> i1 {
  %c15 = arith.constant 15 : i16
  %c9 = arith.constant 9 : i16
  %low = arith.andi %x, %c15 : i16
  %r = arith.cmpi ult, %low, %c9 : i16
  func.return %r : i1
}"""


def module(text: str) -> ModuleOp:
    return Parser(context(), text).parse_module()


def run(text: str, name: str) -> tuple[str, PassReport]:
    (kind,) = (k for k in PASSES if k.name.startswith(name))
    made = module(text)
    (report,) = run_passes(made, [kind()], Prover())
    return str(made), report


def unchanged(text: str, name: str) -> None:
    """The pass has tried, and what it tried was refuted."""
    after, report = run(text, name)
    assert after == str(module(text))
    assert report.refuted > 0 and report.proved == report.unknown == 0
    assert all(lemma.counterexample is not None for _, lemma in report.refused)


@pytest.mark.parametrize(("text", "name"), [(SIGN, "a1"), (CLAMP, "b5"), (ROUND, "b5")])
def test_the_examples_are_found_as_they_are(text: str, name: str) -> None:
    after, report = run(text, name)
    assert after != str(module(text)) and report.refuted == 0


def test_a_wrong_reading_of_bits_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    emit = a1.emit
    monkeypatch.setattr(a1, "emit", lambda pieces, emitter: emit((dataclasses.replace(pieces[0], low=0, width=3), Piece(None, 0, 3)), emitter))
    unchanged(SIGN, "a1")


def test_a_wrong_range_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def lies(self: Facts, value: object) -> known_bits.Known:
        bits = value.type.width.data  # type: ignore[attr-defined]
        return known_bits.exactly(1, 1) if bits == 1 else known_bits.of_range(bits, 0, 8)

    monkeypatch.setattr(Facts, "of", lies)
    unchanged(COUNTER, "a2")


def test_a_wrong_fold_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def inverted(op: object, emitter: object) -> object:
        return emitter.constant(1, 1) if op.name == "arith.cmpi" else None  # type: ignore[attr-defined]

    monkeypatch.setattr(decided, "fold", inverted)
    unchanged(COUNTER, "a2")


WRONG = [
    (CLAMP, Form(True, (-128, 126))),
    (CLAMP, Form(True, (-127, 127))),
    (CLAMP, Form(False, (0, 127))),
    (CLAMP, Form(True, None, 1, "half_up")),
    (ROUND, Form(True, None, 4, "half_even")),
    (ROUND, Form(True, None, 4, "half_away")),
    (ROUND, Form(True, None, 4, "toward_zero")),
    (ROUND, Form(True, None, 3, "half_up")),
    (ROUND, Form(False, None, 4, "half_up")),
    (ROUND, Form(True, (-2048, 2046), 4, "half_up")),
]


@pytest.mark.parametrize(("text", "form"), WRONG)
def test_a_wrong_saturation_or_rounding_is_not_annotated(text: str, form: Form, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Forms, "of", lambda *_: (form,))
    unchanged(text, "b5")


def test_a_claim_that_says_something_else_than_the_attribute_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    claim = b5.claim
    monkeypatch.setattr(b5, "claim", lambda form, leaves, to: claim(dataclasses.replace(form, bounds=(-128, 100)), leaves, to))
    unchanged(CLAMP, "b5")


class _Careless(LiftPass):
    """Swaps the operands of the first comparison without asking."""

    name = "careless"

    def rewrite(self, session: Session) -> None:
        (op,) = (o for o in walk(session.function.body.block) if o.name == "arith.cmpi")
        a, b = op.operands
        session.merge(result(op), session.emitter(op).compare("ult", b, a))


def test_a_change_without_a_proof_is_an_error_of_the_pass() -> None:
    with pytest.raises(UnsoundPass, match="f: result 0 changed without a proof"):
        run_passes(module(COUNTER), [_Careless()], Prover())
