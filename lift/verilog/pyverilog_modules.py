"""One definition of pyverilog's syntax tree with given parameters to a `Module`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from lift.errors import UserError
from lift.netlist.builder import Builder
from lift.netlist.gates import GATES
from lift.netlist.model import Location, Node
from lift.netlist.module import Assign, Instance, Module, Process, Variable
from lift.verilog.pyverilog_functions import Functions
from lift.verilog.pyverilog_parse import tree
from lift.verilog.pyverilog_scope import Constant, FunctionName, GenerateVariable, Scope, Signal
from lift.verilog.pyverilog_text import SourceText

MAXIMUM_TURNS = 1 << 14


@dataclass(frozen=True, slots=True)
class Port:
    width: int
    signed: bool
    is_input: bool


@dataclass(slots=True)
class Elaborated:
    """A module with its ports in order; `key` tells it from the same definition with other parameters."""

    key: str
    module: Module
    ports: dict[str, Port] = field(default_factory=dict)


class Design(Protocol):
    """What an elaborator needs of the other definitions."""

    def elaborate(self, name: str, overrides: Mapping[str | int, Constant], at: Location) -> Elaborated:
        """The definition `name` with parameters given by name or position."""
        ...

    def is_black_box(self, name: str) -> bool:
        """Whether instances of `name` stay outside."""
        ...


class Elaborator:
    """Elaborates `definition`."""

    def __init__(self, definition: Any, source: SourceText, builder: Builder, design: Design) -> None:
        self._definition, self._source, self._b, self._design = definition, source, builder, design
        self._module = Module(definition.name, source.at(definition.lineno))
        functions = Functions(builder, source, self._module, self._declare)
        self._expressions, self._statements = functions.expressions, functions.statements
        self._ports: dict[str, Port] = {}

    def run(self, overrides: Mapping[str | int, Constant]) -> Elaborated:
        """The whole module."""
        scope = Scope()
        items = list(_flat(self._definition.items))
        self._parameters(items, overrides, scope)
        for port in self._definition.portlist.ports:
            if isinstance(port, tree.Ioport):
                for part in (port.first, port.second):
                    self._declare(part, scope)
        self._items(items, scope)
        self._check_ports()
        values = [f"{name}={c.node.attr}:{c.node.width}" for name, c in scope.names.items() if isinstance(c, Constant)]
        return Elaborated(f"{self._definition.name}({', '.join(values)})", self._module, self._ports)

    def _check_ports(self) -> None:
        ports: dict[str, Port] = {}
        for port in self._definition.portlist.ports:
            name = port.first.name if isinstance(port, tree.Ioport) else port.name
            if name not in self._ports:
                raise UserError(str(self._source.at(port.lineno)), f"port '{name}' has no direction", "declare it as input or output")
            ports[name] = self._ports[name]
        self._ports = ports
        self._module.inputs = {n: p.width for n, p in ports.items() if p.is_input}
        self._module.outputs = {n: p.width for n, p in ports.items() if not p.is_input}

    # Declarations

    def _parameters(self, items: list[Any], overrides: Mapping[str | int, Constant], scope: Scope) -> None:
        header = [p for d in self._definition.paramlist.params for p in d.list]
        body = [p for d in items if isinstance(d, tree.Decl) for p in d.list if type(p) is tree.Parameter]
        names = [p.name for p in header or body]
        given = {names[k] if isinstance(k, int) and k < len(names) else k: value for k, value in overrides.items()}
        for name in given:
            if name not in names:
                advice = f"its parameters are: {', '.join(names) or 'none'}"
                raise UserError(None, f"module '{self._definition.name}' has no parameter '{name}'", advice)
        self._given = {str(name): value for name, value in given.items()}
        for parameter in header:
            self._parameter(parameter, scope)

    def _parameter(self, p: Any, scope: Scope) -> None:
        given = self._given.get(p.name) if not scope.prefix and type(p) is tree.Parameter else None
        value = given or Constant(self._expressions.own(p.value, scope), self._expressions.size(p.value, scope)[1])
        if p.width is not None:
            width = self._range(p.width, scope)
            size = abs(width[0] - width[1]) + 1
            node = self._b.resize(value.node, size, value.signed) if given else self._expressions.assigned(p.value, size, scope)
            value = Constant(node, p.signed)
        elif p.signed:
            value = Constant(value.node, True)
        node = value.node
        if node.op != "const" or not isinstance(node.attr, int):
            raise UserError(str(self._source.at(p.lineno)), f"the value of parameter '{p.name}' is not constant", "use constants")
        scope.names[p.name] = Constant(self._b.const(node.attr, node.width, node.xmask, p.name), value.signed)
        if not node.xmask:
            self._module.parameters[scope.prefix + p.name] = node.attr

    def _declare(self, item: Any, scope: Scope) -> None:
        """Enter what `item` declares into `scope`."""
        match item:
            case tree.Decl():
                for part in item.list:
                    self._declare(part, scope)
            case tree.Parameter():
                self._parameter(item, scope)
            case tree.Genvar():
                scope.names[item.name] = GenerateVariable()
            case tree.Function():
                scope.names[item.name] = FunctionName(item)
            case tree.Input() | tree.Output() | tree.Wire() | tree.Reg() | tree.Integer():
                self._signal(item, scope)
                if item.value is not None:
                    raise self._expressions.unsupported(item, "an initial value of an integer", "assign it in an initial block")
            case tree.Inout() | tree.Tri() | tree.Real():
                raise self._expressions.unsupported(item, f"'{item.name}' of this kind", "use inputs, outputs, wires and regs")

    def _signal(self, item: Any, scope: Scope) -> None:
        left, right = (31, 0) if isinstance(item, tree.Integer) else self._range(item.width, scope)
        dimensions = tuple(self._range(d, scope) for d in item.dimensions.lengths) if item.dimensions is not None else ()
        before = scope.names.get(item.name)
        if isinstance(before, Signal) and item.width is None and not isinstance(item, tree.Integer):
            left, right = before.left, before.right
        signed = bool(item.signed) or (isinstance(before, Signal) and before.signed)
        signal = Signal(scope.prefix + item.name, left, right, signed, dimensions)
        scope.names[item.name] = signal
        if isinstance(item, (tree.Input, tree.Output)) and not scope.prefix:
            self._ports[item.name] = Port(signal.width, signed, isinstance(item, tree.Input))
        elif item.name in self._ports and not scope.prefix:
            self._ports[item.name] = Port(signal.width, signed, self._ports[item.name].is_input)
        depth, base = (1, 0) if dimensions else (0, 0)
        for one, two in dimensions:
            depth *= abs(one - two) + 1
        if len(dimensions) == 1:
            base = min(dimensions[0])
        at = self._source.at(item.lineno)
        self._module.variables[signal.name] = Variable(signal.name, signal.width, at, depth, base, scope.local)

    def _range(self, width: Any, scope: Scope) -> tuple[int, int]:
        return (0, 0) if width is None else (self._expressions.integer(width.msb, scope), self._expressions.integer(width.lsb, scope))

    # Items

    def _items(self, items: list[Any], scope: Scope) -> None:
        for item in items:
            if isinstance(item, (tree.Decl, tree.Function)):
                self._declare(item, scope)
        for item in items:
            self._item(item, scope)

    def _item(self, item: Any, scope: Scope) -> None:
        match item:
            case tree.Decl():
                self._initial_values(item, scope)
            case tree.Assign():
                self._module.assigns.append(self._statements.assignment(item, scope))
            case tree.Initial() | tree.Always():
                process = self._statements.process(item, scope)
                if process.body:
                    (self._module.initials if isinstance(item, tree.Initial) else self._module.processes).append(process)
            case tree.InstanceList() if item.module in GATES:
                for instance in item.instances:
                    self._gate(instance, scope)
            case tree.InstanceList():
                for instance in item.instances:
                    self._instance(instance, scope)
            case tree.ForStatement():
                self._generate_for(item, scope)
            case tree.IfStatement():
                self._generate_if(item, scope)
            case tree.Function() | tree.Pragma() | None:
                pass
            case _:
                raise self._expressions.unsupported(item, type(item).__name__)

    def _initial_values(self, item: Any, scope: Scope) -> None:
        """`wire x = ...` is an assignment, `reg x = ...` an initial value."""
        for declared, value in zip(item.list, item.list[1:], strict=False):
            if isinstance(value, tree.Assign):
                assign = self._statements.assignment(value, scope)
                if isinstance(declared, tree.Reg):
                    self._module.initials.append(Process((assign,), (), assign.location))
                else:
                    self._module.assigns.append(assign)

    # Generate

    def _generate_for(self, item: Any, scope: Scope) -> None:
        name, turns = item.pre.left.var.name, 0
        scope.constructs += 1
        block = item.statement.scope if isinstance(item.statement, tree.Block) and item.statement.scope else f"genblk{scope.constructs}"
        if not isinstance(scope.find(name), GenerateVariable):
            raise self._expressions.unsupported(item, f"a generate loop over '{name}', which is no genvar", "declare it as genvar")
        outer = Scope(scope.prefix, scope)
        index = self._expressions.integer(item.pre.right, scope)
        while True:
            outer.names[name] = Constant(self._b.const(index, 32), True)
            if not self._expressions.integer(item.cond, outer):
                return
            inner = outer.inner(f"{block}[{index}]")
            inner.names[name] = outer.names[name]
            self._items(_block_items(item.statement), inner)
            index, turns = self._expressions.integer(item.post.right, outer), turns + 1
            if turns > MAXIMUM_TURNS:
                raise UserError(str(self._source.at(item.lineno)), f"the loop does not end within {MAXIMUM_TURNS} turns", "use constant bounds")

    def _generate_if(self, item: Any, scope: Scope, counted: bool = False) -> None:
        scope.constructs += not counted
        taken = item.true_statement if self._expressions.integer(item.cond, scope) else item.false_statement
        if taken is None:
            return
        if isinstance(taken, tree.IfStatement):
            return self._generate_if(taken, scope, counted=True)
        name = taken.scope if isinstance(taken, tree.Block) and taken.scope else f"genblk{scope.constructs}"
        self._items(_block_items(taken), scope.inner(name))

    # Instances

    def _instance(self, item: Any, scope: Scope) -> None:
        at, name = self._source.at(item.lineno), scope.prefix + item.name
        if item.array is not None:
            raise self._expressions.unsupported(item, f"an array of instances '{item.name}'", "use a generate loop")
        overrides: dict[str | int, Constant] = {}
        for number, argument in enumerate(item.parameterlist):
            value = Constant(self._expressions.own(argument.argname, scope), self._expressions.size(argument.argname, scope)[1])
            overrides[argument.paramname or number] = value
        child = self._design.elaborate(item.module, overrides, at)
        connected = self._connections(item, child)
        inputs: dict[str, Node] = {}
        for port_name, value in connected.items():
            port = child.ports[port_name]
            if port.is_input and value is not None:
                inputs[port_name] = self._expressions.assigned(value, port.width, scope)
            elif value is not None:
                self._output(name, port_name, port, value, scope, at)
        key = None if self._design.is_black_box(item.module) else child.key
        self._module.instances.append(Instance(name, item.module, key, inputs, at, dict(child.module.outputs)))

    def _connections(self, item: Any, child: Elaborated) -> dict[str, Any]:
        names, connected = list(child.ports), dict[str, Any]()
        for number, argument in enumerate(item.portlist):
            known = argument.portname in child.ports if argument.portname else number < len(names)
            if not known:
                what = f"port '{argument.portname}' does not exist in '{item.module}'" if argument.portname else "too many ports"
                raise UserError(str(self._source.at(argument.lineno)), what, f"the ports are: {', '.join(names)}")
            connected[argument.portname or names[number]] = argument.argname
        return connected

    def _output(self, instance: str, name: str, port: Port, value: Any, scope: Scope, at: Location) -> None:
        targets = self._expressions.targets(value, scope)
        pin = self._b.intern("pin", port.width, (), f"{instance}.{name}")
        driven = self._b.resize(pin, sum(t.width for t in targets), port.signed)
        self._module.assigns.append(Assign(targets, driven, at))

    def _gate(self, item: Any, scope: Scope) -> None:
        first, *others = [argument.argname for argument in item.portlist]
        op, inverted = GATES[item.module]
        if item.module in ("buf", "not") and len(others) != 1:
            raise self._expressions.unsupported(item, f"gate '{item.module}' with several outputs", "use an assignment")
        value = self._expressions.assigned(others[0], 1, scope)
        for other in others[1:]:
            value = self._b.op(op, value, self._expressions.assigned(other, 1, scope))
        value = self._b.op("not", value) if inverted else value
        self._module.assigns.append(Assign(self._expressions.targets(first, scope), value, self._source.at(item.lineno)))


def _flat(items: Iterable[Any]) -> Iterator[Any]:
    """The items with those of generate regions, which are no scopes."""
    for item in items or ():
        if isinstance(item, tree.GenerateStatement):
            yield from _flat(item.items)
        else:
            yield item


def _block_items(block: Any) -> list[Any]:
    return list(_flat(block.statements if isinstance(block, tree.Block) else [block]))


