"""A program -> MLIR text: a function with a call for every command, in `scf.for` loops, and a function for every encoding.

Only the dialects arith, func, memref and scf.  `@issue` takes the words of a command; it is what a user links or lowers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from act.backend.encodings import LIMB, host_addresses, host_alignment, identifiers, limbs, one_memory, pieces, used
from act.backend.reroll import Call, Item, Loop, reroll
from act.errors import UserError
from act.program import Program, Region
from act.records import dataclass, field
from act.taidl.expr_text import print_expr
from act.taidl.model import Accelerator, Binary, Expr, Instruction, Int, Name

OPERATORS = {"+": "addi", "-": "subi", "*": "muli", "<<": "shli", ">>": "shrsi", "&": "andi", "|": "ori", "min": "minsi", "max": "maxsi"}
OPERATORS |= {"/": "floordivsi"}


def emit_mlir(accelerator: Accelerator, program: Program) -> str:
    """The text of a module; `UserError` where the instruction set has no encodings or the program needs several host memories."""
    size = one_memory(program)
    types = ", ".join("i64" for _ in limbs(accelerator.words))
    words = " ".join(name if number == 0 else f"{name}[{LIMB * number}]" for name, number in limbs(accelerator.words))
    parts = [
        f"// A program for {program.isa} (sha256 {program.sha256}).",
        *(_comment(region) for region in program.regions),
        "module {",
        *_constants(program),
        f"  // One command: {words}.",
        f"  func.func private @issue({types})",
        *(line for instruction in used(accelerator, program) for line in _Encoding(accelerator, instruction).lines()),
        *_main(accelerator, program, size),
        "}",
    ]
    return "\n".join(parts) + "\n"


def _comment(region: Region) -> str:
    dims = ",".join(map(str, region.dims))
    return f"// {region.kind} {region.name} : {region.dtype}[{dims}] at {region.address:#x}"


def _constants(program: Program) -> Iterator[str]:
    """The bytes of every constant; `@main` copies them to their places."""
    for name, region in _named(program, "constant"):
        yield f'  memref.global "private" constant @{name} : memref<{region.size}xi8> = dense<"0x{(region.data or b"").hex()}">'


def _named(program: Program, kind: str) -> list[tuple[str, Region]]:
    names = identifiers([region.name for region in program.regions])
    return [(names[region.name], region) for region in program.regions if region.kind == kind and region.size]


@dataclass(slots=True)
class _Encoding:
    """The function that puts the words of one instruction together."""

    accelerator: Accelerator
    instruction: Instruction
    body: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        count = len(limbs(self.accelerator.words))
        words = [self._word(number) for number in range(count)]
        parameters = ", ".join(f"%v_{name}: i64" for name in self.instruction.attributes)
        yield f"  func.func private @{self.instruction.name}({parameters}) {{"
        yield from self.body
        yield f"    func.call @issue({', '.join(words)}) : ({', '.join(['i64'] * count)}) -> ()"
        yield "    return"
        yield "  }"

    def _word(self, limb: int) -> str:
        terms = []
        for piece in pieces(self.accelerator, self.instruction):
            if piece.limb == limb:
                value = self._value(piece.value)
                if piece.width < LIMB and not isinstance(piece.value, Int):
                    value = self._add("andi", value, self._constant((1 << piece.width) - 1))
                if piece.shift:
                    value = self._add("shli" if piece.shift > 0 else "shrui", value, self._constant(abs(piece.shift)))
                terms.append(value)
        word = terms[0] if terms else self._constant(0)
        for term in terms[1:]:
            word = self._add("ori", word, term)
        return word

    def _value(self, expr: Expr) -> str:
        match expr:
            case Int(value):
                return self._constant(value)
            case Name(name):
                return f"%v_{name}"
            case Binary(op, left, right) if op in OPERATORS:
                return self._add(OPERATORS[op], self._value(left), self._value(right))
        raise UserError(None, f"{self.instruction.name}: MLIR for the field {print_expr(expr)} is not written yet", "use --emit c or asm")

    def _constant(self, value: int) -> str:
        self.body.append(f"    %{len(self.body)} = arith.constant {_signed(value)} : i64")
        return f"%{len(self.body) - 1}"

    def _add(self, op: str, left: str, right: str) -> str:
        self.body.append(f"    %{len(self.body)} = arith.{op} {left}, {right} : i64")
        return f"%{len(self.body) - 1}"


def _signed(value: int) -> int:
    value &= (1 << LIMB) - 1
    return value - (1 << LIMB) if value >> LIMB - 1 else value


def _main(accelerator: Accelerator, program: Program, size: int) -> Iterator[str]:
    """`@main` takes the host memory, with the inputs in place, and leaves the outputs in it.  It begins at a multiple of `host_alignment`."""
    commands = []
    for command in program.commands:
        names = accelerator.instructions[command.instruction].attributes
        commands.append((command.instruction, tuple(command.attributes[name] for name in names)))
    body = _Body(accelerator, commands)
    unit = host_alignment(accelerator, program)
    if unit > 1:
        yield f"  // %memory begins at a multiple of {unit} bytes"
    yield f"  func.func @main(%memory: memref<{size}xi8>) {{"
    yield f"    %pointer = memref.extract_aligned_pointer_as_index %memory : memref<{size}xi8> -> index"
    yield "    %host = arith.index_cast %pointer : index to i64"
    for name, region in _named(program, "constant"):
        yield from _copy(name, region, size)
    yield from body.lines()
    yield "    return"
    yield "  }"


def _copy(name: str, region: Region, size: int) -> Iterator[str]:
    part = f"memref<{region.size}xi8, strided<[1], offset: {region.address}>>"
    yield f"    %{name} = memref.get_global @{name} : memref<{region.size}xi8>"
    yield f"    %{name}_at = memref.subview %memory[{region.address}] [{region.size}] [1] : memref<{size}xi8> to {part}"
    yield f"    memref.copy %{name}, %{name}_at : memref<{region.size}xi8> to {part}"


@dataclass(slots=True)
class _Body:
    accelerator: Accelerator
    commands: Sequence[tuple[str, tuple[int, ...]]]
    count: int = 0

    def lines(self) -> Iterator[str]:
        items = reroll(self.commands)
        scales = {scale for name, _ in self.commands for scale in host_addresses(self.accelerator, self.accelerator.instructions[name]).values() if scale > 1}
        numbers = sorted(scales.union(_numbers(items)))
        yield from (f"    {_constant_name(number)} = arith.constant {number} : i64" for number in numbers)
        times = sorted({0, 1, *_times(items)}) if any(isinstance(item, Loop) for item in items) else []
        yield from (f"    %n{number} = arith.constant {number} : index" for number in times)
        yield from self._items(items, 2)

    def _items(self, items: Sequence[Item], depth: int) -> Iterator[str]:
        indent = "  " * depth
        for item in items:
            if isinstance(item, Call):
                yield from (indent + line for line in self._call(item))
            else:
                counter = f"%i{depth - 2}"
                yield f"{indent}scf.for {counter} = %n0 to %n{item.times} step %n1 {{"
                yield f"{indent}  {counter}_ = arith.index_cast {counter} : index to i64"
                yield from self._items(item.body, depth + 1)
                yield f"{indent}}}"

    def _call(self, call: Call) -> Iterator[str]:
        instruction = self.accelerator.instructions[call.name]
        host = host_addresses(self.accelerator, instruction)
        operands = []
        for name, value in zip(instruction.attributes, call.values, strict=True):
            operand = _constant_name(value.base)
            for depth, step in enumerate(value.steps):
                if step:
                    scaled = self._fresh()
                    yield f"{scaled} = arith.muli %i{depth}_, {_constant_name(step)} : i64"
                    operand, before = self._fresh(), operand
                    yield f"{operand} = arith.addi {before}, {scaled} : i64"
            scale = host.get(name, 0)
            if scale > 1:
                operand, before = self._fresh(), operand
                yield f"{operand} = arith.muli {before}, {_constant_name(scale)} : i64"
            if scale:
                operand, before = self._fresh(), operand
                yield f"{operand} = arith.addi %host, {before} : i64"
            if scale > 1:
                operand, before = self._fresh(), operand
                yield f"{operand} = arith.divui {before}, {_constant_name(scale)} : i64"
            operands.append(operand)
        yield f"func.call @{call.name}({', '.join(operands)}) : ({', '.join(['i64'] * len(operands))}) -> ()"

    def _fresh(self) -> str:
        self.count += 1
        return f"%t{self.count}"


def _constant_name(value: int) -> str:
    return f"%c{value}" if value >= 0 else f"%m{-value}"


def _numbers(items: Sequence[Item]) -> Iterator[int]:
    """The integers that addresses and attributes are made of."""
    for item in items:
        if isinstance(item, Loop):
            yield from _numbers(item.body)
            continue
        for value in item.values:
            yield value.base
            yield from (step for step in value.steps if step)


def _times(items: Sequence[Item]) -> Iterator[int]:
    for item in items:
        if isinstance(item, Loop):
            yield item.times
            yield from _times(item.body)
