"""A sequence of steps -> a place for every value: a box in an accelerator memory, bytes of host memory (paper section 6.2).

Values that are tied to each other (updated in place, slices, pieces of a whole) share one home.  A home is live from its first step to
the last step that reads it; homes that are live together do not overlap.  First fit, in the order in which they begin; where that fails,
a constraint solver.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import lcm, prod
from operator import add

from act.backend.classes import ClassGraph
from act.backend.homes import Constraint, Home, Places, first_fit, solve_start
from act.backend.memo import by_identity, names_of
from act.backend.plan import Place, Plan, Step, Tensor, Value
from act.backend.relations import is_broken, place_together
from act.backend.solve import solve_places
from act.backend.ties import Contradiction, Ties, buffer_of
from act.backend.views import byte_size
from act.backend.wanted import Wanted
from act.generator.model import InHost, OnChip, Operand, Start
from act.hlo.dtypes import stored_bytes
from act.records import dataclass, field
from act.taidl.expr import evaluate
from act.taidl.model import Accelerator, Buffer, Expr

ALIGNMENT = 64
"""Bytes, of tensors in host memory; also the first address used, since some machines give address 0 a meaning of its own."""


class NoRoom(Exception):
    """No place was found for a value of `buffer` at step number `time`; the message says which and where.  `excess` is by how much
    the memory was overfull (1 is full), `solved` whether the solver had to say so."""

    def __init__(self, message: str, buffer: str = "", time: int = -1, excess: float = 0.0, solved: bool = False) -> None:
        super().__init__(message)
        self.buffer, self.time, self.excess, self.solved = buffer, time, excess, solved


@dataclass(slots=True)
class Allocation:
    """`home[value]` is where it lives on chip, `offset[value]` after the beginning of the home; `address[tensor]` is the first byte of a
    tensor in host memory; `memory` gives the bytes that each host memory needs; `clobbered` are the places that a step overwrites
    besides; `shared` are the outputs with the inputs whose memory they take over; `conditions` of each instruction name its addresses;
    `slots` are where steps find words in tables."""

    home: dict[Value, Home]
    address: dict[Tensor, int]
    memory: dict[str, int]
    clobbered: dict[Step, list[tuple[int, Start, Home]]] = field(default_factory=dict)
    shared: Mapping[Tensor, Tensor] = field(default_factory=dict)
    offset: Mapping[Value, Places] = field(default_factory=dict)
    conditions: dict[str, tuple[Expr, ...]] = field(default_factory=dict)
    slots: dict[Step, dict[str, int]] = field(default_factory=dict)

    def place(self, value: Value) -> Places:
        """Where the first element of a value is."""
        return tuple(map(add, self.home[value].at, self.offset[value]))

    def starts(self, operand: Operand, value: Value | Place) -> Iterable[tuple[Start, int]]:
        """The coordinates of an operand, with the place of each."""
        access = operand.access
        if isinstance(value, Place):
            assert isinstance(access, InHost)
            return ((access.start, self.address[value.tensor] + value.offset),)
        assert isinstance(access, OnChip)
        return zip(access.starts, self.place(value), strict=True)


@by_identity
def numbered(starts: tuple[Start, ...]) -> tuple[tuple[int, Start], ...]:
    return tuple(enumerate(starts))


def accesses(step: Step) -> Iterator[tuple[Operand, Value | Place]]:
    """Operands and result of a step, each with the value or the place that it is."""
    yield from zip(step.match.selector.operands, step.operands, strict=True)
    yield step.match.selector.result, step.target if step.target is not None else step


@dataclass(slots=True)
class Allocator:
    accelerator: Accelerator
    graph: ClassGraph
    steps: Sequence[Step]
    _constraints: dict[tuple[object, ...], Constraint] = field(default_factory=dict)
    _wanted: Wanted = field(default_factory=Wanted)

    def allocate(self, plan: Plan, inputs: Sequence[Tensor]) -> Allocation:
        """`inputs` are laid out first, in their order.  Raises `NoRoom`."""
        homes, offsets = self._homes()
        clobbered = self._clobbered()
        every = dict.fromkeys([*homes.values(), *(home for places in clobbered.values() for _, _, home in places)])
        self._link(homes, offsets, clobbered)
        for buffer in dict.fromkeys(home.buffer for home in every):
            self._fill(buffer, [home for home in every if home.buffer == buffer])
        address, memory = self._host(plan, inputs)
        allocation = Allocation(homes, address, memory, clobbered, dict(plan.shared), offsets)
        broken = next((step for step in self.steps if is_broken(step, allocation)), None)
        if broken is not None and not place_together(self.steps, allocation, list(every)):
            name = broken.match.selector.name
            raise NoRoom(f"no places were found that {name} can address together: its addresses depend on each other", solved=True)
        return allocation

    def _link(self, homes: Mapping[Value, Home], offsets: Mapping[Value, Places], clobbered: Mapping[Step, list[tuple[int, Start, Home]]]) -> None:
        """Where one attribute begins several boxes."""
        for step in self.steps:
            boxes = [(home, which, start, 0) for which, start, home in clobbered.get(step, ())]
            for operand, value in accesses(step):
                if not isinstance(value, Place) and isinstance(operand.access, OnChip):
                    boxes += [(homes[value], which, start, offsets[value][which]) for which, start in enumerate(operand.access.starts)]
            self._wanted.add(step, boxes)

    def _limits(self, buffer: str) -> Places:
        found = self.accelerator.buffers[buffer]
        return found.access + found.unit

    def _clobbered(self) -> dict[Step, list[tuple[int, Start, Home]]]:
        """A home, for the time of the step, for what each step overwrites besides its result."""
        found: dict[Step, list[tuple[int, Start, Home]]] = {}
        for time, step in enumerate(self.steps):
            for clobber in step.match.selector.clobbers:
                limits, which = self._limits(clobber.buffer), clobber.coordinate
                sizes = (*limits[:which], evaluate(clobber.size, dict(step.match.alpha)), *limits[which + 1 :])
                home = Home(clobber.buffer, limits, sizes, time, time, {self._constraint(step, ((which, clobber.start),), (0,) * len(limits)): None})
                found.setdefault(step, []).append((which, clobber.start, home))
        return found

    def _homes(self) -> tuple[dict[Value, Home], dict[Value, Places]]:
        """The home of every value, and where in it the value begins."""
        ties = Ties({name: len(self._limits(name)) for name in self.accelerator.buffers})
        try:
            ties.add(self.steps)
        except Contradiction:
            raise NoRoom("two values would have to be in one place") from None
        groups: dict[Value, tuple[Home, Places]] = {}
        homes, offsets = {}, {}
        for time, step in enumerate(self.steps):
            for operand, value in accesses(step):
                if isinstance(value, Place):
                    continue
                if value not in homes:
                    root, offset = ties.find(value)
                    if root not in groups:
                        low, sizes = ties.box(root)
                        groups[root] = Home(buffer_of(root), self._limits(buffer_of(root)), sizes, time, time), low
                    homes[value], low = groups[root]
                    offsets[value] = tuple(here - begin for here, begin in zip(offset, low, strict=True))
                assert isinstance(operand.access, OnChip)
                home = homes[value]
                home.end = max(home.end, time)
                home.constraints[self._constraint(step, numbered(operand.access.starts), offsets[value])] = None
        return homes, offsets

    def _constraint(self, step: Step, starts: tuple[tuple[int, Start], ...], offset: Places) -> Constraint:
        """What the conditions of a step say of the attributes that begin a box, and of nothing else."""
        selector, alpha = step.match.selector, step.match.alpha
        key = selector.name, alpha, offset, tuple([(which, id(start)) for which, start in starts])
        if key not in self._constraints:
            attributes = {start.attribute for _, start in starts if start.attribute}
            allowed = {*selector.alpha, *attributes}
            conditions = tuple(each for each in selector.conditions if attributes & names_of(each) and names_of(each) <= allowed)
            self._constraints[key] = Constraint(starts, alpha, conditions, offset)
        return self._constraints[key]

    def _fill(self, buffer: str, homes: Sequence[Home]) -> None:
        """Places all homes of one memory: first fit, then the solver."""
        living: list[Home] = []
        for free, begin, number in sorted((not home.fixed, home.begin, number) for number, home in enumerate(homes)):
            home = homes[number]
            if free:  # what has ended is in the way of none that begins later
                living = [each for each in living if each.end >= begin]
            if not (self._wanted.fit(home, living) or first_fit(home, living)):
                self._check_addressable(home)
                self._solve(buffer, homes, home)
                break
            living.append(home)
        for home in homes:
            self._wanted.note(home)

    def _check_addressable(self, home: Home) -> None:
        """Raises `NoRoom` where a home has no place in the empty memory either, because its instructions address different places."""
        for which in range(len(home.limits)):
            if next(home.places(which), None) is None:
                names = {constraint: name for (name, *_), constraint in self._constraints.items()}
                wanted = dict.fromkeys(f"{names[each]} {place}" for each in home.constraints if (place := each.wanted(which)))
                shape = self.graph.shape(self.steps[home.begin].number)
                raise NoRoom(f"{shape} in {home.buffer} has no place along coordinate {which} that suits all: {', '.join(wanted)}", home.buffer, home.begin)

    def _solve(self, buffer: str, homes: Sequence[Home], blocked: Home) -> None:
        """Places that the solver finds; `blocked` is the home that first fit had no place for."""
        along = _chosen(homes)
        times = {time for home in homes for time in (home.begin, home.end)}
        amounts = {time: sum(_amount(home, along) for home in homes if home.begin <= time <= home.end) for time in times}
        fullest = max(amounts, key=lambda time: (amounts[time], time))
        excess = amounts[fullest] / prod(homes[0].limits[which] for which in along)
        tried = excess <= 1
        if tried:
            found = solve_places(homes)
            if found is not None:
                for home, at in found.items():
                    home.at = at
                return
            fullest = blocked.begin
        raise NoRoom(self._problem(buffer, homes, fullest), buffer, fullest, excess, tried)

    def _problem(self, buffer: str, homes: Sequence[Home], time: int) -> str:
        """Which operator, which memory, how many bytes are needed and how many there are."""
        memory, step = self.accelerator.buffers[buffer], self.steps[time]
        element, whole = stored_bytes(memory.element), prod(homes[0].limits)
        along = _chosen(homes)
        needed = sum(_amount(home, along) for home in homes if home.begin <= time <= home.end)
        unit = whole // prod(homes[0].limits[which] for which in along)
        node = self.graph.classes[step.number][0]
        operator = "add" if node.opcode == "sum" else node.opcode
        here = f"{operator} -> {node.shape} ({step.match.selector.name})"
        has = f"{buffer} has {_count(memory)}, {whole * element} bytes"
        return f"{here}: {has}, and values that take {needed * unit * element} bytes are needed at the same time"

    def _host(self, plan: Plan, inputs: Sequence[Tensor]) -> tuple[dict[Tensor, int], dict[str, int]]:
        address: dict[Tensor, int] = {}
        memory: dict[str, int] = {}
        alignment = alignment_of(self.steps)
        kinds = {"input": 0, "constant": 1, "output": 2, "scratch": 3}
        tensors = dict.fromkeys([*inputs, *plan.tensors])
        for tensor in sorted(tensors, key=lambda each: kinds[each.kind]):
            if tensor in plan.shared:
                address[tensor] = address[plan.shared[tensor]]
                continue
            start = memory.get(tensor.buffer, alignment)
            start = -(-start // alignment) * alignment
            address[tensor] = start
            memory[tensor.buffer] = start + byte_size(self.graph.shape(tensor.number))
        for name, size in memory.items():
            limit = self.accelerator.buffers[name].access[0]
            if size > limit:
                raise NoRoom(f"{name} has {limit} bytes, and the inputs, outputs and constants of the kernel take {size}", name)
        return address, memory


def alignment_of(steps: Sequence[Step]) -> int:
    """Tensors in host memory begin at multiples of this, so that instructions that count in units of several bytes can address them."""
    starts = (access.start for step in steps for operand, _ in accesses(step) if isinstance(access := operand.access, InHost))
    return lcm(ALIGNMENT, *{start.scale for start in starts if start.attribute})


def _chosen(homes: Sequence[Home]) -> list[int]:
    """The coordinates along which the homes of one memory may lie apart."""
    return sorted({which for home in homes for which in home.free()}) or [0]


def _amount(home: Home, along: Sequence[int]) -> int:
    return prod(home.sizes[which] for which in along)


def _count(memory: Buffer) -> str:
    """`16 rows of 16 s8`."""
    rows, unit = "x".join(map(str, memory.access)), "x".join(map(str, memory.unit))
    return f"{rows} rows of {unit} {memory.element}" if memory.unit else f"{rows} {memory.element}"


def addresses(step: Step, allocation: Allocation) -> dict[str, int]:
    """The values of the address attributes of a step.  Raises `NoRoom` when an attribute would need two values."""
    alpha, beta = dict(step.match.alpha), {}
    for operand, value in accesses(step):
        for start, place in allocation.starts(operand, value):
            found = solve_start(start, place, alpha)
            if found is None or (start.attribute and beta.setdefault(start.attribute, found) != found):
                raise NoRoom(f"{step.match.selector.name} cannot address {operand.name} at {place}")
    for which, start, home in allocation.clobbered.get(step, ()):
        if start.attribute:
            beta.setdefault(start.attribute, solve_start(start, home.at[which], alpha) or 0)
    beta |= allocation.slots.get(step, {})
    for name in step.match.selector.beta:
        beta.setdefault(name, 0)
    return {name: beta[name] for name in step.match.selector.beta}
