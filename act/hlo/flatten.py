"""A module -> the same function as one computation of operators on tensors.

Calls and fusions are inlined, tuples disappear (but for a tuple of tensors at the root: several outputs), copies and unused instructions
are dropped, and a broadcast that stretches a size-1 dimension becomes a reshape and a broadcast that does not.
"""

from __future__ import annotations

from collections.abc import Mapping

from act.hlo.model import Computation, Instruction, Module, Shape, TupleShape
from act.hlo.opcodes import CALLS, SAME
from act.records import dataclass, field, replace

Reference = str | tuple["Reference", ...]  # the name of a tensor, or a tuple of these


def flatten(module: Module) -> Module:
    """Needs a checked module.  Parameters stay, used or not; a nested tuple at the root becomes a flat one, a tuple of one its element."""
    state = _Flat(module.computations)
    main = module.main
    parameters: list[Reference] = [state.emit(parameter, ()) for parameter in main.parameters]
    outputs = _leaves(state.inline(main, parameters))
    root = outputs[0] if len(outputs) == 1 else state.tuple(outputs)
    computation = Computation(main.name, tuple(_live(state.emitted, root)), root)
    return replace(module, computations={main.name: computation})


def _leaves(reference: Reference) -> list[str]:
    if isinstance(reference, str):
        return [reference]
    return [leaf for each in reference for leaf in _leaves(each)]


def _live(instructions: Mapping[str, Instruction], root: str) -> list[Instruction]:
    used = {root}
    for each in reversed(list(instructions.values())):
        if each.name in used:
            used.update(each.operands)
    return [each for each in instructions.values() if each.name in used or each.opcode == "parameter"]


@dataclass(slots=True)
class _Flat:
    computations: Mapping[str, Computation]
    emitted: dict[str, Instruction] = field(default_factory=dict)

    def inline(self, computation: Computation, arguments: list[Reference]) -> Reference:
        values: dict[str, Reference] = {}
        for each in computation:
            values[each.name] = self._value(each, [values[operand] for operand in each.operands], arguments)
        return values[computation.root]

    def _value(self, each: Instruction, operands: list[Reference], arguments: list[Reference]) -> Reference:
        match each.opcode:
            case "parameter":
                return arguments[each.attributes["number"]]
            case "tuple":
                return tuple(operands)
            case "get-tuple-element":
                return operands[0][each.attributes["index"]]
        if each.opcode in SAME:
            return operands[0]
        if each.opcode in CALLS:
            return self.inline(self.computations[each.attributes["to_apply"]], operands)
        names = tuple(operand for operand in operands if isinstance(operand, str))
        return self._broadcast(each, names) if each.opcode == "broadcast" else self.emit(each, names)

    def _broadcast(self, each: Instruction, operands: tuple[str, ...]) -> str:
        source, target = self.emitted[operands[0]].shape, each.shape
        assert isinstance(source, Shape) and isinstance(target, Shape)
        dimensions = each.attributes["dimensions"]
        kept = [axis for axis in range(source.rank) if source.dims[axis] == target.dims[dimensions[axis]]]
        if len(kept) == source.rank:
            return self.emit(each, operands)
        narrow = Shape(source.dtype, tuple(source.dims[axis] for axis in kept))
        reshaped = self.emit(Instruction(each.name, narrow, "reshape", line=each.line), operands)
        return self.emit(replace(each, attributes={"dimensions": tuple(dimensions[axis] for axis in kept)}), (reshaped,))

    def tuple(self, outputs: list[str]) -> str:
        shapes = tuple(self.emitted[name].shape for name in outputs)
        return self.emit(Instruction("outputs", TupleShape(shapes), "tuple"), tuple(outputs))

    def emit(self, each: Instruction, operands: tuple[str, ...]) -> str:
        """Names stay where they are free."""
        name, number = each.name, 1
        while name in self.emitted:
            name, number = f"{each.name}.{number}", number + 1
        self.emitted[name] = replace(each, name=name, operands=operands)
        return name
