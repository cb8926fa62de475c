"""Backends of the reference instruction sets, for tests."""

from functools import cache
from pathlib import Path

from act.backend.compile import Backend, compile_module
from act.backend.verify import Disagreement, disagreement
from act.generator.analyse import analyse
from act.hlo import parse_module
from act.program import Program, isa_digest
from act.taidl import parse, print_text

ROOT = Path(__file__).parents[3]
REFERENCE = ROOT / "isas" / "reference"
SYSTOLIC = REFERENCE / "systolic16.taidl"


@cache
def backend_of(text: str) -> Backend:
    accelerator = parse(text)
    return Backend(accelerator, analyse(accelerator), isa_digest(print_text(accelerator)))


def systolic() -> Backend:
    return backend_of(SYSTOLIC.read_text())


@cache
def reference(name: str) -> Backend:
    """Of a reference instruction set, by its name."""
    return backend_of((REFERENCE / f"{name}.taidl").read_text())


def error_of(backend: Backend, text: str) -> Disagreement | None:
    """What the program of a kernel computes otherwise than the kernel says."""
    module = parse_module(text)
    return disagreement(backend.accelerator, module, compile_module(backend, module).program, seed=1, rounds=2)


def program_of(text: str, backend: Backend | None = None) -> Program:
    return compile_module(backend or systolic(), parse_module(text)).program


def hlo(*lines: str) -> str:
    """A module of these instructions; the last is the root."""
    body = [*lines[:-1], f"ROOT {lines[-1]}"]
    return "HloModule test\n\nENTRY main {\n" + "\n".join(f"  {line}" for line in body) + "\n}\n"
