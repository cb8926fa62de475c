"""The Python form of an instruction set, with the published names and spelling -> the same `Accelerator` model as a `.taidl` file.

    isa = Accelerator("demo")
    isa.add_data_model("d1", [128], [64], "bf16")
    load = isa.add_instruction("load", ["n"], ["addr_in", "addr_out"])
    load.set_inputs([["d0", ["@a.addr_in"], ["@c.n * 128"]]])
    load.set_outputs([["d1", ["@a.addr_out"], ["@c.n"]]])
    load.add_constraints(["@c.n <= 128"])
    load.add_semantics("ENTRY load { %In1 = u8[`@c.n * 128`] parameter(0); ... ROOT %Out0 = bf16[`@c.n`,64] bitcast_convert(%a); }")

`@c.x` is a computational (alpha) attribute, `@a.x` an address (beta), `@s.x` a register.  An operand is [buffer, starts, lengths] over
the access dimensions, and takes all of the unit dimensions.  `d0` is the host memory.  What is added here has no encoding.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Any

from act.errors import UserError
from act.records import dataclass, field
from act.taidl.clauses import normal_body
from act.taidl.expr_text import parse_expr
from act.taidl.model import Accelerator, Binary, Buffer, Expr, Index, Instruction, Int, Name, Read, Set, Slice, Use, Write
from act.taidl.published import body_text, first_statement
from act.taidl.simplify import simplify
from act.taidl.text import Locations

HBM = "d0"
HBM_BYTES = 1 << 40
Operand = Sequence[Any]
_SIGIL = re.compile(r"@([cas])\.(\w+)")
_UPDATE = re.compile(r"@s\.(\w+)(?:\[(.*?)\])?\s*=(?!=)(.*)", re.DOTALL)


@dataclass(slots=True)
class InstructionBuilder:
    """One instruction while it is described; made by `Accelerator.add_instruction`."""

    owner: Accelerator
    name: str
    alpha: tuple[str, ...]
    beta: tuple[str, ...]
    cost: Expr | None = None
    inputs: list[Operand] = field(default_factory=list)
    outputs: list[Operand] = field(default_factory=list)
    constraints: list[Expr] = field(default_factory=list)
    updates: list[Set] = field(default_factory=list)
    semantics: str = ""
    registers: dict[str, None] = field(default_factory=dict)
    places: dict[str, tuple[str, int]] = field(default_factory=dict)
    """File and line of the call that gave each kind of clause, for messages."""

    def set_inputs(self, operands: Sequence[Operand]) -> InstructionBuilder:
        self.inputs = list(operands)
        self.places["read"] = caller()
        return self

    def set_outputs(self, operands: Sequence[Operand]) -> InstructionBuilder:
        self.outputs = list(operands)
        self.places["write"] = caller()
        return self

    def add_constraints(self, constraints: Sequence[str] | str) -> InstructionBuilder:
        """Conditions on the attributes, all of which must hold: a list, or one a line."""
        self.places.setdefault("when", caller())
        texts = constraints.splitlines() if isinstance(constraints, str) else constraints
        self.constraints += [self.expression(text) for text in texts if text.strip()]
        return self

    def add_update(self, update: str) -> InstructionBuilder:
        """`@s.register = value`, or `@s.register[index] = value`."""
        match = _UPDATE.fullmatch(update.strip())
        if match is None:
            raise UserError(None, f"{self.name}: expected an update '@s.register = value', found '{update}'")
        index = None if match[2] is None else self.expression(match[2])
        self.updates.append(Set(match[1], index, self.expression(match[3])))
        return self

    def add_semantics(self, text: str) -> InstructionBuilder:
        """The computation as HLO text, `ENTRY name { ... }` or only what stands between the braces."""
        self.semantics = text
        self.places["body"] = caller()
        return self

    def locations(self) -> Locations:
        """Where each clause was given; lines of the semantics are counted from the first statement on."""
        counts = {"read": len(self.inputs), "write": len(self.outputs), "when": len(self.constraints), "body": 1, "instruction": 1}
        found = {(self.name, clause, n): _shown(place, 0) for clause, place in self.places.items() for n in range(counts.get(clause, 0))}
        if "body" in self.places:
            found[self.name, "text of body", 0] = _shown(self.places["body"], first_statement(self.semantics))
        return found

    def plain(self, text: str) -> str:
        """`text` without sigils; registers that it names are noted."""
        self.registers |= {name: None for sigil, name in _SIGIL.findall(text) if sigil == "s"}
        return _SIGIL.sub(r"\2", text).replace("//", "/")

    def expression(self, text: str | int) -> Expr:
        return Int(text) if isinstance(text, int) else parse_expr(self.plain(text), f"{self.name}: {text.strip()}")

    def build(self, legacy: bool = False) -> Instruction:
        """`UserError` when an operand is not [buffer, starts, lengths] or does not fit its buffer."""
        body = self.plain(body_text(self.semantics, legacy))
        parameters, results = _parameters(body), _results(body)
        for what, given, found in (("inputs", self.inputs, parameters), ("outputs", self.outputs, results)):
            if len(given) != len(found):
                kind = "parameters" if what == "inputs" else "results"
                raise UserError(None, f"{self.name}: {len(given)} {what} are set, but the semantics have {len(found)} {kind}")
        reads = tuple(Read(name, self._slice(operand)) for name, operand in zip(parameters, self.inputs, strict=True))
        writes = tuple(Write(self._slice(operand), name) for name, operand in zip(results, self.outputs, strict=True))
        uses = tuple(Use(name, None, name=name) for name in self.registers)
        return Instruction(
            self.name, self.alpha, self.beta, when=tuple(self.constraints), uses=uses, reads=reads, writes=writes,
            sets=tuple(self.updates), cost=self.cost, body=normal_body(body),
        )  # fmt: skip

    def _slice(self, operand: Operand) -> Slice:
        buffer = self.owner.buffers.get(operand[0]) if len(operand) == 3 else None
        if buffer is None or not len(operand[1]) == len(operand[2]) == len(buffer.access):
            problem = f"{self.name}: expected an operand [buffer, starts, lengths] with one start and length per access dimension, found {operand}"
            raise UserError(None, problem, f"buffers are: {', '.join(self.owner.buffers)}")
        lengths = [simplify(self.expression(length)) for length in operand[2]] + [Int(size) for size in buffer.unit]
        indices = tuple(Index(f"i{position}", length) for position, length in enumerate(lengths))
        starts = [self.expression(start) for start in operand[1]] + [Int(0)] * len(buffer.unit)
        places = (simplify(Binary("+", start, Name(index.name))) for start, index in zip(starts, indices, strict=True))
        return Slice(buffer.name, tuple(places), indices)


def caller() -> tuple[str, int]:
    """File and line from which the function that asks was called."""
    frame = sys._getframe(2)
    return frame.f_code.co_filename, frame.f_lineno


def _shown(place: tuple[str, int], lines: int) -> str:
    return f"{place[0]}:{place[1] + lines}:1"


def _parameters(body: str) -> list[str]:
    found = re.findall(r"%?([\w.-]+)\s*=[^=\n]*\bparameter\((\d+)\)", body)
    return [name for name, _ in sorted(found, key=lambda each: int(each[1]))]


def _results(body: str) -> list[str]:
    """The root alone, or the operands of a root tuple."""
    root = re.search(r"ROOT\s+%?([\w.-]+)\s*=(.*)", body)
    several = re.search(r"\btuple\(([^)]*)\)", root[2]) if root else None
    return re.findall(r"%?([\w.-]+)", several[1]) if several else [root[1]] if root else []


def host_memory(accelerator: Accelerator) -> None:
    """The published host memory, when there is none yet."""
    if not any(buffer.hbm for buffer in accelerator.buffers.values()):
        accelerator.buffers[HBM] = Buffer(HBM, "u8", (HBM_BYTES,), (), hbm=True)


__all__ = ["Accelerator", "InstructionBuilder", "host_memory"]
