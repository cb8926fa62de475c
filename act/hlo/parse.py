"""HLO text, as XLA and jax print it, -> a checked `Module`; the body of a TAIDL instruction -> a `Computation`.

Sigils, operand shapes, comments, metadata and layouts may be there or not.  Layouts say where XLA would place the elements of a tensor.
They change no value but that of `bitcast`, which becomes what it does to the value (layouts.py).  Here a tensor in memory is always
row-major.
"""

from __future__ import annotations

from collections.abc import Iterator

from act.errors import UserError
from act.hlo.dtypes import is_float
from act.hlo.infer import check_module
from act.hlo.layouts import Layout, LayoutError, explicit_bitcast
from act.hlo.lex import Cursor, Token
from act.hlo.model import Alias, Computation, Instruction, Module, Shape, TupleShape, Value
from act.hlo.normalize import IGNORED, normalize
from act.hlo.opcodes import ALL, OPERANDS
from act.hlo.parse_values import Expression, Values
from act.hlo.reductions import resolve_reductions
from act.records import dataclass, field

TABLES = ("FileNames", "FunctionNames", "FileLocations", "StackFrames")
"""Debug information between the header and the computations: lines of a number and a string, or a number and braces."""
SUPPORTED = "express it by other operators; act/hlo/README.md lists those that are supported"


def parse_module(text: str, filename: str = "<text>") -> Module:
    """Raises `UserError` (file:line:column) for text that is not a well-typed HLO module of the supported operators."""
    cursor = Cursor(text, filename)
    parser = Parser(cursor, None)
    module = resolve_reductions(parser.module())
    check_module(module)
    return module


def parse_body(text: str, expression: Expression, filename: str = "<body>", line: int = 1) -> Computation:
    """Instructions without a computation around them; reductions name their operator: `to_apply=add`.

    `expression(text, location)` makes the symbolic integer of back-quoted text.  `line` is the number of the first line of `text`.
    Shapes are not checked here: `infer.check_computation` does it, with the symbolic arithmetic of the caller.
    """
    cursor = Cursor(text, filename, line)
    instructions, root = Parser(cursor, expression).instructions("end of text")
    module = Module("body", {"body": Computation("body", instructions, root)}, "body", filename)
    return resolve_reductions(module).main


