"""A TAIDL machine: the state of an accelerator, and the exact effect of each of its operations on that state.

This is the definition of what a TAIDL file means.  It is generic: all it knows of an accelerator is the model.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from act.hlo.arrays import numpy_dtype, round_float, wrap
from act.hlo.dtypes import is_float
from act.hlo.dtypes import wrap as wrap_integer
from act.oracle.api import Api
from act.oracle.parts import parts_of
from act.oracle.plan import Plan, Planner
from act.oracle.prepared import Pattern, Prepared
from act.oracle.slices import SliceError
from act.program import Program
from act.taidl.compiled import Function
from act.taidl.encode import EncodeError, check_attributes
from act.taidl.expr import ExprError, evaluate
from act.taidl.expr_text import print_expr
from act.taidl.model import Accelerator, Instruction, TokenUse, Use
from act.taidl.moving import moving

Array = NDArray[Any]
Register = int | None | list[int | None]
Indices = NDArray[np.int64]
Written = list[tuple[str, Indices]]


class MachineError(Exception):
    """An instruction that the machine cannot execute in its present state; the message says why."""


class Machine:
    """`buffers` holds one array per buffer (access dimensions, then unit dimensions), `registers` one int or list per register.

    `tokens` counts those that are there to be popped.

    `memory` gives each host memory its bytes.  What the description leaves unspecified (the first contents of buffers, clobbered
    values) is pseudo-random, so that nothing comes to depend on it; a register without an initial value is None.
    """

    def __init__(self, accelerator: Accelerator, memory: Mapping[str, Array] | None = None, seed: int = 0) -> None:
        self._parts = parts_of(accelerator)
        self.accelerator = accelerator = self._parts.accelerator
        self._random = np.random.default_rng(seed)
        self.buffers = {name: self._contents(name, memory or {}) for name in accelerator.buffers}
        self.registers: dict[str, Register] = {
            name: state.initial if state.count is None else [state.initial] * state.count for name, state in accelerator.states.items()
        }
        self._operations, self._prepared = self._parts.operations, self._parts.prepared
        self.tokens = {name: token.initial for name, token in accelerator.tokens.items()}
        self._executed: set[str] = set()

    def _contents(self, name: str, memory: Mapping[str, Array]) -> Array:
        buffer = self.accelerator.buffers[name]
        if buffer.hbm:
            return memory.get(name, np.zeros(0, dtype=numpy_dtype(buffer.element)))
        return self._unspecified(buffer.element, buffer.access + buffer.unit)

    def _unspecified(self, element: str, dims: tuple[int, ...]) -> Array:
        dtype = numpy_dtype(element)
        if is_float(element):
            return round_float(self._random.standard_normal(dims), element)
        if element == "pred":
            return self._random.integers(0, 2, dims).astype(dtype)
        count = math.prod(dims) * dtype.itemsize
        return wrap(np.frombuffer(self._random.bytes(count), dtype=dtype).reshape(dims).copy(), element)

    def disturb(self) -> None:
        """Gives the registers that instructions set values that other programs may have left there; the machine is in use, not reset."""
        for name in sorted({*moving(self.accelerator, "config"), *moving(self.accelerator, "staged")}):
            state = self.accelerator.states[name]
            left: list[int | None] = [int(value) for value in self._unspecified(state.element, (state.count or 1,))]
            self.registers[name] = left[0] if state.count is None else left

    def attach(self, memory: Mapping[str, Array]) -> None:
        """Host memories become these arrays of elements, which the machine changes in place."""
        for name, contents in memory.items():
            if name not in self.buffers or not self.accelerator.buffers[name].hbm:
                raise MachineError(f"'{name}' is no host memory of {self.accelerator.name}")
            self.buffers[name] = contents

    def run(self, program: Program, inputs: Mapping[str, Any]) -> dict[str, Array]:
        """The outputs `out0`, ... of a program, on the memory image that it describes."""
        from act.oracle.execute import run

        return run(self, program, inputs)

    @property
    def api(self) -> Api:
        """The operations as functions: `machine.api.load(n=64, addr_in=0, addr_out=0)`."""
        return Api(self)

    @property
    def starts(self) -> Mapping[str, list[Pattern]]:
        """The composites that begin with an instruction, in the order of the file."""
        return self._parts.starts

    def operation(self, name: str) -> Instruction | None:
        return self._operations.get(name)

    def requirement(self, name: str, attributes: Mapping[str, int]) -> str | None:
        """Why operation `name` cannot be executed now: a `when` that is false or a register with another value; None when it can."""
        try:
            self._values(self._prepared[name], attributes)
        except MachineError as error:
            return str(error)
        return None

    def elements(self, name: str, attributes: Mapping[str, int]) -> tuple[int, int]:
        """How many elements the smallest slice of operation `name` would have now, and the largest, were no extent 0.  `MachineError` when it is not
        allowed."""
        values = self._values(self._prepared[name], attributes)
        operation = self._operation(name)
        extents = [[evaluate(index.extent, values) for index in each.slice.indices] for each in (*operation.reads, *operation.writes)]
        smallest = min((math.prod(max(0, e) for e in piece) for piece in extents), default=1)
        return smallest, max((math.prod(max(1, e) for e in piece) for piece in extents), default=1)

    def violated(self, name: str, values: Mapping[str, int]) -> str | None:
        """The first `when` of operation `name`, as text, that does not hold for these values."""
        return self._prepared[name].violated(values)

    def step(self, name: str, attributes: Mapping[str, int]) -> None:
        """Executes one instruction, or one composite as a whole.  `MachineError`, with the state unchanged, when it is not allowed."""
        operation = self._operation(name)
        values = self._values(self._prepared[name], attributes)
        if operation.steps:
            self._parts.macro(name).run(self, operation, values)
        else:
            self._execute(name, values)
        for change, uses in ((-1, operation.pops), (1, operation.pushes)):
            for use in self._chosen(uses, values):
                self.tokens[use.token] += change
        self._executed.add(name)

    def saved(self, buffers: Iterable[str]) -> tuple[Any, ...]:
        """The registers and tokens, and the contents of these buffers."""
        contents = {name: self.buffers[name].copy() for name in buffers}
        registers = {name: list(value) if isinstance(value, list) else value for name, value in self.registers.items()}
        return contents, registers, dict(self.tokens), set(self._executed)

    def restore(self, state: tuple[Any, ...]) -> None:
        contents, self.registers, self.tokens, self._executed = state
        for name, array in contents.items():
            self.buffers[name][...] = array

    def set_registers(self, operation: Instruction, values: Mapping[str, int]) -> None:
        self._set(self._register_writes(self._prepared[operation.name], values))

    def _execute(self, name: str, values: dict[str, int]) -> None:
        try:
            self._effect(self._parts.planner(name), values, self._register_writes(self._prepared[name], values))
        except (SliceError, ExprError) as error:
            raise MachineError(f"{name}: {error}") from None

    def _chosen(self, uses: Iterable[TokenUse], values: Mapping[str, int]) -> Iterator[TokenUse]:
        return (use for use in uses if use.condition is None or evaluate(use.condition, values))

    def _operation(self, name: str) -> Instruction:
        operation = self._operations.get(name)
        if operation is None:
            raise MachineError(f"'{name}' is no instruction of {self.accelerator.name}")
        if operation.opaque:
            raise MachineError(f"{name}: its semantics are not known (opaque)")
        if operation.after and not self._executed & set(operation.after):
            raise MachineError(f"{name}: must come after {' or '.join(operation.after)}")
        late = sorted(self._executed & set(operation.before))
        if late:
            raise MachineError(f"{name}: must come before {late[0]}, which was executed already")
        return operation

    def _values(self, prepared: Prepared, attributes: Mapping[str, int]) -> dict[str, int]:
        """The values of all names; `MachineError` when an attribute, `when` or `use` is not right."""
        values, operation = dict(attributes), prepared.operation
        try:
            if prepared.attributes != attributes.keys():
                check_attributes(operation, attributes)
            for use, index, equals in prepared.uses:
                self._use(operation, use, values, None if index is None else index(values), equals)
            condition = prepared.violated(values)
            missing = self._missing(operation, values) if operation.pops else None
        except (EncodeError, ExprError) as error:
            raise MachineError(str(error)) from None
        if condition is not None:
            shown = ", ".join(f"{name} = {value}" for name, value in values.items())
            raise MachineError(f"{operation.name}: {condition} does not hold for {shown}")
        if missing is not None:
            raise MachineError(f"{operation.name}: waits for the token '{missing}', which nothing before it has pushed")
        return values

    def _missing(self, operation: Instruction, values: Mapping[str, int]) -> str | None:
        """A token of which there are fewer than are popped."""
        wanted = Counter(use.token for use in self._chosen(operation.pops, values))
        return next((token for token, count in wanted.items() if self.tokens[token] < count), None)

    def _use(self, operation: Instruction, use: Use, values: dict[str, int], index: int | None, equals: Function | None) -> None:
        value = self._get(use.state, index)
        if value is None:
            raise MachineError(f"{operation.name}: register {_register(use, index)} was never set")
        if use.name is not None:
            values[use.name] = value
        if equals is not None and use.equals is not None and equals(values) != value:
            raise MachineError(f"{operation.name}: needs {_register(use, index)} == {print_expr(use.equals)}, found {value}")

    def _get(self, state: str, index: int | None) -> int | None:
        held = self.registers[state]
        if not isinstance(held, list):
            return held
        if index is None or not 0 <= index < len(held):
            raise MachineError(f"there is no register {state}[{index}]")
        return held[index]

    def _register_writes(self, prepared: Prepared, values: Mapping[str, int]) -> list[tuple[str, int | None, int]]:
        found = []
        for item, index_of, value_of in prepared.sets:
            index = None if index_of is None else index_of(values)
            self._get(item.state, index)
            found.append((item.state, index, wrap_integer(self.accelerator.states[item.state].element, value_of(values))))
        return found

    def _effect(self, planner: Planner, values: Mapping[str, int], sets: list[tuple[str, int | None, int]]) -> Written:
        """Changes the state; what was written, as indices of flat buffers."""
        plan = planner.plan(values, self.buffers)
        tensors = [self.buffers[p.buffer].reshape(-1)[self._checked(p, values)] for p in plan.reads]
        targets = [(p.buffer, self._checked(p, values)) for p in plan.writes]
        spoilt = [(p.buffer, self._checked(p, values)) for p in plan.clobbers]
        results = _unmasked(plan, targets, plan.compute(*tensors))
        for buffer, where in spoilt:
            self.buffers[buffer].reshape(-1)[where] = self._unspecified(self.accelerator.buffers[buffer].element, where.shape)
        for buffer, where, result in results:
            self.buffers[buffer].reshape(-1)[where] = result
        self._set(sets)
        return [(buffer, where) for buffer, where, _ in results]

    def _set(self, sets: list[tuple[str, int | None, int]]) -> None:
        for state, index, value in sets:
            held = self.registers[state]
            if isinstance(held, list) and index is not None:
                held[index] = value
            else:
                self.registers[state] = value

    def complete(self) -> None:
        """Does what was begun: all is done already, but on a machine that collects what it has to do."""

    def _checked(self, place: Any, values: Mapping[str, int]) -> NDArray[np.int64]:
        """The indices of a slice."""
        return place.flat + self._first(place, values)

    def _first(self, place: Any, values: Mapping[str, int]) -> int:
        """What the addresses add to the indices of a slice; a host memory ends where its image ends."""
        first = place.first(values)
        limit = self.buffers[place.buffer].size
        if first + place.last >= limit and place.flat.size:
            raise SliceError(f"{place.buffer}[{first + place.last:#x}] is beyond the memory image of {limit:#x} bytes")
        return first


def _register(use: Use, index: int | None) -> str:
    return use.state if index is None else f"{use.state}[{index}]"


def _unmasked(plan: Plan, targets: Written, results: tuple[Any, ...]) -> list[tuple[str, Indices, Any]]:
    """Where what is written, of masked writes only where the predicate is true."""
    predicates, found = iter(results[len(targets) :]), []
    for (buffer, where), result, masked in zip(targets, results, plan.masked, strict=False):
        if masked:
            chosen = next(predicates)
            where, result = where[chosen], np.broadcast_to(result, chosen.shape)[chosen]
            if np.unique(where).size < where.size:
                raise SliceError(f"one element of {buffer} is written twice, and what is there then is not defined")
        found.append((buffer, where, result))
    return found
