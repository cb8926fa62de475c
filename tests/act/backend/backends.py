"""Backends of the reference instruction sets, for tests."""

from functools import cache
from pathlib import Path

from act.backend.compile import Backend, compile_module
from act.generator.analyse import analyse
from act.hlo import parse_module
from act.program import Program, isa_digest
from act.taidl import parse, print_text

ROOT = Path(__file__).parents[3]
SYSTOLIC = ROOT / "isas" / "reference" / "systolic16.taidl"


@cache
def backend_of(text: str) -> Backend:
    accelerator = parse(text)
    return Backend(accelerator, analyse(accelerator), isa_digest(print_text(accelerator)))


def systolic() -> Backend:
    return backend_of(SYSTOLIC.read_text())


def program_of(text: str, backend: Backend | None = None) -> Program:
    return compile_module(backend or systolic(), parse_module(text)).program


def hlo(*lines: str) -> str:
    """A module of these instructions; the last is the root."""
    body = [*lines[:-1], f"ROOT {lines[-1]}"]
    return "HloModule test\n\nENTRY main {\n" + "\n".join(f"  {line}" for line in body) + "\n}\n"
