"""An update function over terms -> one `func.func` in the func, arith, memref and scf dialects.

Every term becomes one value, computed once, in the outermost loop body in which its index symbols are bound.  An array that the function stores to is
two arguments: the *source* (the words before the instruction; only if it is read) and the *destination*, which holds a copy of the source at
entry and the words after the instruction at return.  So a load always reads the state before, whatever has been stored.
"""

from __future__ import annotations

import gc

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import ArrayAttr, FunctionType, ModuleOp
from xdsl.ir import Block, Region, SSAValue

from lift.ir.arguments import Planned, argument_plan, function_attributes, function_name, symbol_name
from lift.ir.emit import INDEX, Emitter
from lift.ir.terms_to_ops import emit_term
from lift.unroll.function import Loop, Statement, Store, UpdateFunction
from lift.unroll.terms import Term


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
        plan = argument_plan(self.function)
        entry = Block(arg_types=[p.type for p in plan])
        self._bind(plan, entry)
        self.scopes = [_Scope(entry, self.constants)]
        self._statements(self.function.body)
        results = [] if self.function.result is None else [self.value(self.function.result)]
        entry.add_op(func.ReturnOp.create(operands=results))
        entry.insert_ops_before(list(self.constants.values()), entry.first_op)  # type: ignore[arg-type]
        kind = FunctionType.from_lists([p.type for p in plan], [r.type for r in results])
        attributes = ArrayAttr([p.attributes for p in plan])
        result = func.FuncOp(function_name(self.function), kind, Region(entry), arg_attrs=attributes)
        result.attributes |= function_attributes(self.function)
        return result

    def _bind(self, plan: list[Planned], entry: Block) -> None:
        for planned, value in zip(plan, entry.args, strict=True):
            value.name_hint = planned.hint
            argument = planned.argument
            table = self.symbols if argument.depth is None else self.destinations if planned.destination else self.sources
            table[argument.name] = value

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
        if len(self.scopes) == 1:
            return self.scopes[0].values.get(term)
        for scope in self.scopes:
            if (found := scope.values.get(term)) is not None:
                return found
        return None

    def _emit(self, term: Term) -> None:
        depth = max((self._depth(a) for a in term.args), default=0) if len(self.scopes) > 1 else 0
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
