"""The statements of one process to the values of the variables that it assigns (symbolic execution).

Both branches of an `if` are executed from the same state and merged by multiplexers; loops run as long as their condition is the
constant 1.  Writes to memories are collected with the conditions under which they happen.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from dataclasses import replace as copied

from lift.errors import UserError
from lift.netlist import select
from lift.netlist.bounds import maximum
from lift.netlist.builder import Builder
from lift.netlist.cases import branches
from lift.netlist.model import Location, Node
from lift.netlist.module import Assign, Case, Function, If, Loop, Module, Statement, Target

MAXIMUM_TURNS = 1 << 14
MAXIMUM_DEPTH = 256


@dataclass(frozen=True, slots=True)
class WordWrite:
    """A write of `data` under `mask` (None: all bits) to a memory word, where all of the 1-bit `conditions` hold."""

    memory: str
    conditions: tuple[Node, ...]
    address: Node
    data: Node
    mask: Node | None
    location: Location


@dataclass(slots=True)
class State:
    """`now` are the values that blocking assignments left, `after` those that nonblocking ones will leave; `changed` are the names of
    both that this branch assigned."""

    now: dict[str, Node] = field(default_factory=dict)
    after: dict[str, Node] = field(default_factory=dict)
    path: tuple[Node, ...] = ()
    changed: set[str] = field(default_factory=set)


class Executor:
    """Executes one process of `module`.  `memories` are the arrays that stay memories, the others are one variable per word.

    Afterwards `finals()` are the values of the assigned variables in terms of those before, `covered` the bits that may have been
    assigned (as a mask), `writes` the memory writes in order.
    """

    def __init__(self, builder: Builder, module: Module, memories: frozenset[str], now: dict[str, Node] | None = None) -> None:
        self._b, self._module, self._memories = builder, module, memories
        self._state = State(dict(now or {}))
        self._memo: dict[Node, Node] = {}
        self.covered: dict[str, int] = {}
        self.locations: dict[str, Location] = {}
        self.writes: list[WordWrite] = []
        self._turns = 0
        self._written: set[str] = set()  # memories with blocking assignments so far
        self._location: Location | None = None
        self._depth = 0  # of calls

    def finals(self) -> dict[str, Node]:
        """The value of each assigned variable."""
        return {name: self._state.after.get(name) or self._state.now[name] for name in self.covered}

    def run(self, statements: tuple[Statement, ...]) -> None:
        """Execute `statements` from the present state."""
        for statement in statements:
            self._location = statement.location
            match statement:
                case Assign():
                    self._assign(statement)
                case If(condition, then, otherwise):
                    self._branch(self.evaluate(condition), then, otherwise)
                case Case():
                    self._case(statement)
                case Loop():
                    self._loop(statement)

    # Expressions

    def evaluate(self, node: Node) -> Node:
        """`node` with the present values of variables, and words of small arrays as variables."""
        found = self._memo.get(node)
        if found is None:
            found = self._memo[node] = self._evaluated(node)
        return found

    def _evaluated(self, node: Node) -> Node:
        if node.op == "var":
            assert isinstance(node.attr, str)
            return self._state.now.get(node.attr, node)
        if not node.args:
            return node
        args = [self.evaluate(a) for a in node.args]
        if node.op == "word":
            assert isinstance(node.attr, str)
            return self._word(node.attr, args[0], node.width)
        if node.op == "call":
            return self._call(self._module.functions[str(node.attr)], args)
        return self._b.make(node.op, node.width, args, node.attr)

    def _call(self, function: Function, arguments: list[Node]) -> Node:
        """The value of a call in the present state.  Recursion ends where conditions are constants."""
        if self._depth == MAXIMUM_DEPTH:
            advice = "let constant arguments end the recursion"
            raise UserError(str(function.location), f"function '{function.name}' calls itself more than {MAXIMUM_DEPTH} deep", advice)
        undefined = self._b.intern("undef", function.width, (), function.result)
        now = self._state.now | dict(zip(function.arguments, arguments, strict=True)) | {function.result: undefined}
        inner = Executor(self._b, self._module, self._memories, now)
        inner._depth, inner._written = self._depth + 1, self._written
        inner.run(function.body)
        for name in [*inner.covered, *(w.memory for w in inner.writes)]:
            if not name.startswith(f"{function.name}."):
                problem = f"function '{function.name}' assigns '{name}', which is not its own"
                raise UserError(str(inner.locations.get(name, function.location)), problem, "return the value, or use a task")
        return inner.finals().get(function.result, undefined)

    def _word(self, name: str, index: Node, width: int) -> Node:
        if name in self._memories:
            if name in self._written:
                raise UserError(str(self._location), f"'{name}' is read after a blocking assignment to it", "use a nonblocking assignment")
            return self._b.make("memread", width, (self._address(name, index),), name)
        at, variable = select.constant(index), self._module.variables[name]
        if at is not None:
            inside = 0 <= at < variable.depth
            return self._value(word_name(self._module, name, at), width) if inside else self._b.const(0, width, -1)
        last = min(variable.depth - 1, maximum(index))
        result = self._value(word_name(self._module, name, last), width) if maximum(index) == last else self._b.const(0, width, -1)
        for k in reversed(range(last + (maximum(index) != last))):
            hit = self._b.op("eq", index, self._b.const(k, index.width))
            result = self._b.mux(hit, self._value(word_name(self._module, name, k), width), result)
        return result

    def _address(self, name: str, index: Node) -> Node:
        """A constant index with as many bits as the memory needs."""
        at, depth = select.constant(index), self._module.variables[name].depth
        return index if at is None or not 0 <= at < depth else self._b.const(at, (depth - 1).bit_length())

    def _value(self, name: str, width: int) -> Node:
        return self._state.now.get(name) or self._b.intern("var", width, (), name)

    # Assignments

    def _assign(self, statement: Assign) -> None:
        value, top = self.evaluate(statement.value), sum(t.width for t in statement.targets)
        assert value.width == top, (statement, value.width, top)
        resolved = [self._resolve(t) for t in statement.targets]
        for target in resolved:
            top -= target.width
            self._store(target, self._b.extract(value, top, target.width), statement)

    def _resolve(self, t: Target) -> Target:
        index = None if t.index is None else self.evaluate(t.index)
        return copied(t, index=index, low=None if t.low is None else self.evaluate(t.low))

    def _store(self, t: Target, value: Node, statement: Assign) -> None:
        if t.index is None:
            self._store_variable(t, t.name, value, statement, None)
        elif t.name in self._memories:
            self._store_word(t, value, statement.location)
            self._written |= {t.name} if statement.blocking else set()
        else:
            self._store_element(t, value, statement)

    def _store_element(self, t: Target, value: Node, statement: Assign) -> None:
        assert t.index is not None
        at, depth = select.constant(t.index), self._module.variables[t.name].depth
        for k in range(min(depth, 1 << t.index.width)) if at is None else range(max(at, 0), min(at + 1, depth)):
            hit = self._b.op("eq", t.index, self._b.const(k, t.index.width)) if at is None else None
            self._store_variable(t, word_name(self._module, t.name, k), value, statement, hit)

    def _store_variable(self, t: Target, name: str, value: Node, statement: Assign, condition: Node | None) -> None:
        variable = self._module.variables[t.name]
        width = t.width if variable.depth and t.index is None else variable.width
        old = self._old(name, width, statement)
        new = value if t.low is None else select.replace(self._b, old, t.low, value, t.bias)
        new = new if condition is None else self._b.mux(condition, new, old)
        self.covered[name] = self.covered.get(name, 0) | _bits(t, width)
        self.locations.setdefault(name, statement.location)
        self._state.changed.add(name)
        if statement.blocking:
            self._state.now[name] = new
            self._memo = {}
        else:
            self._state.after[name] = new

    def _old(self, name: str, width: int, statement: Assign) -> Node:
        state = self._state
        if (name in state.after) if statement.blocking else (name in state.now and name in self.covered and name not in state.after):
            raise UserError(str(statement.location), f"'{name}' has blocking and nonblocking assignments in one process", "use one kind")
        return (state.after.get(name) if not statement.blocking else None) or self._value(name, width)

    def _store_word(self, t: Target, value: Node, location: Location) -> None:
        assert t.index is not None
        width, mask = self._module.variables[t.name].width, None
        if t.low is not None:
            ones = self._b.const(-1, t.width)
            mask = select.replace(self._b, self._b.const(0, width), t.low, ones, t.bias)
            value = select.replace(self._b, self._b.const(0, width), t.low, value, t.bias)
        address = self._address(t.name, t.index)
        self.writes.append(WordWrite(t.name, self._state.path, address, value, mask, location))

    # Control

    def _case(self, case: Case) -> None:
        self._branches(branches(self._b, self.evaluate(case.selector), case, self.evaluate))

    def _branch(self, condition: Node, then: tuple[Statement, ...], otherwise: tuple[Statement, ...]) -> None:
        self._branches([((condition,), condition, then), ((self._b.op("not", condition),), None, otherwise)])

    def _branches(self, alternatives: list[tuple[tuple[Node, ...], Node | None, tuple[Statement, ...]]]) -> None:
        """Execute (path conditions, condition, body) alternatives, the first whose condition holds counts; None always holds."""
        before, ends, memo = self._state, list[tuple[Node | None, State]](), self._memo
        for path, condition, body in alternatives:
            if condition is not None and condition.op == "const" and not condition.xmask and not condition.attr:
                continue
            settled = condition is None or (condition.op == "const" and not condition.xmask)
            alone = settled and not ends
            self._state = State(dict(before.now), dict(before.after), before.path if alone else before.path + path)
            self._memo = memo
            self.run(body)
            ends.append((condition, self._state))
            if settled:
                break
        self._state = self._merge(before, ends)
        self._memo = {} if any(name in self._state.now for name in self._state.changed) else memo
        self._state.changed |= before.changed

    def _merge(self, before: State, ends: list[tuple[Node | None, State]]) -> State:
        """The state after the branches `ends`; what none of them assigned is as `before`."""
        changed = set[str]().union(*(end.changed for _, end in ends))
        now, after = dict(before.now), dict(before.after)
        conditions = [condition for condition, _ in ends]
        for name in changed:
            if any(name in end.now for _, end in ends):
                now[name] = self._merged(name, conditions, [end.now.get(name) for _, end in ends], before)
            if any(name in end.after for _, end in ends):
                after[name] = self._merged(name, conditions, [end.after.get(name) or end.now.get(name) for _, end in ends], before)
        return State(now, after, before.path, changed)

    def _merged(self, name: str, conditions: list[Node | None], values: list[Node | None], before: State) -> Node:
        """The value of `name` after branches that leave `values`, None where they leave it alone."""
        width = next(v.width for v in values if v is not None)
        unchanged = before.now.get(name) or self._b.intern("var", width, (), name)
        result = values[-1] or unchanged
        for condition, value in zip(reversed(conditions[:-1]), reversed(values[:-1]), strict=True):
            assert condition is not None
            result = self._b.mux(condition, value or unchanged, result)
        return result

    def _loop(self, loop: Loop) -> None:
        self.run(loop.start)
        while True:
            condition = self.evaluate(loop.condition)
            if condition.op != "const" or condition.xmask:
                raise UserError(str(loop.location), "the loop's condition is not a constant", "use constant bounds")
            if not condition.attr:
                return
            self._turns += 1
            if self._turns > MAXIMUM_TURNS:
                raise UserError(str(loop.location), f"the loop does not end within {MAXIMUM_TURNS} turns", "use constant bounds and fewer turns")
            self.run(loop.body)
            stop = self._state.now.get(loop.stop)
            if stop is not None and stop.op == "const" and stop.attr and not stop.xmask:
                return
            self.run(loop.step)


def word_name(module: Module, array: str, index: int) -> str:
    """The name of one word of an array that is no memory, with the index of the source."""
    return f"{array}[{module.variables[array].base + index}]"


def _bits(t: Target, width: int) -> int:
    """The bits of a `width`-bit variable that `t` may assign, as a mask."""
    at = None if t.low is None else select.constant(t.low)
    if at is None:
        return (1 << width) - 1
    low = at - t.bias
    mask = (1 << t.width) - 1
    return (mask << low if low >= 0 else mask >> -low) & ((1 << width) - 1)
