"""`tensorlift-opt IN.mlir -p PASS,PASS`: passes by name over a module of lifted functions, stdin to stdout by default.

Every application is proved before it is kept; what was not kept is said on stderr.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser
from xdsl.utils.arg_spec import parse_pipeline
from xdsl.utils.exceptions import ArgSpecParseError, ParseError, VerifyException

from lift.errors import UserError
from lift.ir.operations import context
from lift.passes import PASSES, LiftPass, PassReport, run_passes
from lift.prove import Prover
from lift.unroll.machine import with_deep_recursion

NAMES = {kind.name: kind for kind in PASSES}


def main(argv: Sequence[str] | None = None) -> int:
    """The exit status: 0 done, 1 bad input, 2 usage."""
    parser = argparse.ArgumentParser(prog="tensorlift-opt", description="Run lifting passes over MLIR text; every change is proved before it is kept.")
    parser.add_argument("input", nargs="?", default="-", metavar="IN.mlir", help="a module (default: stdin)")
    parser.add_argument("-p", "--passes", default="", metavar="PASS,PASS", help=f"in this order: {', '.join(NAMES)}, or `all`")
    parser.add_argument("-o", "--output", default="-", metavar="OUT.mlir", help="where to write (default: stdout)")
    parser.add_argument("--statistics", action="store_true", help="say on stderr what each pass did")
    options = parser.parse_args(argv)
    try:
        with_deep_recursion(lambda: _run(options))
    except UserError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _run(options: argparse.Namespace) -> None:
    module = read(options.input)
    for report in run_passes(module, pipeline(options.passes), Prover()):
        _tell(report, options.statistics)
    write(options.output, str(module) + "\n")


def pipeline(text: str) -> tuple[LiftPass, ...]:
    """`a1-canon-bitmanip,b4-specialize-control{set="act=1"}` as passes.  Raises UserError."""
    if text == "all":
        return tuple(kind() for kind in PASSES)
    try:
        specs = list(parse_pipeline(text))
        unknown = [spec.name for spec in specs if spec.name not in NAMES]
        if unknown:
            raise UserError(None, f"expected the name of a pass, found {unknown[0]!r}", f"the passes are {', '.join(NAMES)}")
        return tuple(NAMES[spec.name].from_pass_spec(spec) for spec in specs)
    except (ArgSpecParseError, ValueError) as error:
        raise UserError(None, f"expected passes separated by commas, found {text!r}: {error}", 'options are written PASS{name="value"}') from error


def read(source: str) -> ModuleOp:
    """A module from a file or stdin ("-").  Raises UserError."""
    try:
        text = sys.stdin.read() if source == "-" else Path(source).read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(source, f"cannot be read: {error}", "give a file of MLIR text") from error
    name = "<stdin>" if source == "-" else source
    try:
        module = Parser(context(), text, name).parse_module()
        module.verify()
    except ParseError as error:
        line, column = _place(error)
        raise UserError(f"{name}:{line}:{column}", f"not a module of the func, arith, memref and scf dialects: {error.args[-1]}", None) from error
    except VerifyException as error:
        raise UserError(name, f"does not verify: {error}", None) from error
    return module


def _place(error: ParseError) -> tuple[int, int]:
    before = str(error.span.input.content)[: error.span.start]
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


def write(target: str, text: str) -> None:
    """To stdout ("-"), or to a file that appears whole or not at all.  Raises UserError."""
    if target == "-":
        sys.stdout.write(text)
        return
    temporary = Path(f"{target}.{os.getpid()}.tmp")
    try:
        temporary.write_text(text)
        temporary.replace(target)
    except OSError as error:
        raise UserError(target, f"cannot be written: {error}", "choose another file with -o") from error


def _tell(report: PassReport, statistics: bool) -> None:
    if statistics:
        print(f"{report.name} @{report.function}: {report.proved} proved, {report.unknown} unknown, {report.refuted} refuted", file=sys.stderr)
    elif report.unknown:
        print(f"{report.name} @{report.function}: {report.unknown} not kept, as neither proved nor refuted", file=sys.stderr)
