"""A program -> text in one of the forms that `act-cc --emit` knows."""

from __future__ import annotations

from typing import Literal

from act.program import Program, print_program
from act.taidl.model import Accelerator

Form = Literal["asm", "c", "python", "mlir"]
FORMS: tuple[Form, ...] = ("asm", "c", "python", "mlir")


def render_program(form: Form, accelerator: Accelerator, program: Program) -> str:
    """`UserError` when the program cannot be said in this form."""
    match form:
        case "c":
            from act.backend.emit_c import emit_c

            return emit_c(accelerator, program)
        case "python":
            from act.backend.emit_python import emit_python

            return emit_python(accelerator, program)
        case "mlir":
            from act.backend.emit_mlir import emit_mlir

            return emit_mlir(accelerator, program)
    return print_program(program)
