"""Instances of modules and gates to those of `lift.netlist.module` (IEEE 1364-2005, 7.1 and 12.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from lift.errors import UserError
from lift.netlist.builder import Builder
from lift.netlist.gates import GATES
from lift.netlist.model import Location, Node
from lift.netlist.module import Assign, Instance, Module
from lift.verilog.pyverilog_expressions import Expressions
from lift.verilog.pyverilog_scope import Constant, Scope


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


class Instances:
    """The instances in `module`."""

    def __init__(self, builder: Builder, expressions: Expressions, module: Module, design: Design) -> None:
        self._b, self._expressions, self._module, self._design = builder, expressions, module, design

    def instance(self, item: Any, scope: Scope) -> None:
        """An instance of a module: its inputs are values, its outputs pins that drive their connections."""
        at, name = self._expressions.at(item), scope.prefix + item.name
        if item.array is not None:
            raise self._expressions.unsupported(item, f"an array of instances '{item.name}'", "use a generate loop")
        if not item.name:
            raise self._expressions.unsupported(item, f"an instance of '{item.module}' without a name", "name it")
        child = self._design.elaborate(item.module, self._overrides(item, scope), at)
        inputs: dict[str, Node] = {}
        for port_name, value in self._connections(item, child).items():
            port = child.ports[port_name]
            if port.is_input and value is not None:
                inputs[port_name] = self._expressions.assigned(value, port.width, scope)
            elif value is not None:
                self._output(name, port_name, port, value, scope, at)
        key = None if self._design.is_black_box(item.module) else child.key
        self._module.instances.append(Instance(name, item.module, key, inputs, at, dict(child.module.outputs)))

    def gate(self, item: Any, scope: Scope) -> None:
        """A gate: an assignment to its first connection."""
        first, *others = [argument.argname for argument in item.portlist]
        op, inverted = GATES[item.module]
        if item.module in ("buf", "not") and len(others) != 1:
            raise self._expressions.unsupported(item, f"gate '{item.module}' with several outputs", "use an assignment")
        if item.array is not None:
            raise self._expressions.unsupported(item, f"an array of gates '{item.name}'", "use an assignment")
        value = self._expressions.assigned(others[0], 1, scope)
        for other in others[1:]:
            value = self._b.op(op, value, self._expressions.assigned(other, 1, scope))
        value = self._b.op("not", value) if inverted else value
        targets = self._expressions.targets(first, scope, nets=True)
        if sum(t.width for t in targets) != 1:
            raise self._expressions.unsupported(item, f"gate '{item.module}' that drives several bits", "use an assignment")
        self._module.assigns.append(Assign(targets, value, self._expressions.at(item)))

    def _overrides(self, item: Any, scope: Scope) -> dict[str | int, Constant]:
        overrides: dict[str | int, Constant] = {}
        for number, argument in enumerate(item.parameterlist):
            name = argument.paramname or number
            if name in overrides:
                raise UserError(self._expressions.location(argument), f"parameter '{name}' is given twice", "remove one")
            overrides[name] = Constant(self._expressions.own(argument.argname, scope), self._expressions.size(argument.argname, scope)[1])
        return overrides

    def _connections(self, item: Any, child: Elaborated) -> dict[str, Any]:
        names, connected = list(child.ports), dict[str, Any]()
        for number, argument in enumerate(item.portlist):
            known = argument.portname in child.ports if argument.portname else number < len(names)
            if not known:
                what = f"port '{argument.portname}' does not exist in '{item.module}'" if argument.portname else "too many ports"
                raise UserError(self._expressions.location(argument), what, f"the ports are: {', '.join(names)}")
            name = argument.portname or names[number]
            if name in connected:
                raise UserError(self._expressions.location(argument), f"port '{name}' is connected twice", "remove one")
            connected[name] = argument.argname
        return connected

    def _output(self, instance: str, name: str, port: Port, value: Any, scope: Scope, at: Location) -> None:
        targets = self._expressions.targets(value, scope, nets=True)
        pin = self._b.intern("pin", port.width, (), f"{instance}.{name}")
        driven = self._b.resize(pin, sum(t.width for t in targets), port.signed)
        self._module.assigns.append(Assign(targets, driven, at))
