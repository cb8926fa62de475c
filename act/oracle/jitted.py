"""A machine that executes programs as compiled functions: the same bits as `Machine`, for large programs; needs the extra `[jax]`.

Registers, tokens, conditions and the choice of composites are followed command by command, in Python, for they do not depend on what lies in
memory.  What the commands do to memory is collected, and done by one compiled loop over all of them, in which each step chooses among the
different effects; where their elements begin is data.  An effect that has no compiled form (floats, look-ups, predicates, clobbered elements)
is executed in numpy, between two such loops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from act.errors import UserError
from act.frontends.stablehlo import INSTALL
from act.oracle.machine import Array, Machine, Written
from act.oracle.plan import Plan, Planner
from act.taidl.model import Accelerator

try:
    import jax
    import jax.numpy as jnp

    from act.oracle.traced import traced
except ImportError:
    raise UserError(None, "jax is not installed", INSTALL) from None

LEAST = 64
"""Commands that a compiled loop has room for at least; it is made again for twice as many."""

Buffers = tuple[Any, ...]
Effect = Callable[[Buffers, Any], Buffers]


class JittedMachine(Machine):
    """`complete()` does what was collected; `run` calls it, and `buffers` are only right after it."""

    def __init__(self, accelerator: Accelerator, memory: Mapping[str, Array] | None = None, seed: int = 0) -> None:
        super().__init__(accelerator, memory, seed)
        self._names = tuple(self.buffers)
        self._pending: list[tuple[Plan, list[int]]] = []

    def complete(self) -> None:
        """Executes what was collected."""
        if not self._pending:
            return
        pending, self._pending = self._pending, []
        plans = list(dict.fromkeys(id(plan) for plan, _ in pending))
        known = {id(plan): plan for plan, _ in pending}
        width, room = max(len(firsts) for _, firsts in pending), LEAST
        while room < len(pending):
            room *= 2
        steps = np.zeros((room, 1 + width), dtype=np.int64)
        for row, (plan, firsts) in zip(steps, pending, strict=False):
            row[0], row[1 : 1 + len(firsts)] = plans.index(id(plan)), firsts
        with jax.enable_x64(True):
            loop = _loop(tuple(known[each] for each in plans), self._names)
            found = loop(tuple(jnp.asarray(self.buffers[name].reshape(-1)) for name in self._names), jnp.asarray(steps), len(pending))
            for name, contents in zip(self._names, found, strict=True):
                self.buffers[name].reshape(-1)[...] = np.asarray(contents)

    def saved(self, buffers: Iterable[str]) -> tuple[Any, ...]:
        self.complete()
        return super().saved(buffers)

    def restore(self, state: tuple[Any, ...]) -> None:
        self._pending.clear()
        super().restore(state)

    def attach(self, memory: Mapping[str, Array]) -> None:
        self.complete()
        super().attach(memory)

    def _effect(self, planner: Planner, values: Mapping[str, int], sets: list[tuple[str, int | None, int]]) -> Written:
        plan = None if planner.lookups else planner.plan(values, self.buffers)
        if plan is None or plan.clobbers or any(plan.masked) or _compute(plan, planner, values) is None:
            self.complete()
            return super()._effect(planner, values, sets)
        self._pending.append((plan, [self._first(place, values) for place in (*plan.reads, *plan.writes)]))
        self._set(sets)
        return []


_computed: dict[int, tuple[Plan, Callable[..., Any] | None]] = {}
_loops: dict[tuple[Any, ...], tuple[tuple[Plan, ...], Callable[..., Buffers]]] = {}
MOST = 4096
"""Compiled forms that are kept."""


def _compute(plan: Plan, planner: Planner, values: Mapping[str, int]) -> Callable[..., Any] | None:
    """The compiled form of what a plan computes; None where there is none."""
    if id(plan) not in _computed:
        if len(_computed) >= MOST:
            _computed.clear()
            _loops.clear()
        body, numbers = planner.computation(values)
        function = None if body is None else traced(body)
        _computed[id(plan)] = plan, function and (lambda *tensors: function(*[tensors[number] for number in numbers]))
    return _computed[id(plan)][1]


def _loop(plans: tuple[Plan, ...], names: tuple[str, ...]) -> Callable[..., Buffers]:
    """A compiled function of buffers, steps (the number of a plan, and where each of its places begins) and how many steps there are."""
    key = (*map(id, plans), names)
    if key not in _loops:
        effects = [_effect(plan, names) for plan in plans]

        def run(buffers: Buffers, steps: Any, count: int) -> Buffers:
            def step(number: Any, state: Buffers) -> Buffers:
                row = steps[number]
                return jax.lax.switch(row[0], effects, state, row[1:])

            return jax.lax.fori_loop(0, count, step, buffers)

        _loops[key] = plans, jax.jit(run)
    return _loops[key][1]


def _effect(plan: Plan, names: tuple[str, ...]) -> Effect:
    compute = _computed[id(plan)][1]
    assert compute is not None
    reads, writes = [[(names.index(place.buffer), place.flat) for place in places] for places in (plan.reads, plan.writes)]

    def effect(buffers: Buffers, firsts: Any) -> Buffers:
        tensors = [buffers[which][flat + firsts[number]] for number, (which, flat) in enumerate(reads)]
        after = list(buffers)
        for number, ((which, flat), result) in enumerate(zip(writes, compute(*tensors), strict=True), start=len(reads)):
            after[which] = after[which].at[flat + firsts[number]].set(result)
        return tuple(after)

    return effect
