"""act-run: a program + inputs -> outputs, on the oracle or on a runner."""

from __future__ import annotations

import argparse
import io
import json
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from act.errors import UserError
from act.files import read_text, write_bytes
from act.oracle import Machine, MachineError
from act.program import Program, isa_digest, parse_program
from act.runner import run_on
from act.taidl import Accelerator, parse, print_text

ISA_FILE = "isa.taidl"
"""The copy of the instruction set in a backend's folder."""


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status 0 done, 1 input rejected or program not executable, 2 usage."""
    arguments = _parser().parse_args(argv)
    try:
        return _run(arguments)
    except UserError as error:
        print(error, file=sys.stderr)
    except MachineError as error:
        print(UserError(arguments.program, str(error), "compile the program for this instruction set, or correct it"), file=sys.stderr)
    return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="act-run", description="Run a compiled program.")
    parser.add_argument("backend", metavar="DIR", help="the backend that act-gen wrote (or a .taidl file)")
    parser.add_argument("program", metavar="PROGRAM.asm", help="the program that act-cc wrote")
    parser.add_argument("--inputs", metavar="IN.npz", required=True, help="one array for each HLO parameter, by its name")
    parser.add_argument(
        "--on",
        metavar="oracle|jitted|RUNNER",
        default="oracle",
        help="the TAIDL oracle (default); the same compiled by JAX, for large programs; or an executable runner",
    )
    parser.add_argument("-o", metavar="OUT.npz", dest="output", help="where to write the outputs out0, out1, ...")
    return parser


def _run(arguments: argparse.Namespace) -> int:
    accelerator, program = load_isa(arguments.backend), _load_program(arguments.program)
    _check_isa(accelerator, program, arguments.program)
    inputs = _load_inputs(arguments.inputs)
    if arguments.on in ("oracle", "jitted"):
        results, cycles = _machine(arguments.on, accelerator).run(program, inputs), None
    else:
        result = run_on(arguments.on, accelerator, program, inputs)
        results, cycles = result.outputs, result.cycles
    if arguments.output:
        write_bytes(arguments.output, _npz(results))
    _report(program, results, cycles)
    return 0


def _machine(kind: str, accelerator: Accelerator) -> Machine:
    if kind == "oracle":
        return Machine(accelerator)
    from act.oracle.jitted import JittedMachine

    return JittedMachine(accelerator)


def load_isa(path: str) -> Accelerator:
    """The instruction set in a backend's folder, or in a `.taidl` file."""
    file = Path(path) / ISA_FILE if Path(path).is_dir() else Path(path)
    if not file.exists():
        raise UserError(path, f"expected a backend with a file {ISA_FILE}, found none", "write one: act-gen SPEC.taidl -o DIR")
    return parse(read_text(file, "an instruction set"), str(file))


def _load_program(path: str) -> Program:
    return parse_program(read_text(path, "a program"), path)


def _check_isa(accelerator: Accelerator, program: Program, path: str) -> None:
    if program.isa != accelerator.name:
        raise UserError(path, f"expected a program for '{accelerator.name}', found one for '{program.isa}'", "give the program's own backend")
    if program.sha256 != isa_digest(print_text(accelerator)):
        problem = f"the program was compiled for another version of '{accelerator.name}' (the digests differ)"
        raise UserError(path, problem, "compile the kernel again with this backend")


def _load_inputs(path: str) -> dict[str, Any]:
    try:
        with np.load(path, allow_pickle=False) as archive:
            if not hasattr(archive, "files"):
                raise ValueError
            return {name: archive[name] for name in archive.files}
    except OSError as error:
        reason = f"cannot read the inputs: {error.strerror or error}"
    except (ValueError, EOFError, AttributeError, TypeError, zipfile.BadZipFile):
        reason = "expected inputs in an .npz file, found something else"
    raise UserError(path, reason, "write them by numpy.savez(FILE, NAME=ARRAY, ...)")


def _npz(arrays: Mapping[str, Any]) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def _report(program: Program, results: Mapping[str, Any], cycles: int | None) -> None:
    """One line of JSON: how many commands, the outputs with shape and type, and the cycles where they were counted."""
    shown = {name: f"{array.dtype}[{','.join(map(str, array.shape))}]" for name, array in results.items()}
    counted = {} if cycles is None else {"cycles": cycles}
    print(json.dumps({"commands": len(program.commands), "outputs": shown, **counted}))


if __name__ == "__main__":
    sys.exit(main())
