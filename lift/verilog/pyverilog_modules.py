"""One definition of pyverilog's syntax tree with given parameters to a `Module`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lift.errors import UserError
from lift.netlist.builder import Builder
from lift.netlist.gates import GATES
from lift.netlist.model import Location
from lift.netlist.module import Module, Process, Variable
from lift.verilog.pyverilog_functions import Functions
from lift.verilog.pyverilog_generate import Generate, flat
from lift.verilog.pyverilog_instances import Design, Elaborated, Instances, Port
from lift.verilog.pyverilog_parse import tree
from lift.verilog.pyverilog_scope import Constant, FunctionName, GenerateVariable, Scope, Signal
from lift.verilog.pyverilog_text import SourceText


class Elaborator:
    """Elaborates `definition`."""

    def __init__(self, definition: Any, source: SourceText, builder: Builder, design: Design) -> None:
        self._definition, self._source, self._b = definition, source, builder
        self._module = Module(definition.name, source.at(definition.lineno))
        functions = Functions(builder, source, self._module, self._declare)
        self._expressions, self._statements = functions.expressions, functions.statements
        self._generate = Generate(builder, self._expressions, self._items)
        self._instances = Instances(builder, self._expressions, self._module, design)
        self._ports: dict[str, Port] = {}

    def run(self, overrides: Mapping[str | int, Constant], at: Location | None) -> Elaborated:
        """The whole module, instantiated at `at`."""
        scope = Scope()
        items = list(flat(self._definition.items))
        self._parameters(items, overrides, scope, at)
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

    def _parameters(self, items: list[Any], overrides: Mapping[str | int, Constant], scope: Scope, at: Location | None) -> None:
        header = [p for d in self._definition.paramlist.params for p in d.list]
        body = [p for d in items if isinstance(d, tree.Decl) for p in d.list if type(p) is tree.Parameter]
        names = [p.name for p in header or body]
        given = {names[k] if isinstance(k, int) and k < len(names) else k: value for k, value in overrides.items()}
        for name in given:
            if name not in names:
                advice = f"its parameters are: {', '.join(names) or 'none'}"
                raise UserError(at and str(at), f"module '{self._definition.name}' has no parameter '{name}'", advice)
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
        before = scope.names.get(getattr(item, "name", None) or "")
        if before is not None and not (isinstance(before, Signal) and before.open and isinstance(item, (tree.Wire, tree.Reg, tree.Integer))):
            raise UserError(str(self._source.at(item.lineno)), f"'{item.name}' is declared twice", "remove one of the declarations")
        match item:
            case tree.Decl():
                for part in item.list:
                    self._declare(part, scope)
            case tree.Parameter():
                self._parameter(item, scope)
            case tree.Genvar():
                scope.names[item.name] = GenerateVariable()
            case tree.Function() | tree.Task():
                scope.names[item.name] = FunctionName(item, scope)
            case tree.Input() | tree.Output() | tree.Wire() | tree.Reg() | tree.Integer():
                self._signal(item, scope)
                if item.value is not None:
                    raise self._expressions.unsupported(item, "an initial value of an integer", "assign it in an initial block")
            case tree.Inout() | tree.Tri() | tree.Real():
                raise self._expressions.unsupported(item, f"'{item.name}' of this kind", "use inputs, outputs, wires and regs")

    def _signal(self, item: Any, scope: Scope) -> None:
        left, right = (31, 0) if isinstance(item, tree.Integer) else self._range(item.width, scope)
        dimensions = tuple(self._range(d, scope) for d in item.dimensions.lengths) if item.dimensions is not None else ()
        before, is_port = scope.names.get(item.name), isinstance(item, (tree.Input, tree.Output))
        signed = bool(item.signed) or (isinstance(before, Signal) and before.signed)
        if isinstance(before, Signal):
            if item.width is None and not isinstance(item, tree.Integer):
                left, right = before.left, before.right
            if (left, right) != (before.left, before.right):
                raise UserError(str(self._source.at(item.lineno)), f"'{item.name}' is declared with two ranges", "declare it with one")
        is_net = isinstance(item, tree.Wire) or (is_port and not scope.local)
        signal = Signal(scope.prefix + item.name, left, right, signed, dimensions, is_net, is_port)
        scope.names[item.name] = self._expressions.signals[signal.name] = signal
        if is_port and not scope.prefix:
            self._ports[item.name] = Port(signal.width, signed, isinstance(item, tree.Input))
        elif item.name in self._ports and not scope.prefix:
            self._ports[item.name] = Port(signal.width, signed, self._ports[item.name].is_input)
        depth, base = (1, 0) if dimensions else (0, 0)
        for one, two in dimensions:
            depth *= abs(one - two) + 1
        if len(dimensions) == 1:
            base = min(dimensions[0])
        at = self._source.of(item.name, item.lineno)
        self._module.variables[signal.name] = Variable(signal.name, signal.width, at, depth, base, scope.local)

    def _range(self, width: Any, scope: Scope) -> tuple[int, int]:
        return (0, 0) if width is None else (self._expressions.integer(width.msb, scope), self._expressions.integer(width.lsb, scope))

    # Items

    def _items(self, items: list[Any], scope: Scope) -> None:
        for item in items:
            if isinstance(item, (tree.Decl, tree.Function, tree.Task)):
                self._declare(item, scope)
        for item in items:
            self._item(item, scope)

    def _item(self, item: Any, scope: Scope) -> None:
        match item:
            case tree.Decl():
                self._initial_values(item, scope)
            case tree.Assign():
                self._module.assigns.append(self._statements.assignment(item, scope, nets=True))
            case tree.Initial() | tree.Always():
                process = self._statements.process(item, scope)
                if process.body:
                    (self._module.initials if isinstance(item, tree.Initial) else self._module.processes).append(process)
            case tree.InstanceList() if item.module in GATES:
                for instance in item.instances:
                    self._instances.gate(instance, scope)
            case tree.InstanceList():
                for instance in item.instances:
                    self._instances.instance(instance, scope)
            case tree.ForStatement():
                self._generate.loop(item, scope)
            case tree.IfStatement():
                self._generate.condition(item, scope)
            case tree.CaseStatement():
                self._generate.case(item, scope)
            case tree.Function() | tree.Task() | None:
                pass
            case _:
                raise self._expressions.unsupported(item, type(item).__name__)

    def _initial_values(self, item: Any, scope: Scope) -> None:
        """`wire x = ...` is an assignment, `reg x = ...` an initial value."""
        for declared, value in zip(item.list, item.list[1:], strict=False):
            if isinstance(value, tree.Assign):
                assign = self._statements.assignment(value, scope, nets=not isinstance(declared, tree.Reg))
                if isinstance(declared, tree.Reg):
                    self._module.initials.append(Process((assign,), (), assign.location))
                else:
                    self._module.assigns.append(assign)
