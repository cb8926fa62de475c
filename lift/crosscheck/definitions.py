"""A design to one netlist per module definition: what an instance contains stays outside, its ports become ports of the netlist.

Each definition, with given parameters, is read and compared once, however often it is instantiated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from lift.errors import UserError
from lift.netlist.depth import deep_recursion
from lift.netlist.hierarchy import flatten
from lift.netlist.lowering import split_edges
from lift.netlist.model import Netlist, Node
from lift.netlist.module import Design, Instance, Module


@dataclass(frozen=True, slots=True)
class Definition:
    """One definition.  `label` names it for people; `path` is its first instance ("" is the top).

    `netlist` has instances as black boxes (`instance.port`), None when that is refused, for the reason `refused`.  `clocks`: child ports
    that are connected to the definition's clock and hence are not in the netlist.  `resets`: asynchronous resets with their active value.
    """

    key: str
    label: str
    path: str
    module: Module
    netlist: Netlist | None
    refused: str | None = None
    clocks: dict[str, str] = field(default_factory=dict)
    resets: dict[str, int] = field(default_factory=dict)


def definitions(design: Design) -> list[Definition]:
    """All definitions of `design`, parents first."""
    paths = dict(_paths(design))
    names = [design.modules[key].name for key in paths]
    return [_definition(design, key, path, names.count(design.modules[key].name) > 1) for key, path in paths.items()]


def alone(design: Design, key: str) -> Netlist:
    """The netlist of a definition with everything below it.  Raises `UserError` like a reader."""
    with deep_recursion():
        return flatten(design.modules, key, design.builder)


def _paths(design: Design) -> Iterator[tuple[str, str]]:
    """Each definition with the path of its first instance, breadth first."""
    waiting, seen = [(design.top, "")], {design.top}
    while waiting:
        key, path = waiting.pop(0)
        yield key, path
        for child in design.modules[key].instances:
            if child.module is not None and child.module not in seen:
                seen.add(child.module)
                waiting.append((child.module, f"{path}.{child.name}" if path else child.name))


def _definition(design: Design, key: str, path: str, shared: bool) -> Definition:
    module = design.modules[key]
    label = f"{module.name} ({path})" if shared and path else module.name
    boxed, clocks = _boxed(design.modules, module)
    try:
        with deep_recursion():
            netlist = flatten({key: boxed}, key, design.builder)
    except UserError as error:
        return Definition(key, label, path, module, None, str(error))
    return Definition(key, label, path, module, netlist, None, clocks, _resets(module))


def _boxed(modules: Mapping[str, Module], module: Module) -> tuple[Module, dict[str, str]]:
    """`module` with every instance a black box, and the instances' ports that are connected to its clock."""
    edges = _clock_nets(module)
    clocks: dict[str, str] = {}
    instances: list[Instance] = []
    for child in module.instances:
        kept: dict[str, Node] = {}
        for port, node in child.inputs.items():
            if node.op == "var" and node.attr in edges:
                clocks[f"{child.name}.{port}"] = str(node.attr)
            else:
                kept[port] = node
        outputs = child.outputs if child.module is None else modules[child.module].outputs
        instances.append(replace(child, module=None, inputs=kept, outputs=outputs))
    return replace(module, instances=instances), clocks


def _clock_nets(module: Module) -> set[str]:
    """Variables with an edge that is waited for, and those that are assigned nothing but such a variable."""
    nets = {str(e.signal.attr) for p in module.processes for e in p.edges if e.signal.op == "var"}
    aliases = {a.targets[0].name: str(a.value.attr) for a in module.assigns if a.value.op == "var" and len(a.targets) == 1 and a.targets[0].low is None}
    while more := {name for name, source in aliases.items() if source in nets} - nets:
        nets |= more
    return nets


def _resets(module: Module) -> dict[str, int]:
    """Inputs that reset asynchronously, with the value that does."""
    edges = [e for p in module.processes if len(p.edges) > 1 for e in split_edges(p)[1]]
    return {str(e.signal.attr): int(e.rising) for e in edges if e.signal.op == "var"}
