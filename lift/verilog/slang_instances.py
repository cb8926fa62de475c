"""slang's ports, instances and gates to those of `lift.netlist.module`."""

from __future__ import annotations

from typing import Any, cast

import pyslang.ast as ast

from lift.errors import UserError
from lift.netlist.builder import Builder
from lift.netlist.gates import GATES
from lift.netlist.model import Location, Node
from lift.netlist.module import Assign, Instance, Module, Process, Target
from lift.verilog.slang_expressions import Expressions
from lift.verilog.slang_source import SourceMap
from lift.verilog.slang_types import definition_key, interface_signals, is_flat, width_of

_Kind = ast.SymbolKind
_Direction = ast.ArgumentDirection


class Instances:
    """Part of `ModuleConverter`."""

    _b: Builder
    _source: SourceMap
    _black_boxes: frozenset[str]
    _module: Module
    _expressions: Expressions
    _names: dict[ast.Symbol, str]
    _declared: list[Process]
    children: list[ast.InstanceSymbol]

    def _path(self, symbol: ast.Symbol) -> str:
        raise NotImplementedError

    def _variable(self, symbol: Any, name: str, local: bool = False) -> None:
        raise NotImplementedError

    def _members(self, scope: Any) -> None:
        raise NotImplementedError

    def port(self, port: Any) -> None:
        """Declare a port of this module; an array is one vector of its words.  A port that is an interface is a port for each signal of its modport."""
        location = self._source.at(port.location)
        if port.kind == _Kind.InterfacePort:
            for name, signal in interface_signals(port, port.connection, location):
                self._declare_port(name, signal, location)
                self._variable(signal, name)
                self._names[signal] = name
                if self._names.setdefault(signal.internalSymbol, name) != name:
                    other = self._names[signal.internalSymbol].rpartition(".")[0]
                    raise UserError(str(location), f"unsupported: ports '{other}' and '{port.name}' on one interface", "use an interface for each")
            return
        if port.kind != _Kind.Port or port.internalSymbol is None or port.internalSymbol.name != port.name:
            raise UserError(str(location), f"unsupported: port '{port.name}'", "use simple ports")
        self._declare_port(port.name, port, location)

    def _declare_port(self, name: str, port: Any, location: Location) -> None:
        if not is_flat(port.type):
            raise UserError(str(location), f"unsupported: port '{name}' of type '{port.type}'", "use vectors")
        match port.direction:
            case _Direction.In:
                self._module.inputs[name] = width_of(port.type)
            case _Direction.Out:
                self._module.outputs[name] = width_of(port.type)
            case _:
                raise UserError(str(location), f"unsupported: {port.direction.name} port '{name}'", "use an input and an output")

    def inside_of_port(self, port: Any) -> None:
        """What connects a port with the variable of its name: words of an array, and an initial value."""
        location = self._source.at(port.location)
        if port.kind == _Kind.InterfacePort:
            for name, signal in interface_signals(port, port.connection, location):
                self._words_of_port(name, signal, signal, location)
            return
        symbol = port.internalSymbol
        self._words_of_port(port.name, port, symbol, location)
        if port.direction == _Direction.Out and port.initializer is not None and symbol.kind == _Kind.Variable:
            value = self._expressions.expression(port.initializer)
            self._declared.append(Process((Assign(self._expressions.whole(symbol, symbol), value, location),), (), location))

    def _words_of_port(self, name: str, port: Any, symbol: Any, location: Location) -> None:
        if not port.type.isUnpackedArray:
            return
        words, vector = self._expressions.whole(symbol, symbol), Target(name, width_of(port.type))
        if port.direction == _Direction.In:
            self._module.assigns.append(Assign(words, self._b.intern("var", vector.width, (), name), location))
        else:
            parts = [self._b.intern("word", w.width, (w.index,), w.name) for w in words if w.index is not None]
            self._module.assigns.append(Assign((vector,), self._b.concat(parts), location))

    def interfaces(self, scope: Any) -> None:
        """Declare what the interfaces in `scope` hold, as variables of this module: `bus.valid`."""
        for member in scope:
            match member.kind:
                case _Kind.Instance if not member.isModule:
                    self._interface(member)
                case _Kind.InstanceArray:
                    self.interfaces(member.elements)
                case _Kind.GenerateBlock if not member.isUninstantiated:
                    self.interfaces(member)
                case _Kind.GenerateBlockArray:
                    self.interfaces(member.entries)

    def _interface(self, symbol: ast.InstanceSymbol) -> None:
        location, body = self._source.at(symbol.location), cast(Any, symbol.body)
        for connection in cast(Any, symbol.portConnections):
            port, value = connection.port, connection.expression
            if port.kind != _Kind.Port or port.direction not in (_Direction.In, _Direction.Out) or port.internalSymbol is None:
                advice = "give the interface inputs and outputs, of the names of its variables"
                raise UserError(str(location), f"unsupported: port '{port.name}' of interface '{self._path(symbol)}'", advice)
            inner = port.internalSymbol
            self._names[inner] = self._path(inner)
            self._variable(inner, self._path(inner))
            if value is None:
                continue
            inside = self._expressions.whole(inner, inner)
            if port.direction == _Direction.In:
                self._module.assigns.append(Assign(inside, self._expressions.expression(value), location))
            else:
                whole = self._b.intern("var", width_of(port.type), (), self._path(inner))
                driven = self._b.resize(whole, width_of(value.left.type), port.type.isSigned)
                self._module.assigns.append(Assign(self._expressions.targets(value.left), driven, location))
        self.interfaces(body)
        self._members(body)

    def instance(self, symbol: ast.InstanceSymbol) -> None:
        """An instance of a module of the design, or of a black box."""
        if not symbol.isModule:
            return  # see `interfaces`
        name = self._path(symbol)
        location = self._source.at(symbol.location)
        definition = symbol.definition.name
        boxed = definition in self._black_boxes
        inputs: dict[str, Node] = {}
        outputs: dict[str, int] = {}
        for connection in symbol.portConnections:
            self._connect(name, connection, inputs, outputs, location)
        if not boxed:
            self.children.append(symbol)
        key = None if boxed else definition_key(symbol)
        self._module.instances.append(Instance(name, definition, key, inputs, location, outputs))

    def _connect(self, instance: str, connection: Any, inputs: dict[str, Node], outputs: dict[str, int], location: Location) -> None:
        port, value = connection.port, connection.expression
        if port.kind == _Kind.InterfacePort:
            for name, signal in interface_signals(port, connection.ifaceConn, location):
                self._connect_signal(f"{instance}.{name}", name, signal, inputs, outputs, location)
            return
        if port.kind != _Kind.Port or port.direction not in (_Direction.In, _Direction.Out):
            raise UserError(str(location), f"unsupported: connection of port '{port.name}'", "use an input and an output")
        if port.direction == _Direction.In:
            if value is not None:
                inputs[port.name] = self._expressions.expression(value)
            return
        outputs[port.name] = width_of(port.type)
        if value is not None:
            pin = self._b.intern("pin", width_of(port.type), (), f"{instance}.{port.name}")
            driven = self._b.resize(pin, width_of(value.left.type), port.type.isSigned)
            self._module.assigns.append(Assign(self._expressions.targets(value.left), driven, location))

    def _connect_signal(self, pin: str, name: str, signal: Any, inputs: dict[str, Node], outputs: dict[str, int], location: Location) -> None:
        """Connect one signal of an interface with the port of an instance that stands for it."""
        variable, width = signal.internalSymbol, width_of(signal.type)
        whole = self._expressions.whole(variable, variable)
        match signal.direction:
            case _Direction.In:
                parts = [self._b.intern("var", t.width, (), t.name) if t.index is None else self._b.intern("word", t.width, (t.index,), t.name) for t in whole]
                inputs[name] = self._b.concat(parts)
            case _Direction.Out:
                outputs[name] = width
                self._module.assigns.append(Assign(whole, self._b.intern("pin", width, (), pin), location))
            case direction:
                raise UserError(str(location), f"unsupported: {direction.name} signal '{name}' of an interface", "use an input and an output")

    def gate(self, symbol: ast.PrimitiveInstanceSymbol) -> None:
        """A gate: the first connection is the output; buf and not have one input, the last."""
        location, kind = self._source.at(symbol.location), symbol.primitiveType.name
        if kind not in GATES:
            raise UserError(str(location), f"unsupported: gate '{kind}'", "use an assignment")
        if symbol.delay is not None:
            raise UserError(str(location), f"unsupported: a delay of gate '{symbol.name}'", "remove it")
        connections = list(symbol.portConnections)
        split = len(connections) - 1 if kind in ("buf", "not") else 1
        op, inverted = GATES[kind]
        first, *others = [self._b.extract(self._expressions.expression(c), 0, 1) for c in connections[split:]]
        value = first
        for other in others:
            value = self._b.op(op, value, other)
        value = self._b.op("not", value) if inverted else value
        for output in connections[:split]:
            assert isinstance(output, ast.AssignmentExpression)
            targets = self._expressions.targets(output.left)
            self._module.assigns.append(Assign(targets, self._b.extend(value, sum(t.width for t in targets), False), location))