@dataclass(slots=True)
class Parser:
    cursor: Cursor
    expression: Expression | None
    values: Values = field(init=False)
    layouts: dict[str, Layout] = field(default_factory=dict)
    """Of the instructions of the computation that is read."""
    aliases: list[tuple[Token, Alias]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.values = Values(self.cursor, self.expression)

    def module(self) -> Module:
        name = self._header() if self.cursor.accept("HloModule") else "module"
        computations: dict[str, Computation] = {}
        entry = None
        while self.cursor.token.kind != "end":
            is_entry = self.cursor.accept("ENTRY")
            token = self.cursor.token
            computation = self._computation()
            if computation.name in computations:
                self.cursor.error(f"the computation '{computation.name}' is defined a second time", at=token)
            if is_entry and entry is not None:
                self.cursor.error(f"'{computation.name}' is a second ENTRY, after '{entry}'", "mark one computation", token)
            computations[computation.name] = computation
            entry = computation.name if is_entry else entry
        if entry is None:
            advice = "mark the computation to run with ENTRY" if computations else "give HLO text, which begins with 'HloModule'"
            self.cursor.error("expected a computation marked ENTRY, found none", advice)
        self._check_aliases(computations[entry])
        return Module(name, computations, entry, self.cursor.filename, tuple(each for _, each in self.aliases))

    def _check_aliases(self, main: Computation) -> None:
        """Outputs and parameters are there."""
        result = main.result.shape
        outputs, parameters = len(result.elements) if isinstance(result, TupleShape) else 1, len(main.parameters)
        for token, each in self.aliases:
            if not (each.output < outputs and each.parameter < parameters):
                found = f"output {each.output} and parameter {each.parameter}"
                self.cursor.error(f"'{main.name}' has {outputs} outputs and {parameters} parameters, found {found}", "count from 0", token)

    def _header(self) -> str:
        name = self.cursor.kind("name", "the name of the module").text.lstrip("%")
        while self.cursor.accept(","):
            token = self.cursor.kind("name", "a module attribute")
            self.cursor.expect("=", f"after '{token.text}'")
            if token.text == "input_output_alias":
                self._read_aliases()
            else:
                self.values.skip_balanced()
        while self.cursor.token.text in TABLES and self.cursor.tokens[self.cursor.position + 1].kind == "number":
            self.cursor.next()
            while self.cursor.token.kind == "number":
                self.cursor.next()
                self.values.skip_balanced()
        return name

    def _read_aliases(self) -> None:
        """`{ {1}: (0, {}, must-alias), ... }`: outputs, each with its parameter; neither is a tuple in a tuple."""
        self.cursor.expect("{", "with which aliases begin")
        while not self.cursor.accept("}"):
            token, output = self.cursor.token, self._index()
            self.cursor.expect(":", "after an output")
            self.cursor.expect("(", "with which a parameter begins")
            parameter = int(self.cursor.kind("number", "the number of a parameter").text)
            if self.cursor.accept(",") and self._index(inside=True):
                self.cursor.error("expected a parameter that is no tuple", "give each tensor as a parameter of its own")
            must = self.cursor.accept(",") and self._must()
            self.cursor.expect(")", "after a parameter")
            self.cursor.accept(",")
            self.aliases.append((token, Alias(output, parameter, must)))

    def _must(self) -> bool:
        token = self.cursor.kind("name", "may-alias or must-alias")
        if token.text not in ("may-alias", "must-alias"):
            self.cursor.error(f"expected may-alias or must-alias, found '{token.text}'", at=token)
        return token.text == "must-alias"

    def _index(self, inside: bool = False) -> int:
        """`{}` or `{1}`, the place of a value in a tuple; with `inside` how many numbers there are."""
        self.cursor.expect("{", "with which a place in a tuple begins")
        numbers = []
        while not self.cursor.accept("}"):
            numbers.append(int(self.cursor.kind("number", "a place in a tuple").text))
            self.cursor.accept(",")
        if len(numbers) > 1:
            self.cursor.error("expected a place in a tuple, found one in a tuple of tuples", "return a tuple of tensors")
        return len(numbers) if inside else (numbers or [0])[0]

    def _computation(self) -> Computation:
        token = self.cursor.kind("name", "a computation")
        self._signature()
        self.cursor.expect("{", f"to open the computation '{token.text}'")
        instructions, root = self.instructions("}")
        self.cursor.expect("}", "to close the computation")
        while self.cursor.accept(","):
            self.cursor.kind("name", "an attribute of the computation")
            self.cursor.expect("=", "after the attribute")
            self.values.skip_balanced()
        return Computation(token.text.lstrip("%"), instructions, root)

    def _signature(self) -> None:
        """`(x: s8[], y: s8[]) -> s8[]`, which the parameters and the root say again."""
        if self.cursor.at("("):
            self.values.skip_balanced()
            self.cursor.expect("->", "after the parameters of a computation")
            self.values.shape()

    def instructions(self, stop: str) -> tuple[tuple[Instruction, ...], str]:
        found: dict[str, Instruction] = {}
        root = None
        self.layouts.clear()
        while not (self.cursor.at(stop) or self.cursor.token.kind == "end"):
            is_root = self.cursor.accept("ROOT")
            token = self.cursor.token
            for instruction in self._instruction(found):
                if instruction.name in found:
                    self.cursor.error(f"'{instruction.name}' is defined a second time", "give every instruction its own name", token)
                found[instruction.name] = instruction
            if is_root and root is not None:
                self.cursor.error(f"'{next(reversed(found))}' is a second ROOT, after '{root}'", "mark one instruction", token)
            root = next(reversed(found)) if is_root else root
        if not found:
            self.cursor.error(f"expected an instruction, found '{self.cursor.token.text}'")
        return tuple(found.values()), root or next(reversed(found))

    def _instruction(self, known: dict[str, Instruction]) -> Iterator[Instruction]:
        """One; or, for a bitcast, those that it stands for."""
        cursor, line = self.cursor, self.cursor.line
        name = cursor.kind("name", "an instruction 'name = shape operator(operands)'").text.lstrip("%")
        cursor.expect("=", f"after '{name}'")
        shape = self.values.shape()
        self.layouts[name] = self.values.layout
        token = cursor.kind("name", "an operator")
        opcode = token.text
        if opcode not in ALL and opcode != "bitcast":
            cursor.error(f"the operator '{opcode}' is not supported", SUPPORTED, token)
        cursor.expect("(", f"after '{opcode}'")
        attributes, operands = self._operands(opcode, shape, known)
        cursor.expect(")", f"to close the operands of '{opcode}'")
        if len(operands) != OPERANDS.get(opcode, len(operands)):
            cursor.error(f"{opcode} takes {OPERANDS[opcode]} operand(s), found {len(operands)}", at=token)
        raw = self._attributes()
        attributes |= normalize(opcode, raw, lambda problem: UserError(cursor.location(token), problem))
        if opcode == "bitcast":
            yield from self._bitcast(name, shape, [known[operand] for operand in operands], line)
        else:
            yield Instruction(name, shape, opcode, operands, _ordered(attributes, [known[operand] for operand in operands]), line)

    def _bitcast(self, name: str, shape: Shape | TupleShape, operands: list[Instruction], line: int) -> list[Instruction]:
        where = f"{self.cursor.filename}:{line}"
        if len(operands) != 1 or not isinstance(operands[0].shape, Shape) or not isinstance(shape, Shape):
            raise UserError(where, f"bitcast '{name}' needs one operand that is a tensor")
        try:
            source = (operands[0].name, operands[0].shape, self.layouts[operands[0].name])
            return explicit_bitcast(name, source, shape, self.layouts[name], line)
        except LayoutError as error:
            raise UserError(where, f"bitcast '{name}': {error}, is not supported", "print the module before layouts are assigned") from None

    def _operands(self, opcode: str, shape, known: dict[str, Instruction]) -> tuple[dict[str, Value], tuple[str, ...]]:
        if opcode == "parameter":
            return {"number": self.values.integer("the number of the parameter")}, ()
        if opcode == "constant":
            return {"value": self.values.literal(shape)}, ()
        operands = []
        while not self.cursor.at(")"):
            operands.append(self._operand(known))
            if not self.cursor.at(")"):
                self.cursor.expect(",", "or ')' in the operands")
        return {}, tuple(operands)

    def _operand(self, known: dict[str, Instruction]) -> str:
        following = self.cursor.tokens[self.cursor.position + 1]
        if self.cursor.at("(") or (following.kind == "mark" and following.text == "["):
            self.values.shape()
        token = self.cursor.kind("name", "the name of an operand")
        name = token.text.lstrip("%")
        if name not in known:
            self.cursor.error(f"'{name}' is not defined before it is used", "operands must precede their users", token)
        return name

    def _attributes(self) -> dict[str, Value]:
        raw: dict[str, Value] = {}
        while self.cursor.accept(","):
            name = self.cursor.kind("name", "an attribute").text
            self.cursor.expect("=", f"after the attribute '{name}'")
            if name in IGNORED:
                self._skip_attribute()
            else:
                raw[name] = self.values.named() if name in ("window", "bind") else self.values.attribute()
        return raw

    def _skip_attribute(self) -> None:
        """Everything up to the comma before the next attribute, or the end of the line; braces as a whole."""
        self.values.skip_balanced()
        while self.cursor.follows_directly and not self.cursor.at(",") and self.cursor.token.kind != "end":
            self.values.skip_balanced()


def _ordered(attributes: dict[str, Value], operands: list[Instruction]) -> dict[str, Value]:
    """The total order of integers is their order."""
    if "order" in attributes and isinstance(operands[0].shape, Shape) and not is_float(operands[0].shape.dtype):
        return {"direction": attributes["direction"]}
    return attributes
