"""Lifted functions -> effects: stores under loops and conditions, over terms, with what the passes recognised as operators of their own.

Beside the operators of `lift.unroll.terms` there are

| op | arguments | meaning |
|---|---|---|
| dot | (initial, a, b, count), attr is the name of the index symbol k | initial + sum of a(k) * b(k), k < count, modulo 2**w; a and b are signed |
| reduce | (initial, a, count), attr `kind:index` | initial combined with a(k) for all k < count by kind: sum, max, min, umax, umin |
| clamp | (x), attr `low:high:signed` | min(max(x, low), high), cut to w bits |
"""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, MemRefType, ModuleOp, StringAttr
from xdsl.ir import Block, Operation, SSAValue

from lift.assemble.bits import bits as part
from lift.assemble.effects import Effect, Reading
from lift.assemble.errors import NoTemplate
from lift.assemble.integers import index as index_symbol
from lift.assemble.rewriting import plain, substitute
from lift.assemble.rounding import quotient_of, rounding_of
from lift.assemble.sums import summed
from lift.ir.arguments import argument_plan
from lift.ir.operations import PREDICATES, constant_value, width
from lift.passes.b3_detect_mac import MAC, Factor, candidates
from lift.passes.b5_detect_clamp import CLAMP
from lift.passes.bounded import closed, positions, sources
from lift.passes.c7_lift_to_linalg import LINALG_OP, OPERAND_A
from lift.passes.clamp_attributes import ROUND
from lift.passes.match import made_by
from lift.unroll import terms
from lift.unroll.function import UpdateFunction
from lift.unroll.loops import INDEX_WIDTH
from lift.unroll.solver import Verdict, implied
from lift.unroll.terms import Term

_BINARY = {
    "arith.addi": "add", "arith.subi": "sub", "arith.muli": "mul", "arith.andi": "and", "arith.ori": "or", "arith.xori": "xor", "arith.divui": "udiv",
    "arith.divsi": "sdiv", "arith.remui": "urem", "arith.remsi": "srem", "arith.shli": "shl", "arith.shrui": "lshr", "arith.shrsi": "ashr",
}  # fmt: skip
_DOT, _MOST_ITERATIONS = StringAttr("dot_product"), 4096
_REDUCTIONS = frozenset({"sum", "max", "min", "umax", "umin"})
_OTHER = frozenset("arith.constant memref.load arith.select arith.cmpi arith.extui arith.index_castui arith.trunci arith.extsi".split())
# predicate -> operator, whether its operands are swapped, whether its result is negated
_COMPARE = {
    "eq": ("eq", False, False), "ne": ("eq", False, True),
    "slt": ("slt", False, False), "sle": ("sle", False, False), "sgt": ("slt", True, False), "sge": ("sle", True, False),
    "ult": ("ult", False, False), "ule": ("ule", False, False), "ugt": ("ult", True, False), "uge": ("ule", True, False),
}  # fmt: skip


def read(function: UpdateFunction, module: ModuleOp) -> Reading:
    """What the only function of a lifted module does, in the names of `function`, which it was lifted from, or which has the same shape."""
    code = next(op for op in module.ops if isinstance(op, func.FuncOp))
    return _Reader(code, [planned.argument.name for planned in argument_plan(function)]).run()


