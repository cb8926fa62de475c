"""B4: control that an instruction fixes is folded away, one function per mode.

The function attribute `taidl.specialize` (or the pass option `set`) gives values to scalar arguments by their RTL names; a list of such dictionaries makes one
function per entry, its name extended by the mode.  Afterwards nothing depends on these arguments any more; that the result equals the general function for
their values is proved, and said in the attribute `taidl.mode`.

    func @f(%x, %act) {taidl.specialize = [{act = 0}, {act = 1}]}   -->   func @f__act_0 {taidl.mode = {act = 0}}, func @f__act_1 {taidl.mode = {act = 1}}
    select(eq %act, 1), %relu, %x        with act = 1               -->   %relu
    scf.if (eq %act, 1) {store}          with act = 0               -->   nothing
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute, Operation, SSAValue

from lift.errors import UserError
from lift.ir.build import symbol_name
from lift.ir.operations import PURE, functions, result, walk, width
from lift.passes.base import LiftPass, PassReport, share
from lift.passes.folding import fold
from lift.prove.equivalence import Body
from lift.prove.lemmas import Prover
from lift.prove.session import Session

SPECIALIZE, MODE = "taidl.specialize", "taidl.mode"


@dataclass(frozen=True)
class SpecializeControl(LiftPass):
    """`set` are NAME=VALUE for every function that has such an argument."""

    name = "b4-specialize-control"
    set: tuple[str, ...] = ()

    def reports(self, module: ModuleOp, prover: Prover, read: dict[func.FuncOp, Body] | None = None) -> Iterator[PassReport]:
        for function in functions(module):
            for each in split(function):
                yield self.run(each, prover, read)

    def rewrite(self, session: Session) -> None:
        mode = self._mode(session.function)
        if not mode:
            return
        for argument, value in mode.items():
            session.fix(argument, value)
        _fold_all(session)
        share(session)
        names = {_argument_name(session.function, a): IntegerAttr(v, 64) for a, v in mode.items()}
        session.function.attributes.pop(SPECIALIZE, None)
        session.function.attributes[MODE] = DictionaryAttr(names)

    def _mode(self, function: func.FuncOp) -> dict[SSAValue, int]:
        wanted = dict(_option(text) for text in self.set) | _attribute(function.attributes.get(SPECIALIZE))
        arguments = {_argument_name(function, a): a for a in function.args}
        unknown = [n for n in _attribute(function.attributes.get(SPECIALIZE)) if n not in arguments]
        if unknown:
            raise UserError(f"@{function.sym_name.data}", f"{SPECIALIZE} names {unknown[0]!r}, which is no argument", f"arguments: {', '.join(arguments)}")
        return {arguments[n]: v & ((1 << width(arguments[n])) - 1) for n, v in wanted.items() if n in arguments}


def _option(text: str) -> tuple[str, int]:
    name, _, value = text.partition("=")
    try:
        return name, int(value, 0)
    except ValueError as error:
        raise UserError(None, f"expected NAME=VALUE in `set`, found {text!r}", None) from error


def _attribute(attribute: Attribute | None) -> dict[str, int]:
    if not isinstance(attribute, DictionaryAttr):
        return {}
    return {name: value.value.data for name, value in attribute.data.items() if isinstance(value, IntegerAttr)}


def _argument_name(function: func.FuncOp, argument: SSAValue) -> str:
    """Its RTL name, or its name in the text."""
    index = function.args.index(argument)  # type: ignore[arg-type]
    given = function.arg_attrs.data[index].data.get("rtl.name") if function.arg_attrs is not None else None
    return given.data if isinstance(given, StringAttr) else argument.name_hint or f"arg{index}"


def split(function: func.FuncOp) -> list[func.FuncOp]:
    """One copy per mode where the attribute is a list, in place of the function."""
    modes = function.attributes.get(SPECIALIZE)
    if not isinstance(modes, ArrayAttr):
        return [function]
    block, copies = function.parent_block(), []
    for mode in modes:
        copy = function.clone()
        copy.attributes[SPECIALIZE] = mode
        copy.properties["sym_name"] = StringAttr(f"{function.sym_name.data}__{mode_name(_attribute(mode))}")
        block.insert_op_before(copy, function)  # type: ignore[union-attr]
        copies.append(copy)
    function.detach()
    function.erase()
    return copies


def mode_name(mode: Mapping[str, int]) -> str:
    return "__".join(f"{symbol_name(name)}_{value}" for name, value in mode.items())


def _fold_all(session: Session) -> None:
    """Operands first, so that one walk folds everything."""
    for op in walk(session.function.body.block):
        if op.parent is None:
            continue
        if op.name in PURE:
            _fold(session, op)
        elif op.name in ("scf.if", "scf.for"):
            session.fold_structure(op)


def _fold(session: Session, op: Operation) -> None:
    after = fold(op, session.emitter(op))
    if after is not None:
        session.replace(result(op), after, op.operands)


