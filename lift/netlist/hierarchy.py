"""Lowered definitions to one flat `Netlist`.

Values are pulled: a variable is resolved bit range by bit range through its drivers, ports and instances, so that a vector whose
lanes feed each other is no loop.  A range that needs itself is a combinational loop, or a latch.
"""

from __future__ import annotations

from collections.abc import Mapping

from lift.errors import UserError
from lift.netlist.builder import Builder, pieces
from lift.netlist.clocking import check_clock, find_clock, find_reset
from lift.netlist.depth import deep_recursion
from lift.netlist.initial import table
from lift.netlist.lowering import Driver, Lowered, lower
from lift.netlist.model import Assertion, Memory, MemoryWrite, Netlist, Node, Register
from lift.netlist.module import VIOLATED, Design, Instance, Module
from lift.netlist.scope import Latch, Scope, bits_of, known, overlapping, register_name


def flatten(modules: Mapping[str, Module], top: str, builder: Builder) -> Netlist:
    """`modules` by key, of which `top` is the root; `builder` made their expressions."""
    with deep_recursion():
        return _Flattener(modules, builder).run(top)


class _Flattener:
    def __init__(self, modules: Mapping[str, Module], builder: Builder) -> None:
        self._modules, self._definitions = modules, builder
        self._lowered: dict[str, Lowered] = {}
        self._b = Builder()
        self._scopes: list[Scope] = []
        self._open: dict[tuple[Scope, str, int, int], Driver | None] = {}
        self._boxed: dict[str, int] = {}

    def run(self, top: str) -> Netlist:
        root = self._instantiate("", top, None, None)
        registers, memories = self._registers(), self._memories()
        assertions = self._assertions(registers)
        outputs = {n: self.variable(root, n, 0, w) for n, w in root.lowered.module.outputs.items()}
        top_inputs = root.lowered.module.inputs
        clock = find_clock(self._scopes, top_inputs, self.part)
        outputs |= {name: node for name, node in self._box_inputs().items() if not (node.op == "input" and node.attr == clock)}
        data = [r.next for r in registers.values()] + list(outputs.values())
        data += [n for m in memories.values() for w in m.writes for n in (w.enable, w.address, w.data, w.mask) if n is not None]
        if clock is not None:
            check_clock(clock, data, root.lowered.locations[clock])
        return Netlist(
            top=root.lowered.module.name,
            inputs=top_inputs | self._boxed,
            outputs=outputs,
            registers=registers,
            memories=memories,
            wires={n: w for n, w in self._wires(registers).items() if not _is_violation(n)},
            locations={s.full(n): at for s in self._scopes for n, at in s.lowered.locations.items() if n not in s.lowered.hidden},
            modules={s.path: s.lowered.module.name for s in self._scopes},
            clock=clock,
            reset=find_reset(self._scopes, top_inputs, self.part),
            constants={s.full(n): v for s in self._scopes for n, v in s.lowered.module.parameters.items()},
            assertions=assertions,
            design=Design(self._modules, top, self._definitions),
        )

    def _instantiate(self, path: str, key: str, parent: Scope | None, instance: Instance | None) -> Scope:
        if key not in self._lowered:
            self._lowered[key] = lower(self._modules[key], self._definitions)
        scope = Scope(path, self._lowered[key], parent, instance)
        self._scopes.append(scope)
        for child in scope.lowered.module.instances:
            if child.module is None:
                scope.boxes[child.name] = child
                self._boxed |= {scope.full(f"{child.name}.{port}"): width for port, width in child.outputs.items()}
            else:
                scope.children[child.name] = self._instantiate(scope.full(child.name), child.module, scope, child)
        return scope

    # Expressions

    def value(self, scope: Scope, node: Node) -> Node:
        """A node of the definition in `scope` as a node of the flat design."""
        found = scope.memo.get(node)
        if found is None:
            found = scope.memo[node] = self._value(scope, node)
        return found

    def _value(self, scope: Scope, node: Node) -> Node:
        match node.op:
            case "var" | "pin":
                return self.part(scope, node, 0, node.width)
            case "extract":
                assert isinstance(node.attr, int)
                return self.part(scope, node.args[0], node.attr, node.width)
            case "const":
                assert isinstance(node.attr, int)
                return self._b.const(node.attr & ~node.xmask, node.width, node.xmask, node.label)
            case "memread" if (words := scope.lowered.rom(str(node.attr))) is not None:
                variable = scope.lowered.module.variables[str(node.attr)]
                return table(self._b, self.value(scope, node.args[0]), words, variable.depth, variable.width)
            case "memread" | "undef":
                assert isinstance(node.attr, str)
                args = [self.value(scope, a) for a in node.args]
                return self._b.make(node.op, node.width, args, scope.full(node.attr))
        return self._b.make(node.op, node.width, [self.value(scope, a) for a in node.args], node.attr)

    def part(self, scope: Scope, node: Node, low: int, width: int) -> Node:
        """Bits [low + width - 1 : low] of `node`, resolving no more than they need."""
        match node.op:
            case "var":
                assert isinstance(node.attr, str)
                return self.variable(scope, node.attr, low, width)
            case "pin":
                assert isinstance(node.attr, str)
                return self._pin(scope, node.attr, low, width)
            case "extract":
                assert isinstance(node.attr, int)
                return self.part(scope, node.args[0], node.attr + low, width)
            case "concat":
                return self._b.concat([self.part(scope, p, lo, w) for p, lo, w in pieces(node.args, low, width)])
            case "zext" | "sext" if low + width <= node.args[0].width:
                return self.part(scope, node.args[0], low, width)
        return self._b.extract(self.value(scope, node), low, width)

    def _pin(self, scope: Scope, pin: str, low: int, width: int) -> Node:
        instance, _, port = pin.rpartition(".")
        if instance in scope.children:
            return self.variable(scope.children[instance], port, low, width)
        for name, child in scope.children.items():  # a variable deeper inside
            if pin.startswith(f"{name}."):
                rest = pin.removeprefix(f"{name}.")
                return self.variable(child, rest, low, width) if rest in child.lowered.variables else self._pin(child, rest, low, width)
        name = scope.full(pin)
        return self._b.extract(self._b.intern("input", self._boxed[name], (), name), low, width)

    def variable(self, scope: Scope, name: str, low: int, width: int) -> Node:
        """Bits [low + width - 1 : low] of a variable."""
        key = (name, low, width)
        found = scope.parts.get(key)
        if found is None:
            mark = (scope, name, low, width)
            if mark in self._open:
                self._report_loop(mark)
            self._open[mark] = None
            found = scope.parts[key] = self._variable(scope, name, low, width)
            del self._open[mark]
        return found

    def _variable(self, scope: Scope, name: str, low: int, width: int) -> Node:
        if name in scope.lowered.module.inputs:
            return self._input(scope, name, low, width)
        parts: list[Node] = []
        top = low + width
        for driver in overlapping(scope.lowered.drivers.get(name, []), low, width):
            end = min(top, driver.low + driver.value.width)
            if end < top:
                parts.append(self._undriven(scope, name, end, top - end))
            bottom = max(low, driver.low)
            parts.append(self._driven(scope, name, driver, bottom, end - bottom, (scope, name, low, width)))
            top = bottom
        if top > low:
            parts.append(self._undriven(scope, name, low, top - low))
        return self._b.concat(parts)

    def _driven(self, scope: Scope, name: str, driver: Driver, low: int, width: int, mark: tuple[Scope, str, int, int]) -> Node:
        if driver.edge is not None:
            register = self._b.intern("reg", driver.value.width, (), register_name(scope, name, driver))
            return self._b.extract(register, low - driver.low, width)
        self._open[mark] = driver
        return self.part(scope, driver.value, low - driver.low, width)

    def _undriven(self, scope: Scope, name: str, low: int, width: int) -> Node:
        initial = scope.lowered.initial.get(name)
        if initial is not None:  # and nothing changes it
            return self._b.extract(self._b.const(bits_of(initial), initial.width, initial.xmask), low, width)
        whole = width == scope.lowered.variables[name]
        return self._b.intern("undef", width, (), scope.full(name) + ("" if whole else f"[{low + width - 1}:{low}]"))

    def _input(self, scope: Scope, name: str, low: int, width: int) -> Node:
        if scope.parent is None:
            return self._b.extract(self._b.intern("input", scope.lowered.module.inputs[name], (), name), low, width)
        assert scope.instance is not None
        value = scope.instance.inputs.get(name)
        return self._undriven(scope, name, low, width) if value is None else self.part(scope.parent, value, low, width)

    def _report_loop(self, mark: tuple[Scope, str, int, int]) -> None:
        marks = list(self._open)
        cycle = marks[marks.index(mark) :]
        names = list(dict.fromkeys(scope.full(name) for scope, name, _, _ in cycle))
        drivers = [d for m in cycle if (d := self._open[m]) is not None]
        location = str(drivers[0].location if drivers else mark[0].lowered.locations[mark[1]])
        if len(names) == 1 and all(d.procedural for d in drivers):
            raise Latch(location, f"'{names[0]}' is not assigned on every path: a latch", "assign a default value first")
        raise UserError(location, f"combinational loop: {' <- '.join([*names, names[0]])}", "break it by a register")

    # State

    def _registers(self) -> dict[str, Register]:
        registers: dict[str, Register] = {}
        for scope in self._scopes:
            for name, drivers in scope.lowered.drivers.items():
                for driver in drivers:
                    if driver.edge is not None:
                        register = self._register(scope, name, driver)
                        registers[register.name] = register
        return registers

    def _assertions(self, registers: dict[str, Register]) -> tuple[Assertion, ...]:
        """The registers that violated assertions would set, taken out, as conditions."""
        found = [registers.pop(n) for n in list(registers) if _is_violation(n)]
        conditions = {self._b.op("not", self._unset(r.next, r.name)): r.location for r in found}
        return tuple(Assertion(holds, at) for holds, at in conditions.items())

    def _unset(self, value: Node, name: str) -> Node:
        """The next value of a register that was 0 before."""
        if value.op == "reg" and value.attr == name:
            return self._b.const(0, 1)
        return self._b.mux(value.args[0], *(self._unset(a, name) for a in value.args[1:])) if value.op == "mux" else value

    def _register(self, scope: Scope, name: str, driver: Driver) -> Register:
        width, value = driver.value.width, scope.lowered.initial.get(name)
        part = None if value is None else self._b.extract(value, driver.low, width)
        initial = None if part is None or part.xmask else bits_of(part)
        full = register_name(scope, name, driver)
        return Register(full, width, self.value(scope, driver.value), scope.lowered.locations[name], initial)

    def _memories(self) -> dict[str, Memory]:
        memories: dict[str, Memory] = {}
        for scope in self._scopes:
            for name, ports in scope.lowered.memories.items():
                if scope.lowered.rom(name) is not None:
                    continue
                variable = scope.lowered.module.variables[name]
                writes = tuple(
                    MemoryWrite(
                        self.value(scope, p.enable),
                        self.value(scope, p.address),
                        self.value(scope, p.data),
                        None if p.mask is None else self.value(scope, p.mask),
                    )
                    for p, _ in ports
                )
                full = scope.full(name)
                words = scope.lowered.contents.get(name, {})
                initial = tuple(known(words.get(k)) for k in range(variable.depth)) if words else ()
                memories[full] = Memory(full, variable.depth, variable.width, writes, variable.location, initial)
        return memories

    def _box_inputs(self) -> dict[str, Node]:
        return {
            scope.full(f"{box.name}.{port}"): self.value(scope, value)
            for scope in self._scopes
            for box in scope.boxes.values()
            for port, value in box.inputs.items()
        }

    def _wires(self, registers: Mapping[str, Register]) -> dict[str, Node]:
        wires: dict[str, Node] = {}
        for scope in self._scopes:
            for name, width in scope.lowered.variables.items():
                full = scope.full(name)
                if name not in scope.lowered.hidden and full not in registers:
                    try:
                        wires[full] = self.variable(scope, name, 0, width)
                    except Latch:  # that nothing needs: what the process leaves in a variable that is its own
                        self._open.clear()
        return wires


def _is_violation(name: str) -> bool:
    return name.rsplit(".", 1)[-1].startswith(VIOLATED)