class _Reader:
    def __init__(self, function: func.FuncOp, names: list[str]) -> None:
        self.function, self.names = function, names
        self.at = positions(function.body.block)
        self.values: dict[SSAValue, Term] = {}
        self.arrays: dict[SSAValue, str] = {}
        self.effects: list[Effect] = []
        self.result: Term | None = None
        self.serial = 0

    def run(self) -> Reading:
        entry = self.function.body.block
        for value, name in zip(entry.args, self.names, strict=True):
            if isinstance(value.type, MemRefType):
                self.arrays[value] = name
            else:
                self.values[value] = terms.sym(name, width(value))
        self._block(entry, (), ())
        return Reading(tuple(self.effects), self.result)

    def _block(self, block: Block, loops: tuple[tuple[Term, Term], ...], conditions: tuple[Term, ...]) -> None:
        for op in block.ops:
            match op.name:
                case "memref.store":
                    self._store(op, loops, conditions)
                case "scf.if":
                    self._branches(op, loops, conditions)
                case "scf.for" if op.attributes.get(LINALG_OP) == _DOT:
                    self.values[op.results[0]] = self._dot(op)
                case "scf.for" if op.results:
                    self.values[op.results[0]] = self._reduction(op)
                case "scf.for":
                    self._loop(op, loops, conditions)
                case "func.return":
                    self.result = self.values[op.operands[0]] if op.operands else None
                case "scf.yield":
                    pass
                case _:
                    self.values[op.results[0]] = self._value(op)

    def _store(self, op: Operation, loops: tuple[tuple[Term, Term], ...], conditions: tuple[Term, ...]) -> None:
        data, array, index = op.operands
        self.effects.append(Effect(self.arrays[array], loops, conditions, summed(self.values[index]), self.values[data]))

    def _branches(self, op: Operation, loops: tuple[tuple[Term, Term], ...], conditions: tuple[Term, ...]) -> None:
        condition = self.values[op.operands[0]]
        if op.results:
            raise NoTemplate("a conditional with results is not read")
        for region, holds in zip(op.regions, (condition, terms.negate(condition)), strict=True):
            if region.blocks:
                self._block(region.block, loops, (*conditions, holds))

    def _loop(self, op: Operation, loops: tuple[tuple[Term, Term], ...], conditions: tuple[Term, ...]) -> None:
        _check_steps(op)
        body = op.regions[0].block
        index = index_symbol(f"loop{self.serial}")
        self.serial += 1
        count = terms.extract(self.values[op.operands[1]], 0, INDEX_WIDTH)
        self.values[body.args[0]] = terms.apply("zext", 64, (index,))
        self._block(body, (*loops, (index, count)), conditions)

    def _reduction(self, op: Operation) -> Term:
        """As an operator, or what it comes to iteration by iteration."""
        _check_steps(op)
        count = constant_value(op.operands[1])
        if count is None or count > _MOST_ITERATIONS:
            raise NoTemplate("a reduction of variable length")
        named = op.attributes.get(LINALG_OP)
        kind = named.data.removeprefix("reduce_") if isinstance(named, StringAttr) else ""
        if kind in _REDUCTIONS:
            return self._reduce(op, kind, count)
        carried = self.values[op.operands[3]]
        for k in range(count):
            carried = self._iteration(op, terms.const(k, 64), carried)
        return carried

    def _iteration(self, op: Operation, k: Term, carried: Term) -> Term:
        body = op.regions[0].block
        self.values |= dict(zip(body.args, (k, carried), strict=True))
        for inner in list(body.ops)[:-1]:
            self.values[inner.results[0]] = self._value(inner)
        return self.values[body.last_op.operands[0]]  # type: ignore[union-attr]

    def _reduce(self, op: Operation, kind: str, count: int) -> Term:
        """The operand is what the last operation combines with the carried value."""
        k, initial = index_symbol("k"), self.values[op.operands[3]]
        total = op.regions[0].block.args[1]
        self._iteration(op, terms.apply("zext", 64, (k,)), terms.sym("carried", initial.width))
        last = op.regions[0].block.last_op.operands[0].owner  # type: ignore[union-attr]
        assert isinstance(last, Operation)
        operand = self.values[next(v for v in last.operands[-2:] if v is not total)]
        place = op.attributes.get(OPERAND_A)
        if isinstance(place, DictionaryAttr) and _number(place, "stride") < 0:  # the order does not matter
            operand = substitute(operand, {k: terms.apply("sub", INDEX_WIDTH, (terms.const(count - 1, INDEX_WIDTH), k))})
        return terms.make("reduce", initial.width, (initial, operand, terms.const(count, INDEX_WIDTH)), f"{kind}:{k.attr}")

    def _dot(self, op: Operation) -> Term:
        _check_steps(op)
        body = op.regions[0].block
        position, total = body.args
        k, count = index_symbol("k"), constant_value(op.operands[1])
        if count is None:
            raise NoTemplate("a product of variable length")
        self.values[position] = terms.apply("zext", 64, (k,))
        initial = self.values[op.operands[3]]
        self.values[total] = terms.sym("sum", initial.width)
        for inner in list(body.ops)[:-1]:
            self.values[inner.results[0]] = self._value(inner)
        add = made_by(body.last_op.operands[0], "arith.addi")  # type: ignore[union-attr]
        mac = None if add is None else next((m for m in candidates(add) if m.accumulator is total and m.attribute() == add.attributes.get(MAC)), None)
        if mac is None:
            raise NoTemplate("a reduction that is no product")
        a, b = self._factor(mac.a), self._factor(mac.b)
        if mac.negative:
            a = terms.apply("sub", a.width + 1, (terms.const(0, a.width + 1), terms.apply("sext", a.width + 1, (a,))))
        return terms.make("dot", initial.width, (initial, a, b, terms.const(count, INDEX_WIDTH)), str(k.attr))

    def _factor(self, factor: Factor) -> Term:
        """A factor as a signed number."""
        value = self._signed(factor.value, factor.signed)
        if factor.zero is None:
            return value
        zero = self._signed(factor.zero, factor.signed)
        bits = max(value.width, zero.width) + 1
        return terms.apply("sub", bits, tuple(terms.apply("sext", bits, (v,)) for v in (value, zero)))

    def _signed(self, operand: SSAValue, is_signed: bool) -> Term:
        """An operand as a signed number."""
        value = self.values[operand]
        return value if is_signed else terms.apply("zext", value.width + 1, (value,))

    def _value(self, op: Operation) -> Term:
        if op.regions or not op.results or (op.name not in _BINARY and op.name not in _OTHER):
            raise NoTemplate(f"no term for the operation {op.name}")
        value = self._plain_value(op)
        if CLAMP in op.attributes:
            return self._clamp(op, value)
        return self._round(op, value) if ROUND in op.attributes else value

    def _plain_value(self, op: Operation) -> Term:
        args = tuple(self.values[v] for v in op.operands if v not in self.arrays)
        bits = width(op.results[0])
        match op.name:
            case "arith.constant":
                value = constant_value(op.results[0])
                assert value is not None
                return terms.const(value, bits)
            case "memref.load":
                return terms.load(self.arrays[op.operands[0]], bits, summed(args[0]))
            case "arith.select":
                return terms.mux(*args)
            case "arith.cmpi":
                return self._compare(PREDICATES[op.properties["predicate"].value.data], *args)  # type: ignore[attr-defined]
            case "arith.extui" | "arith.index_castui" | "arith.trunci":
                return terms.apply("zext", bits, args) if bits >= args[0].width else part(args[0], 0, bits)
            case "arith.extsi":
                return terms.apply("sext", bits, args)
            case name:
                return terms.apply(_BINARY[name], bits, args)

    def _compare(self, predicate: str, a: Term, b: Term) -> Term:
        op, swapped, negated = _COMPARE[predicate]
        found = terms.apply(op, 1, (b, a) if swapped else (a, b))
        return terms.negate(found) if negated else found

    def _clamp(self, op: Operation, value: Term) -> Term:
        """What the pass proved to be a clamp, as one: of the values that it may be a clamp of, one for which that is so."""
        attribute = op.attributes[CLAMP]
        assert isinstance(attribute, DictionaryAttr)
        low, high, bits = (_number(attribute, key) for key in ("low", "high", "width"))
        signed, shift = bool(_number(attribute, "signed")), _number(attribute, "shift") if "shift" in attribute.data else 0
        free, bounds = terms.sym("clamped", bits), f"{low}:{high}:{int(signed)}"

        rounding = op.attributes.get(ROUND)

        def made(x: Term) -> Term:
            quotient = terms.extract(x, shift, bits - shift) if rounding is None else quotient_of(rounding, x)
            return terms.make("clamp", value.width, (quotient,), bounds)

        for x in sources(op.results[0], self.at):
            if width(x) == bits and closed(op.results[0], {x}) is not None and _same(self._over(op, {x: free}), made(free)):
                return made(self.values[x])
        return value

    def _round(self, op: Operation, value: Term) -> Term:
        """What the pass proved to be a rounding shift by an amount that is no constant, in the one spelling of roundings."""
        found = rounding_of(op, self.at, lambda values: self._over(op, values))
        return value if found is None else found.of(self.values[found.x], self.values[found.amount], value.width)

    def _over(self, op: Operation, values: dict[SSAValue, Term]) -> Term:
        """The value of `op` with other values for those that it depends on alone."""
        outer, self.values = self.values, dict(values)
        try:
            return self._again(op)
        finally:
            self.values = outer

    def _again(self, op: Operation) -> Term:
        for operand in op.operands:
            if operand not in self.values:
                assert isinstance(operand.owner, Operation)
                self.values[operand] = self._again(operand.owner)
        return self._plain_value(op)


def _same(a: Term, b: Term) -> bool:
    return implied([], terms.equal(plain(a), plain(b))) is Verdict.PROVED


def _check_steps(loop: Operation) -> None:
    """Loops count from 0 in steps of 1."""
    if constant_value(loop.operands[0]) != 0 or constant_value(loop.operands[2]) != 1:
        raise NoTemplate("a loop that does not count from 0 in steps of 1")


def _text(attributes: DictionaryAttr, key: str) -> str:
    value = attributes.data[key]
    assert isinstance(value, StringAttr)
    return value.data


def _number(attributes: DictionaryAttr, key: str) -> int:
    value = attributes.data[key]
    assert isinstance(value, IntegerAttr)
    return value.value.data
