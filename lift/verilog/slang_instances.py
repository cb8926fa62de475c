"""slang's ports, instances and gates to those of `lift.netlist.module`."""

from __future__ import annotations

from typing import Any

import pyslang.ast as ast

from lift.errors import UserError
from lift.netlist.builder import Builder
from lift.netlist.gates import GATES
from lift.netlist.model import Location, Node
from lift.netlist.module import Assign, Instance, Module, Process, Target
from lift.verilog.slang_expressions import Expressions
from lift.verilog.slang_source import SourceMap
from lift.verilog.slang_types import definition_key, is_flat, width_of

_Kind = ast.SymbolKind
_Direction = ast.ArgumentDirection


class Instances:
    """Part of `ModuleConverter`."""

    _b: Builder
    _source: SourceMap
    _black_boxes: frozenset[str]
    _module: Module
    _expressions: Expressions
    _declared: list[Process]
    children: list[ast.InstanceSymbol]

    def _path(self, symbol: ast.Symbol) -> str:
        raise NotImplementedError

    def port(self, port: Any) -> None:
        """Declare a port of this module; an array is one vector of its words."""
        location = str(self._source.at(port.location))
        if port.kind != _Kind.Port or port.internalSymbol is None or port.internalSymbol.name != port.name:
            raise UserError(location, f"unsupported: port '{port.name}'", "use simple ports")
        if not is_flat(port.type):
            raise UserError(location, f"unsupported: port '{port.name}' of type '{port.type}'", "use vectors")
        match port.direction:
            case _Direction.In:
                self._module.inputs[port.name] = width_of(port.type)
            case _Direction.Out:
                self._module.outputs[port.name] = width_of(port.type)
            case _:
                raise UserError(location, f"unsupported: {port.direction.name} port '{port.name}'", "use an input and an output")

    def inside_of_port(self, port: Any) -> None:
        """What connects a port with the variable of its name: words of an array, and an initial value."""
        symbol, location = port.internalSymbol, self._source.at(port.location)
        if port.type.isUnpackedArray:
            words, vector = self._expressions.whole(symbol, symbol), Target(port.name, width_of(port.type))
            if port.direction == _Direction.In:
                self._module.assigns.append(Assign(words, self._b.intern("var", vector.width, (), port.name), location))
            else:
                parts = [self._b.intern("word", w.width, (w.index,), w.name) for w in words if w.index is not None]
                self._module.assigns.append(Assign((vector,), self._b.concat(parts), location))
        if port.direction == _Direction.Out and port.initializer is not None and symbol.kind == _Kind.Variable:
            value = self._expressions.expression(port.initializer)
            self._declared.append(Process((Assign(self._expressions.whole(symbol, symbol), value, location),), (), location))

    def instance(self, symbol: ast.InstanceSymbol) -> None:
        """An instance of a module of the design, or of a black box."""
        name = self._path(symbol)
        location = self._source.at(symbol.location)
        if not symbol.isModule:
            raise UserError(str(location), f"unsupported: interface '{name}'", "use ports")
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
