"""An update function over terms -> one `func.func` in the func, arith, memref and scf dialects.

Every term becomes one value, computed once, in the outermost loop body in which its index symbols are bound.  An array that the function stores to is
two arguments: the *source* (the words before the instruction; only if it is read) and the *destination*, which holds a copy of the source at
entry and the words after the instruction at return.  So a load always reads the state before, whatever has been stored.
"""

from __future__ import annotations

import gc
import re

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, MemRefType, ModuleOp, StringAttr, UnitAttr
from xdsl.ir import Attribute, Block, Region, SSAValue

from lift.ir.emit import INDEX, Emitter, integer
from lift.ir.terms_to_ops import emit_term
from lift.unroll.function import Argument, Loop, Statement, Store, UpdateFunction
from lift.unroll.terms import Term, walk


def build(function: UpdateFunction) -> ModuleOp:
    """`@<instruction>__<target>`: arguments in the order of `function.arguments` (source before destination), result the register's final
    value if the target is one."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        return ModuleOp([_Builder(function).run()])
    finally:
        if enabled:
            gc.enable()


def symbol_name(text: str) -> str:
    """A name as an MLIR identifier."""
    return re.sub(r"[^A-Za-z0-9_]+", "_", text).strip("_") or "x"


def _stored(body: tuple[Statement, ...]) -> set[str]:
    return {s.memory for s in body if isinstance(s, Store)} | {m for s in body if isinstance(s, Loop) for m in _stored(s.body)}


def _roots(body: tuple[Statement, ...]) -> list[Term]:
    terms: list[Term | None] = []
    for statement in body:
        match statement:
            case Store():
                terms += [statement.address, statement.data, statement.mask, statement.condition]
            case Loop():
                terms += [statement.count, *_roots(statement.body)]
    return [t for t in terms if t is not None]


def _span(part: Term) -> int:
    """Orders the parts of a concatenation, widest origin first: what is left of a wide value after simplification can then be read as its bits."""
    return -(part.args[0].width if part.op == "extract" else part.width)


class _Scope:
    """A block under construction, the values made in it, and the index symbol bound by it."""

    def __init__(self, block: Block, constants: dict[tuple[int, int], arith.ConstantOp]) -> None:
        self.block, self.values = block, dict[Term, SSAValue]()
        self.emitter = Emitter(block, constants)


class _Builder:
    def __init__(self, function: UpdateFunction) -> None:
        self.function = function
        self.constants: dict[tuple[int, int], arith.ConstantOp] = {}
        self.symbols: dict[str, SSAValue] = {}
        self.sources: dict[str, SSAValue] = {}
        self.destinations: dict[str, SSAValue] = {}
        self.scopes: list[_Scope] = []

    def run(self) -> func.FuncOp:
        types, attributes, entry = self._arguments()
        self.scopes = [_Scope(entry, self.constants)]
        self._statements(self.function.body)
        results = [] if self.function.result is None else [self.value(self.function.result)]
        entry.add_op(func.ReturnOp.create(operands=results))
        entry.insert_ops_before(list(self.constants.values()), entry.first_op)  # type: ignore[arg-type]
        name = f"{symbol_name(self.function.instruction)}__{symbol_name(self.function.target)}"
        kind = FunctionType.from_lists(types, [r.type for r in results])
        result = func.FuncOp(name, kind, Region(entry), arg_attrs=ArrayAttr(attributes))
        result.attributes |= self._function_attributes()
        return result

    def _function_attributes(self) -> dict[str, Attribute]:
        f = self.function
        texts = {"taidl.instruction": f.instruction, "taidl.unit": f.unit, "taidl.target": f.target, "rtl.location": f.location}
        return {key: StringAttr(text) for key, text in texts.items() if text}

    def _arguments(self) -> tuple[list[Attribute], list[DictionaryAttr], Block]:
        stored = _stored(self.function.body)
        loaded = {str(t.attr) for t in walk(*self._all_roots()) if t.op == "load"}
        plan: list[tuple[Argument, bool]] = []
        for argument in self.function.arguments:
            if argument.name not in stored or argument.name in loaded:
                plan.append((argument, False))
            if argument.name in stored:
                plan.append((argument, True))
        types = [self._type(argument) for argument, _ in plan]
        entry = Block(arg_types=types)
        for (argument, destination), value in zip(plan, entry.args, strict=True):
            value.name_hint = "v_" + symbol_name(argument.name) + ("_out" if destination else "")
            table = self.symbols if argument.depth is None else self.destinations if destination else self.sources
            table[argument.name] = value
        return types, [self._argument_attributes(*entry_) for entry_ in plan], entry

    def _all_roots(self) -> list[Term]:
        return _roots(self.function.body) + ([] if self.function.result is None else [self.function.result])

    @staticmethod
    def _type(argument: Argument) -> Attribute:
        element = integer(argument.width)
        return element if argument.depth is None else MemRefType(element, [argument.depth])

    @staticmethod
    def _argument_attributes(argument: Argument, destination: bool) -> DictionaryAttr:
        texts = {"rtl.name": argument.name, "rtl.role": argument.role, "rtl.location": argument.location}
        attributes: dict[str, Attribute] = {key: StringAttr(text) for key, text in texts.items() if text}
        return DictionaryAttr(attributes | ({"rtl.destination": UnitAttr()} if destination else {}))

    def _statements(self, body: tuple[Statement, ...]) -> None:
        for statement in body:
            match statement:
                case Store():
                    self._store(statement)
                case Loop():
                    self._loop(statement)

    def _store(self, store: Store) -> None:
        array, emitter = self.destinations[store.memory], self.scopes[-1].emitter
        index, data = emitter.index(self.value(store.address)), self.value(store.data)
        mask = None if store.mask is None else self.value(store.mask)
        if store.condition is None:
            return _masked_store(emitter, array, index, data, mask)
        condition, then = self.value(store.condition), Block()
        _masked_store(Emitter(then, self.constants), array, index, data, mask)
        then.add_op(scf.YieldOp.create())
        emitter.block.add_op(scf.IfOp.create(operands=(condition,), regions=[Region(then), Region()]))  # type: ignore[union-attr]

    def _loop(self, loop: Loop) -> None:
        outer = self.scopes[-1].emitter
        count, body = outer.index(self.value(loop.count)), Block(arg_types=[INDEX])
        scope = _Scope(body, self.constants)
        body.args[0].name_hint = symbol_name(str(loop.index.attr))
        scope.values[loop.index] = scope.emitter.from_index(body.args[0], loop.index.width)
        self.scopes.append(scope)
        self._statements(loop.body)
        self.scopes.pop()
        body.add_op(scf.YieldOp.create())
        bounds = (outer.constant(0, 0), count, outer.constant(1, 0))
        outer.block.add_op(scf.ForOp.create(operands=bounds, regions=[Region(body)]))  # type: ignore[union-attr]

    def value(self, root: Term) -> SSAValue:
        """The value of a term, emitting what is missing below it, arguments first."""
        stack = [root]
        while stack:
            term = stack[-1]
            if self._find(term) is not None:
                stack.pop()
                continue
            missing = [a for a in term.args if self._find(a) is None]
            if missing:
                stack.extend(reversed(sorted(missing, key=_span) if term.op == "concat" else missing))
            else:
                stack.pop()
                self._emit(term)
        found = self._find(root)
        assert found is not None
        return found

    def _find(self, term: Term) -> SSAValue | None:
        for scope in self.scopes:
            if (found := scope.values.get(term)) is not None:
                return found
        return None

    def _emit(self, term: Term) -> None:
        depth = max((self._depth(a) for a in term.args), default=0)
        scope = self.scopes[depth]
        scope.values[term] = self._operation(term, scope.emitter)

    def _depth(self, term: Term) -> int:
        return next(depth for depth, scope in enumerate(self.scopes) if term in scope.values)

    def _operation(self, term: Term, emitter: Emitter) -> SSAValue:
        match term.op:
            case "const":
                return emitter.constant(int(term.attr or 0), term.width)
            case "sym":
                return self.symbols[str(term.attr)]
        args = [self._find(a) for a in term.args]
        if term.op == "load":
            return emitter.load(self.sources[str(term.attr)], emitter.index(args[0]))  # type: ignore[arg-type]
        return emit_term(term, args, emitter)  # type: ignore[arg-type]


def _masked_store(emitter: Emitter, array: SSAValue, index: SSAValue, data: SSAValue, mask: SSAValue | None) -> None:
    """Without a mask a store; with one load, blend, store."""
    if mask is not None:
        keep = emitter.binary(arith.XOrIOp, mask, emitter.constant(-1, array.type.element_type.width.data))  # type: ignore[attr-defined]
        old = emitter.binary(arith.AndIOp, emitter.load(array, index), keep)
        data = emitter.binary(arith.OrIOp, emitter.binary(arith.AndIOp, data, mask), old)
    emitter.store(data, array, index)


__all__ = ["build", "symbol_name"]
