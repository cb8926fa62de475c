"""A module definition to drivers: what each bit of each variable is, over the variables of the same module.

Done once per definition and parameters; `hierarchy` instantiates the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

from lift.errors import UserError
from lift.netlist.arrays import MAXIMUM_WORDS, find_memories, loop_variables, support, walk
from lift.netlist.builder import Builder
from lift.netlist.initial import ROM_WORDS, initial_values
from lift.netlist.model import Location, Node
from lift.netlist.module import Edge, If, Module, Process
from lift.netlist.parts import push_extract, split
from lift.netlist.ports import MemoryPort, merge_writes
from lift.netlist.processes import Executor, word_name


@dataclass(frozen=True, slots=True)
class Driver:
    """Bits [low + value.width - 1 : low] of a variable are `value`, or become `value` at `edge`."""

    low: int
    value: Node
    location: Location
    edge: Edge | None = None
    procedural: bool = False


@dataclass(slots=True)
class Lowered:
    """`variables` are widths, words of small arrays included; `memories` maps each memory to its write ports and their edges.  `initial`
    are the constants that initial blocks leave in variables, `contents` those in the words of memories."""

    module: Module
    variables: dict[str, int] = field(default_factory=dict)
    locations: dict[str, Location] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)
    drivers: dict[str, list[Driver]] = field(default_factory=dict)
    memories: dict[str, list[tuple[MemoryPort, Edge]]] = field(default_factory=dict)
    initial: dict[str, Node] = field(default_factory=dict)
    contents: dict[str, dict[int, Node]] = field(default_factory=dict)
    resets: list[Edge] = field(default_factory=list)

    def rom(self, memory: str) -> dict[int, Node] | None:
        """The contents of a memory of at most `ROM_WORDS` words that has some and is never written."""
        known = memory in self.contents and not self.memories[memory] and self.module.variables[memory].depth <= ROM_WORDS
        return self.contents[memory] if known else None


def lower(module: Module, builder: Builder) -> Lowered:
    """Execute the processes of `module` and collect the drivers of its variables.  Raises `UserError` for several drivers of a bit."""
    return _Lowering(module, builder).run()


class _Lowering:
    def __init__(self, module: Module, builder: Builder) -> None:
        self._b = builder
        self._memories = find_memories(module)
        outside = Executor(builder, module, self._memories)
        instances = [replace(i, inputs={n: outside.evaluate(v) for n, v in i.inputs.items()}) for i in module.instances]
        self._module = replace(module, instances=instances)
        self._out = Lowered(self._module)
        self._read_by: dict[str, set[str]] = {}
        self._outside_reads: set[str] | None = None

    def run(self) -> Lowered:
        self._declare()
        for assign in self._module.assigns:
            self._combinational(Process((assign,), (), assign.location), procedural=False)
        for process in self._module.processes:
            if process.edges:
                self._clocked(process)
            else:
                self._combinational(process, procedural=True)
        written = frozenset(name for name, ports in self._out.memories.items() if ports)
        driven = self._driven_at_once()
        self._out.initial, self._out.contents = initial_values(self._b, self._module, self._memories, driven, written)
        self._drop_temporaries()
        for name, op in self._module.resolutions.items():
            self._out.drivers[name] = list(self._resolved(op, self._out.drivers.get(name, [])))
        for name, drivers in self._out.drivers.items():
            if drivers and name in self._module.inputs:
                raise UserError(str(drivers[0].location), f"input '{name}' is assigned inside of its module", "make it an output")
            _check_single(name, drivers)
            self._out.drivers[name] = self._join(sorted(drivers, key=lambda d: d.low), self._out.variables[name])
        return self._out

    def _declare(self) -> None:
        for v in self._module.variables.values():
            self._out.locations[v.name] = v.location
            if v.depth > MAXIMUM_WORDS and v.name not in self._memories:
                problem = f"array '{v.name}' has {v.depth} words and is written outside of clocked processes"
                raise UserError(str(v.location), problem, f"write it at a clock edge, or use at most {MAXIMUM_WORDS} words")
            if v.depth and v.name in self._module.outputs:
                self._out.variables[v.name] = self._module.outputs[v.name]
                self._out.hidden.add(v.name)
            names = [word_name(self._module, v.name, k) for k in range(v.depth)] if v.depth else [v.name]
            if v.name in self._memories:
                self._out.memories[v.name] = []
                continue
            for name in names:
                self._out.variables[name] = v.width
                self._out.locations[name] = v.location
            if v.local:
                self._out.hidden.update(names)

    def _execute(self, process: Process) -> Executor:
        executor = Executor(self._b, self._module, self._memories)
        executor.run(process.body)
        return executor

    def _combinational(self, process: Process, procedural: bool) -> None:
        executor = self._execute(process)
        for write in executor.writes:
            raise UserError(str(write.location), f"memory '{write.memory}' is written outside a clocked process", "write it at a clock edge")
        if process.levels is not None:
            self._check_levels(process, process.levels, executor)
        for name, low, value in self._pieces(executor):
            for start, part in split(self._b, name, value):
                self._drive(name, Driver(low + start, part, executor.locations[name], None, procedural))

    def _check_levels(self, process: Process, levels: frozenset[str], executor: Executor) -> None:
        """A block that is not executed when something changes that it reads keeps old values: no combinational logic."""
        finals = executor.finals()
        for name in sorted(set[str]().union(*map(support, finals.values())) - finals.keys()):
            if not any(name == level or name.startswith(f"{level}[") for level in levels):
                problem = f"the sensitivity list lacks '{name}', which the block reads"
                raise UserError(str(process.location), problem, "write always @*, or complete the list")

    def _clocked(self, process: Process) -> None:
        edge, resets = split_edges(process)
        self._out.resets += resets
        executor = self._execute(process)
        for name, low, value in self._pieces(executor):
            self._drive(name, Driver(low, value, executor.locations[name], edge, True))
        for port in merge_writes(self._b, executor.writes):
            self._out.memories[port.memory].append((port, edge))

    def _driven_at_once(self) -> set[str]:
        """The variables whose value follows from others."""
        return set(self._module.inputs) | {name for name, drivers in self._out.drivers.items() if any(d.edge is None for d in drivers)}

    def _pieces(self, executor: Executor) -> Iterator[tuple[str, int, Node]]:
        for name, value in executor.finals().items():
            for low, width in runs(executor.covered[name]):
                yield name, low, push_extract(self._b, value, low, width)

    def _drive(self, name: str, driver: Driver) -> None:
        self._out.drivers.setdefault(name, []).append(driver)

    def _join(self, drivers: list[Driver], width: int) -> list[Driver]:
        """One register where several processes have a part each of one variable; `drivers` are sorted."""
        edge = drivers[0].edge
        together = all(d.edge == edge for d in drivers) and sum(d.value.width for d in drivers) == width
        if edge is None or not together or len(drivers) == 1:
            return drivers
        return [Driver(0, self._b.concat([d.value for d in reversed(drivers)]), drivers[0].location, edge, True)]

    def _resolved(self, op: str, drivers: list[Driver]) -> Iterator[Driver]:
        """One driver for each run of bits that the same `drivers` drive."""
        for driver in drivers:
            if any(n.op == "pin" for n in walk(driver.value)):
                what = "unsupported: an instance that drives a wired net together with others"  # the joined value would be seen inside it
                raise UserError(str(driver.location), what, "join the values by an assignment")
        ends = [(d, d.low, d.low + d.value.width) for d in drivers]
        for low, high in pairwise(sorted({edge for _, *both in ends for edge in both})):
            driving = [d for d, first, last in ends if first <= low and high <= last]
            if driving:
                values = [push_extract(self._b, d.value, low - d.low, high - low) for d in driving]
                value = values[0]
                for other in values[1:]:
                    value = self._b.op(op, value, other)
                yield Driver(low, value, driving[0].location)

    def _drop_temporaries(self) -> None:
        """Forget loop counters, and variables that several processes use for themselves only."""
        counters = {name for p in self._module.processes + self._module.initials for name in loop_variables(p.body)}
        for name, drivers in list(self._out.drivers.items()):
            shared = len({d.location for d in drivers}) > 1 and all(d.procedural for d in drivers)
            if (name in counters or name in self._out.hidden or shared) and not self._is_read(name):
                del self._out.drivers[name]
                self._out.hidden.add(name)

    def _is_read(self, name: str) -> bool:
        """Whether anything but its own drivers reads `name`."""
        return name in self._module.outputs or name in self._outside() or any(name in self._reads(n) for n in self._out.drivers if n != name)

    def _reads(self, name: str) -> set[str]:
        """The variables that the drivers of `name` read."""
        if name not in self._read_by:
            drivers = self._out.drivers[name]
            edges = [support(d.edge.signal) for d in drivers if d.edge]
            self._read_by[name] = set().union(*(support(d.value) for d in drivers), *edges)
        return self._read_by[name]

    def _outside(self) -> set[str]:
        """The variables that instances and memories read."""
        if self._outside_reads is None:
            nodes = [v for i in self._module.instances for v in i.inputs.values()]
            for port, _ in (entry for ports in self._out.memories.values() for entry in ports):
                nodes += [n for n in (port.enable, port.address, port.data, port.mask) if n is not None]
            self._outside_reads = set().union(*(support(n) for n in nodes))
        return self._outside_reads


def runs(mask: int) -> Iterator[tuple[int, int]]:
    """The (low, width) of the runs of ones in `mask`."""
    low = 0
    while mask:
        skip = (mask & -mask).bit_length() - 1
        low, mask = low + skip, mask >> skip
        width = (~mask & (mask + 1)).bit_length() - 1
        yield low, width
        low, mask = low + width, mask >> width


def split_edges(process: Process) -> tuple[Edge, list[Edge]]:
    """The clock of a process and its asynchronous resets: the edges whose signals the first conditions of the body test."""
    if len(process.edges) == 1:
        return process.edges[0], []
    tested, body = set[str](), process.body
    while body and isinstance(first := body[0], If):
        tested |= support(first.condition)
        body = first.otherwise
    clocks = [e for e in process.edges if not support(e.signal) & tested]
    if len(clocks) != 1:
        raise UserError(
            str(process.location),
            f"expected one clock in the sensitivity list, found {len(clocks)}",
            "test every asynchronous reset by an if at the beginning of the block",
        )
    return clocks[0], [e for e in process.edges if e is not clocks[0]]


def _check_single(name: str, drivers: list[Driver]) -> None:
    ordered = sorted(drivers, key=lambda d: d.low)
    for one, two in pairwise(ordered):
        if one.low + one.value.width > two.low:
            first, second = sorted((one.location, two.location), key=lambda at: (at.line, at.column))
            raise UserError(str(second), f"'{name}' has several drivers; another is at {first}", "drive each bit in one place")
