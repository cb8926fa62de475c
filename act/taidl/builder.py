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
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from act.errors import UserError
from act.taidl import model
from act.taidl.clauses import normal_body
from act.taidl.expr_text import parse_expr
from act.taidl.model import Binary, Buffer, Expr, Index, Instruction, Int, Name, Read, Slice, Use, Write
from act.taidl.simplify import simplify
from act.taidl.text import TaidlErrors
from act.taidl.verify import verify

if TYPE_CHECKING:
    from act.oracle import Machine

HBM = "d0"
HBM_BYTES = 1 << 40
Operand = Sequence[Any]
_SIGIL = re.compile(r"@([cas])\.(\w+)")
_ENTRY = re.compile(r"ENTRY\s+%?[\w.-]+[^{]*\{(.*)\}", re.DOTALL)


@dataclass(slots=True)
class InstructionBuilder:
    """One instruction while it is described; made by `Accelerator.add_instruction`."""

    owner: Accelerator
    name: str
    alpha: tuple[str, ...]
    beta: tuple[str, ...]
    inputs: list[Operand] = field(default_factory=list)
    outputs: list[Operand] = field(default_factory=list)
    constraints: list[Expr] = field(default_factory=list)
    body: str = ""
    registers: dict[str, None] = field(default_factory=dict)

    def set_inputs(self, operands: Sequence[Operand]) -> InstructionBuilder:
        self.inputs = list(operands)
        return self

    def set_outputs(self, operands: Sequence[Operand]) -> InstructionBuilder:
        self.outputs = list(operands)
        return self

    def add_constraints(self, constraints: Sequence[str] | str) -> InstructionBuilder:
        """Conditions on the attributes, all of which must hold."""
        texts = [constraints] if isinstance(constraints, str) else constraints
        self.constraints += [self.expression(text) for text in texts]
        return self

    def add_semantics(self, text: str) -> InstructionBuilder:
        """The computation as HLO text, `ENTRY name { ... }` or only what stands between the braces."""
        entry = _ENTRY.search(text)
        lines = re.sub(r"\bbitcast_convert\(", "bitcast-convert(", entry[1] if entry else text).split(";")
        self.body = self.plain("\n".join(line.strip() for line in lines))
        return self

    def plain(self, text: str) -> str:
        """`text` without sigils; registers that it names are noted."""
        self.registers |= {name: None for sigil, name in _SIGIL.findall(text) if sigil == "s"}
        return _SIGIL.sub(r"\2", text)

    def expression(self, text: str | int) -> Expr:
        return Int(text) if isinstance(text, int) else parse_expr(self.plain(text), f"{self.name}: {text}")

    def build(self) -> Instruction:
        """`UserError` when an operand is not [buffer, starts, lengths] or does not fit its buffer."""
        parameters = self._parameters()
        if len(parameters) != len(self.inputs):
            raise UserError(None, f"{self.name}: {len(self.inputs)} inputs are set, but the semantics have {len(parameters)} parameters")
        reads = tuple(Read(name, self._slice(operand)) for name, operand in zip(parameters, self.inputs, strict=True))
        writes = tuple(Write(self._slice(operand), name) for name, operand in zip(self._results(), self.outputs, strict=True))
        uses = tuple(Use(name, None, name=name) for name in self.registers)
        return Instruction(self.name, self.alpha, self.beta, when=tuple(self.constraints), uses=uses, reads=reads, writes=writes, body=normal_body(self.body))

    def _parameters(self) -> list[str]:
        found = re.findall(r"%?([\w.-]+)\s*=[^=\n]*\bparameter\((\d+)\)", self.body)
        return [name for name, _ in sorted(found, key=lambda each: int(each[1]))]

    def _results(self) -> list[str]:
        """The root alone, or the operands of a root tuple."""
        root = re.search(r"ROOT\s+%?([\w.-]+)\s*=(.*)", self.body)
        several = re.search(r"\btuple\(([^)]*)\)", root[2]) if root else None
        names = re.findall(r"%([\w.-]+)", several[1]) if several else [root[1]] if root else []
        if len(names) != len(self.outputs):
            raise UserError(None, f"{self.name}: {len(self.outputs)} outputs are set, but the semantics have {len(names)} results")
        return names

    def _slice(self, operand: Operand) -> Slice:
        buffer = self.owner.buffer(operand[0]) if len(operand) == 3 else None
        if buffer is None or not len(operand[1]) == len(operand[2]) == len(buffer.access):
            problem = f"{self.name}: expected an operand [buffer, starts, lengths] with one start and length per access dimension, found {operand}"
            raise UserError(None, problem, f"buffers are: {', '.join(self.owner.model.buffers)}")
        lengths = [simplify(self.expression(length)) for length in operand[2]] + [Int(size) for size in buffer.unit]
        indices = tuple(Index(f"i{position}", length) for position, length in enumerate(lengths))
        starts = [self.expression(start) for start in operand[1]] + [Int(0)] * len(buffer.unit)
        places = (simplify(Binary("+", start, Name(index.name))) for start, index in zip(starts, indices, strict=True))
        return Slice(buffer.name, tuple(places), indices)


class Accelerator:
    """An instruction set in the making."""

    def __init__(self, name: str) -> None:
        self.model = model.Accelerator(re.sub(r"\W+", "_", name).strip("_"))
        self.model.buffers[HBM] = Buffer(HBM, "u8", (HBM_BYTES,), (), hbm=True)
        self._instructions: list[InstructionBuilder] = []

    def buffer(self, name: str) -> Buffer | None:
        return self.model.buffers.get(name)

    def add_data_model(self, name: str, access: Sequence[int], unit: Sequence[int], element: str) -> None:
        """A buffer of `element` with dimensions `access` that addresses count and `unit` that one address holds."""
        self.model.buffers[name] = Buffer(name, element, tuple(access), tuple(unit))

    def add_state(self, name: str, element: str, initial: int | None = 0) -> None:
        """A configuration register, `@s.name`."""
        self.model.states[name] = model.State(name, "config", element, None, initial)

    def add_instruction(self, name: str, alpha: Sequence[str], beta: Sequence[str]) -> InstructionBuilder:
        self._instructions.append(InstructionBuilder(self, name, tuple(alpha), tuple(beta)))
        return self._instructions[-1]

    def build(self) -> model.Accelerator:
        """The model, verified; `TaidlErrors` with all that is wrong."""
        self.model.instructions.update({builder.name: builder.build() for builder in self._instructions})
        errors = verify(self.model)
        if errors:
            raise TaidlErrors(errors)
        return self.model

    def generate_oracle(self) -> Machine:
        """A machine that executes this instruction set."""
        from act.oracle import Machine

        return Machine(self.build())

    def generate_backend(self, folder: str | Path | None = None) -> Path:
        """Writes the compiler backend, to backends/<name> by default, and returns its folder."""
        from act.generator.analyse import analyse
        from act.generator.write import write_backend
        from act.taidl.print import print_text

        accelerator = self.build()
        target = Path(folder or Path("backends") / accelerator.name)
        write_backend(target, accelerator, print_text(accelerator), analyse(accelerator))
        return target


__all__ = ["Accelerator", "InstructionBuilder"]
