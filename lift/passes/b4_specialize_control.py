"""B4: control that an instruction fixes is folded away, one function per mode.

The function attribute `taidl.specialize` and the options `set` and `each` give values to scalar arguments by their RTL names (modes.py); several make one
function for each, its name extended by the mode.  Afterwards nothing depends on these arguments any more; that the result equals the general function for their
values is proved, and said in the attribute `taidl.mode`.

    func @f(%x, %act) {taidl.specialize = {act = [0, 1]}}   -->   func @f__act_0 {taidl.mode = {act = 0}}, func @f__act_1 {taidl.mode = {act = 1}}
    select(eq %act, 1), %relu, %x        with act = 1       -->   %relu
    scf.if (eq %act, 1) {store}          with act = 0       -->   nothing
    eq {%mode, %act}, 5                  with act = 2       -->   false
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, StringAttr

from lift.ir.operations import PURE, functions, walk, width
from lift.passes.base import LiftPass, PassReport, share
from lift.passes.decided import decide
from lift.passes.facts import Facts
from lift.passes.modes import SPECIALIZE, Mode, mode_name, modes, scalars
from lift.prove.equivalence import Body
from lift.prove.lemmas import Prover
from lift.prove.session import Session

MODE = "taidl.mode"


@dataclass(frozen=True)
class SpecializeControl(LiftPass):
    """`set` are NAME=VALUE and `each` are NAMEs that take all their values, for every function that has such an argument."""

    name = "b4-specialize-control"
    set: tuple[str, ...] = ()
    each: tuple[str, ...] = ()

    def reports(self, module: ModuleOp, prover: Prover, read: dict[func.FuncOp, Body] | None = None) -> Iterator[PassReport]:
        for function in functions(module):
            found, named = modes(function, self.set, self.each)
            for each in _split(function, found) if named else [_marked(function, found[0])]:
                yield self.run(each, prover, read)

    def rewrite(self, session: Session) -> None:
        """Fixes the one mode that the attribute names."""
        (mode,), _ = modes(session.function, (), ())
        session.function.attributes.pop(SPECIALIZE, None)
        if not mode:
            return
        arguments = scalars(session.function)
        for name, value in mode.items():
            session.fix(arguments[name], value & ((1 << width(arguments[name])) - 1))
        _fold_all(session)
        share(session)
        session.function.attributes[MODE] = _dictionary(mode)


def _marked(function: func.FuncOp, mode: Mode) -> func.FuncOp:
    if mode:
        function.attributes[SPECIALIZE] = _dictionary(mode)
    return function


def _split(function: func.FuncOp, found: list[Mode]) -> list[func.FuncOp]:
    """One copy per mode in place of the function."""
    block, copies = function.parent_block(), []
    for mode in found:
        copy = _marked(function.clone(), mode)
        copy.properties["sym_name"] = StringAttr(f"{function.sym_name.data}__{mode_name(mode)}")
        block.insert_op_before(copy, function)  # type: ignore[union-attr]
        copies.append(copy)
    function.detach()
    function.erase()
    return copies


def _dictionary(mode: Mode) -> DictionaryAttr:
    return DictionaryAttr({name: IntegerAttr(value, 64) for name, value in mode.items()})


def _fold_all(session: Session) -> None:
    """Operands first, so that one walk folds everything."""
    facts = Facts()
    for op in walk(session.function.body.block):
        if op.parent is None:
            continue
        if op.name in PURE:
            decide(session, op, facts)
        elif op.name in ("scf.if", "scf.for"):
            session.fold_structure(op)
