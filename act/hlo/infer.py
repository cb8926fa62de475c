"""Checks that every shape in a computation follows from its operands, for integers and for symbolic dimensions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from act.errors import UserError
from act.hlo.model import Computation, Instruction, Module, Shape, TupleShape, Value
from act.hlo.opcodes import BINARY, CALLS, SAME, UNARY
from act.hlo.shape_rules import RULES, ShapeError, elementwise, require
from act.hlo.sizes import Arithmetic, Sizes

AnyShape = Shape | TupleShape
INTEGERS = Sizes()


def infer(opcode: str, operands: tuple[Shape, ...], attributes: Mapping[str, Value], declared: Shape, sizes: Sizes = INTEGERS) -> Shape:
    """The shape of one operator on tensors; raises `ShapeError` when operands, attributes and what is declared do not fit."""
    if opcode in UNARY or opcode in BINARY:
        return elementwise(opcode, operands, sizes)
    return RULES[opcode](operands, attributes, declared, sizes)


def check_module(module: Module) -> None:
    """Raises `UserError` with the line of the first instruction whose shape does not follow, or whose call does not exist."""
    for parameter in module.main.parameters:
        if isinstance(parameter.shape, TupleShape):
            raise UserError(f"{module.filename}:{parameter.line}", f"the input '{parameter.name}' is a tuple", "pass its elements one by one")
    _check_calls(module, module.entry, ())
    for computation in module.computations.values():
        check_computation(computation, module.computations, module.filename)


def check_computation(
    computation: Computation,
    computations: Mapping[str, Computation] | None = None,
    filename: str = "<text>",
    symbolic: Arithmetic | None = None,
) -> None:
    """Raises `UserError` for the first of `shape_errors`."""
    for instruction, problem in shape_errors(computation, computations, symbolic):
        raise UserError(f"{filename}:{instruction.line}", f"{instruction.opcode} '{instruction.name}': {problem}")


def shape_errors(
    computation: Computation, computations: Mapping[str, Computation] | None = None, symbolic: Arithmetic | None = None
) -> Iterator[tuple[Instruction, str]]:
    """Every instruction that does not fit, with the reason.  Symbolic dimensions must fit for all values, which `symbolic` decides."""
    sizes = Sizes(symbolic) if symbolic else INTEGERS
    shapes: dict[str, AnyShape] = {}
    for number, parameter in enumerate(computation.parameters):
        if parameter.attributes["number"] != number:
            yield parameter, f"parameters must be numbered 0, 1, ...; number {number} is missing"
            break
    for instruction in computation:
        try:
            _check(instruction, [shapes[operand] for operand in instruction.operands], computations or {}, sizes)
        except ShapeError as error:
            yield instruction, str(error)
        shapes[instruction.name] = instruction.shape


def check_one(instruction: Instruction, operands: list[AnyShape], symbolic: Arithmetic) -> bool:
    """Whether the shape of one instruction of a body follows from those of its operands."""
    try:
        _check(instruction, operands, {}, Sizes(symbolic))
        return True
    except ShapeError:
        return False


def _check(instruction: Instruction, operands: list[AnyShape], computations: Mapping[str, Computation], sizes: Sizes) -> None:
    shape = instruction.shape
    if instruction.opcode == "parameter":
        return
    if instruction.opcode in CALLS | SAME or instruction.opcode in ("tuple", "get-tuple-element"):
        found = _compound(instruction, operands, computations, sizes)
    else:
        arrays = tuple(operand for operand in operands if isinstance(operand, Shape))
        require(len(arrays) == len(operands) and isinstance(shape, Shape), "not defined for tuples")
        assert isinstance(shape, Shape)
        found = infer(instruction.opcode, arrays, instruction.attributes, shape, sizes)
    require(_same(found, shape, sizes), f"expected shape {found}, found {shape}")


def _compound(instruction: Instruction, operands: list[AnyShape], computations: Mapping[str, Computation], sizes: Sizes) -> AnyShape:
    if instruction.opcode == "tuple":
        return TupleShape(tuple(operands))
    if instruction.opcode in SAME:
        return operands[0]
    if instruction.opcode == "get-tuple-element":
        (source,), index = operands, instruction.attributes["index"]
        require(isinstance(source, TupleShape) and 0 <= index < len(source.elements), f"{source} has no element {index}")
        assert isinstance(source, TupleShape)
        return source.elements[index]
    name = instruction.attributes["to_apply"]
    require(name in computations, f"there is no computation '{name}'")
    callee = computations[name]
    wanted = [parameter.shape for parameter in callee.parameters]
    fits = len(wanted) == len(operands) and all(_same(a, b, sizes) for a, b in zip(wanted, operands, strict=True))
    require(fits, f"'{name}' takes ({', '.join(map(str, wanted))}), found ({', '.join(map(str, operands))})")
    return callee.result.shape


def _same(left: AnyShape, right: AnyShape, sizes: Sizes) -> bool:
    if isinstance(left, Shape) and isinstance(right, Shape):
        return left.dtype == right.dtype and sizes.same(left.dims, right.dims)
    if isinstance(left, TupleShape) and isinstance(right, TupleShape):
        pairs = zip(left.elements, right.elements, strict=False)
        return len(left.elements) == len(right.elements) and all(_same(a, b, sizes) for a, b in pairs)
    return False


def _check_calls(module: Module, name: str, callers: tuple[str, ...]) -> None:
    """A computation must not call itself, directly or through others."""
    for instruction in module.computations[name]:
        callee = instruction.attributes.get("to_apply")
        if callee is None or callee not in module.computations:
            continue
        if callee in (*callers, name):
            raise UserError(f"{module.filename}:{instruction.line}", f"'{callee}' calls itself", "HLO has no recursion")
        _check_calls(module, callee, (*callers, name))
