"""HLO text, as XLA and jax print it, -> a checked `Module`; the body of a TAIDL instruction -> a `Computation`.

Sigils, operand shapes, comments, metadata and layouts may be there or not.  Layouts are ignored: they say where XLA would place the
elements of a tensor, and change no value.  Here a tensor in memory is always row-major.
"""

from __future__ import annotations

from dataclasses import dataclass

from act.errors import UserError
from act.hlo.infer import check_module
from act.hlo.lex import Cursor
from act.hlo.model import Computation, Instruction, Module, Value
from act.hlo.normalize import normalize
from act.hlo.opcodes import ALL, OPERANDS
from act.hlo.parse_values import Expression, Values
from act.hlo.reductions import resolve_reductions

SUPPORTED = "express it by the supported ones: " + ", ".join(sorted(ALL))


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

    @property
    def values(self) -> Values:
        return Values(self.cursor, self.expression)

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
        return Module(name, computations, entry, self.cursor.filename)

    def _header(self) -> str:
        name = self.cursor.kind("name", "the name of the module").text.lstrip("%")
        while self.cursor.accept(","):
            token = self.cursor.kind("name", "a module attribute")
            self.cursor.expect("=", f"after '{token.text}'")
            self.values.skip_balanced()
        return name

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
        while not (self.cursor.at(stop) or self.cursor.token.kind == "end"):
            is_root = self.cursor.accept("ROOT")
            token = self.cursor.token
            instruction = self._instruction(found)
            if instruction.name in found:
                self.cursor.error(f"'{instruction.name}' is defined a second time", "give every instruction its own name", token)
            if is_root and root is not None:
                self.cursor.error(f"'{instruction.name}' is a second ROOT, after '{root}'", "mark one instruction", token)
            found[instruction.name] = instruction
            root = instruction.name if is_root else root
        if not found:
            self.cursor.error(f"expected an instruction, found '{self.cursor.token.text}'")
        return tuple(found.values()), root or next(reversed(found))

    def _instruction(self, known: dict[str, Instruction]) -> Instruction:
        cursor, line = self.cursor, self.cursor.line
        name = cursor.kind("name", "an instruction 'name = shape operator(operands)'").text.lstrip("%")
        cursor.expect("=", f"after '{name}'")
        shape = self.values.shape()
        token = cursor.kind("name", "an operator")
        opcode = token.text
        if opcode not in ALL:
            cursor.error(f"the operator '{opcode}' is not supported", SUPPORTED, token)
        cursor.expect("(", f"after '{opcode}'")
        attributes, operands = self._operands(opcode, shape, known)
        cursor.expect(")", f"to close the operands of '{opcode}'")
        if len(operands) != OPERANDS.get(opcode, len(operands)):
            cursor.error(f"{opcode} takes {OPERANDS[opcode]} operand(s), found {len(operands)}", at=token)
        raw = self._attributes()
        attributes |= normalize(opcode, raw, lambda problem: UserError(cursor.location(token), problem))
        return Instruction(name, shape, opcode, operands, attributes, line)

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
            if name in ("metadata", "backend_config", "frontend_attributes", "sharding", "origin", "statistics"):
                self.values.skip_balanced()
            else:
                raw[name] = self.values.attribute()
        return raw
