"""A pass cannot change a function without a proof."""

from __future__ import annotations

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.parser import Parser

from lift.ir import context, functions
from lift.ir.operations import constant_value, result
from lift.passes import LiftPass
from lift.prove import Prover, Session, UnsoundPass
from lift.prove.equivalence import snapshot

SOURCE = """
func.func @f(%a: i8, %b: i8, %m: memref<16xi8>) -> i8 {
  %zero = arith.constant 0 : i8
  %i = arith.index_castui %a : i8 to index
  %s = arith.addi %a, %b : i8
  %t = arith.addi %s, %zero : i8
  %c = arith.cmpi ult, %a, %b : i8
  scf.if %c {
    memref.store %t, %m[%i] : memref<16xi8>
  }
  func.return %t : i8
}
"""


def module(text: str = SOURCE) -> ModuleOp:
    return Parser(context(), text).parse_module()


class DropZero(LiftPass):
    """x + 0 --> x, or, with `wrong`, s + b --> s."""

    name = "drop-zero"
    wrong = False

    def rewrite(self, session: Session) -> None:
        for op in list(session.function.body.walk()):
            if op.name == "arith.addi" and (self.wrong or constant_value(op.operands[1]) == 0):
                session.replace(result(op), op.operands[0])


class WrongZero(DropZero):
    name = "wrong-zero"
    wrong = True


class Silent(LiftPass):
    """Turns an addition into a subtraction without saying so."""

    name = "silent"

    def rewrite(self, session: Session) -> None:
        (op,) = [op for op in session.function.body.walk() if op.name == "arith.addi" and op.operands[1] is session.function.args[1]]
        other = session.emitter(op).binary(arith.SubiOp, *op.operands)
        result(op).replace_all_uses_with(other)


class Stores(LiftPass):
    """Removes a conditional store."""

    name = "stores"

    def rewrite(self, session: Session) -> None:
        for op in list(session.function.body.walk()):
            if op.name == "scf.if":
                op.detach()
                op.erase()


class Predicate(LiftPass):
    """Changes a comparison in place."""

    name = "predicate"

    def rewrite(self, session: Session) -> None:
        for op in session.function.body.walk():
            if isinstance(op, arith.CmpiOp):
                op.properties["predicate"] = arith.CmpiOp(op.lhs, op.rhs, "ule").properties["predicate"]


def run(kind: type[LiftPass], text: str = SOURCE) -> tuple[str, dict[str, int]]:
    made = module(text)
    (function,) = functions(made)
    report = kind().run(function, Prover())
    return str(made), {"proved": report.proved, "refuted": report.refuted, "unknown": report.unknown}


def test_a_proved_rewrite_is_kept() -> None:
    text, counts = run(DropZero)
    assert counts == {"proved": 1, "refuted": 0, "unknown": 0}
    assert text.count("arith.addi") == 1


def test_a_wrong_rewrite_is_refuted_and_not_kept() -> None:
    text, counts = run(WrongZero)
    assert counts == {"proved": 1, "refuted": 1, "unknown": 0}
    assert text.count("arith.addi") == 1


@pytest.mark.parametrize("kind", [Silent, Stores, Predicate])
def test_a_change_without_a_lemma_is_found(kind: type[LiftPass]) -> None:
    with pytest.raises(UnsoundPass, match="changed without a proof"):
        run(kind)


def test_a_changed_result_is_found() -> None:
    text = "func.func @f(%a: i8, %b: i8) -> i8 {\n %s = arith.addi %a, %b : i8\n func.return %s : i8\n}"
    with pytest.raises(UnsoundPass, match="result 0"):
        run(Silent, text)


def test_an_annotation_that_is_not_true_is_refused() -> None:
    (function,) = functions(module())
    session = Session(function, Prover())
    op = next(op for op in function.body.walk() if op.name == "arith.addi")
    assert not session.annotate(op, {"is": StringAttr("a")}, op.operands[0], op.operands)
    assert session.annotate(op, {"is": StringAttr("a + b")}, result(op), op.operands)
    assert list(op.attributes) == ["is"]


def test_a_lemma_is_decided_once_per_shape() -> None:
    prover = Prover()
    for _ in range(3):
        (function,) = functions(module())
        DropZero().run(function, prover)
    assert prover.counts["solved"] == 1
    assert prover.counts["cached"] == 2


def test_what_exceeds_the_resource_limit_is_unknown_and_not_kept() -> None:
    text = """
    func.func @no_factor(%a: i32, %b: i32) -> i1 {
      %x = arith.extui %a : i32 to i64
      %y = arith.extui %b : i32 to i64
      %p = arith.muli %x, %y : i64
      %n = arith.constant 9223371873002223329 : i64
      %r = arith.cmpi eq, %p, %n : i64
      func.return %r : i1
    }"""
    (function,) = functions(module(text))
    session = Session(function, Prover(rlimit=1000))
    op = function.body.block.last_op
    assert op is not None
    assert not session.replace(op.operands[0], session.emitter(op).constant(0, 1))
    assert session.counts == {"unknown": 1}


def test_a_counterexample_comes_with_a_refutation() -> None:
    (function,) = functions(module())
    a, b, _ = function.args
    lemma, both = Prover().equal(a, b)
    assert lemma.verdict == "refuted"
    assert lemma.counterexample is not None
    x, y = both.evaluate(lemma.counterexample)
    assert x != y


def test_what_a_pass_leaves_is_what_the_next_one_begins_with() -> None:
    """A change in place between two passes shows, whatever is taken from the reading before."""
    (function,) = functions(module())
    session = Session(function, Prover())
    session.finish()
    compared = next(op for op in function.body.walk() if isinstance(op, arith.CmpiOp))
    compared.properties["predicate"] = arith.CmpiOp(compared.lhs, compared.rhs, "ule").properties["predicate"]
    assert snapshot(function, session.after) == snapshot(function) != session.after


def test_operands_exchanged_in_place_are_read_again() -> None:
    (function,) = functions(module())
    before = snapshot(function)
    op = next(op for op in function.body.walk() if len(op.operands) == 2 and op.results)
    op.operands = tuple(reversed(op.operands))
    assert snapshot(function, before) == snapshot(function) != before
