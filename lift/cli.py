"""tensorlift: the RTL of an accelerator -> its instruction set in TAIDL."""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lift.cache.store import default_directory
from lift.diff.cli import main as compare
from lift.errors import UserError
from lift.options import Options

if TYPE_CHECKING:
    from lift.crosscheck.stage import Disagreement
    from lift.pipeline import Outcome

DONE, REJECTED, USAGE, PARTIAL, DISAGREES, INTERRUPTED = 0, 1, 2, 3, 4, 130
OTHER = "tensorlift diff OLD.taidl NEW.taidl says what changed between two instruction sets"
IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status 0 done, 1 input rejected, 2 usage, 3 done in part, 4 a check of our own work failed; `tensorlift diff` has those of `diff`."""
    argv = list(sys.argv[1:] if argv is None else argv)
    if argv[:1] == ["diff"]:
        return compare(argv[1:])
    parser = argument_parser()
    arguments = parser.parse_args(argv)
    options = read_options(parser, arguments)
    try:
        return run(options, arguments)
    except UserError as error:
        print(error, file=sys.stderr)
        return REJECTED
    except KeyboardInterrupt:
        print("interrupted; nothing more was written", file=sys.stderr)
        return leave(INTERRUPTED)


def argument_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tensorlift", description="Lift the RTL of an accelerator to its instruction set in TAIDL.", epilog=OTHER)
    parser.add_argument("paths", nargs="*", metavar="DIR", type=Path, help="folders or files of Verilog or SystemVerilog")
    parser.add_argument("--top", required=True, help="the module to lift")
    parser.add_argument("-o", metavar="FILE.taidl", dest="output", type=Path, help="where to write (default: isas/generated/NAME.taidl)")
    parser.add_argument("--name", type=_identifier, help="name of the accelerator (default: the last component of DIR)")
    parser.add_argument("--frontend", choices=["slang", "pyverilog"], default="slang", help="the reader (default: slang)")
    parser.add_argument("--descriptor", metavar="FILE.toml", type=Path, help="ports and their roles, where they are not to be found by name")
    parser.add_argument("--print-descriptor", action="store_true", help="print the descriptor that is found, and stop")
    parser.add_argument("-f", metavar="FILELIST", dest="file_lists", type=Path, action="append", default=[], help="a file that lists source files")
    parser.add_argument("-D", metavar="MACRO=VALUE", dest="defines", type=_define, action="append", default=[], help="define a macro")
    parser.add_argument("-P", metavar="PARAM=VALUE", dest="parameters", type=_parameter, action="append", default=[], help="a parameter of the top module")
    parser.add_argument(
        "--black-box", metavar="MODULE", dest="black_boxes", action="append", default=[], help="leave a module out; its ports become ports of the design"
    )
    parser.add_argument("--emit-ir", metavar="DIR", type=Path, help="write each update function before and after the passes (.mlir)")
    parser.add_argument("--report", metavar="DIR", type=Path, help="write report.txt: modes, assumptions, what is opaque and why, what each pass did")
    parser.add_argument(
        "--compare", metavar="FILE.taidl", type=Path, help="with --report: write compare.txt, what a hand-written instruction set lacks, or has beyond the RTL"
    )
    parser.add_argument("--cross-check", action="store_true", help="check every module against yosys, and every instruction against Icarus Verilog")
    parser.add_argument("--no-prove", dest="prove", action="store_false", help="test changes on random values instead of proving them")
    parser.add_argument("--jobs", metavar="N", type=_positive, default=processors(), help="how many processes lift functions (default: one a processor)")
    parser.add_argument("--executor", metavar="dask:ADDRESS", help="work on a cluster (not available yet)")
    parser.add_argument("--cache", metavar="DIR", type=Path, help="where to keep results for other runs (default: $XDG_CACHE_HOME or ~/.cache, tensorlift)")
    parser.add_argument("--no-cache", dest="keep", action="store_false", help="work everything out anew, and keep nothing")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write seconds and counts")
    parser.add_argument("--allow-partial", action="store_true", help="exit status 0, not 3, when something is opaque, unproved or vacuous")
    return parser


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def read_options(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> Options:
    """Ends the process with status 2 when the arguments make no sense together, or ask for what is not there yet."""
    if not arguments.paths and not arguments.file_lists:
        parser.error("no sources: give a DIR or a FILELIST (-f)")
    if arguments.executor:
        parser.error("--executor is not available yet; --jobs N uses this machine")
    if arguments.compare and not arguments.report:
        parser.error("--compare is part of the report: say where that goes (--report DIR)")
    name = arguments.name or default_name(arguments.paths[0] if arguments.paths else Path(arguments.top))
    return Options(
        tuple(arguments.paths),
        arguments.top,
        arguments.output or Path("isas/generated") / f"{name}.taidl",
        name,
        arguments.frontend,
        arguments.descriptor,
        tuple(arguments.file_lists),
        dict(arguments.defines),
        dict(arguments.parameters),
        tuple(arguments.black_boxes),
        arguments.emit_ir,
        arguments.report,
        arguments.json,
        arguments.prove,
        arguments.jobs,
        arguments.cache or default_directory() if arguments.keep else None,
        arguments.cross_check,
        arguments.compare,
    )


def default_name(path: Path) -> str:
    """The last component of a path, as an identifier."""
    name = re.sub(r"\W", "_", path.resolve().stem, flags=re.ASCII)
    return name if IDENTIFIER.fullmatch(name) else f"_{name}"


def run(options: Options, arguments: argparse.Namespace) -> int:
    from lift.crosscheck.stage import Disagreement
    from lift.pipeline import NotWellFormed, describe
    from lift.prove.session import UnsoundPass
    from lift.unroll.machine import with_deep_recursion

    if arguments.print_descriptor:
        print(with_deep_recursion(lambda: describe(options)), end="")
        return DONE
    try:
        outcome = lift_with_progress(options)
    except (UnsoundPass, NotWellFormed) as error:
        print(f"error: {error}\n  {options.output} was not written; please report this: it is a bug of tensorlift", file=sys.stderr)
        return DISAGREES
    except Disagreement as error:
        return show_disagreement(error, options)
    numbers = outcome.counts
    if "instructions" in numbers:
        where = f"{options.output}: {numbers['instructions']} instructions, " if numbers["instructions"] else ""
        print(f"{where}{numbers['functions']} update functions, {numbers['proved']} changes proved")
    if outcome.checked:
        print(outcome.checked)
    for line in outcome.shortcomings:
        print(f"in part only: {line}", file=sys.stderr)
    return PARTIAL if outcome.shortcomings and not arguments.allow_partial else DONE


def show_disagreement(error: Disagreement, options: Options) -> int:
    from lift.crosscheck.text import different, summary

    print(summary(error.report))
    for verdict in error.report.different:
        print(different(verdict), file=sys.stderr)
    print(f"error: {error}\n  {options.output} was not written; please report this: it is a bug of tensorlift or of the other tool", file=sys.stderr)
    return DISAGREES


def lift_with_progress(options: Options) -> Outcome:
    from lift.pipeline import lift
    from lift.progress import for_stream
    from lift.unroll.machine import with_deep_recursion

    # A run makes millions of terms and few cycles: collecting costs more than it frees.
    collecting = gc.isenabled()
    gc.disable()
    try:
        with for_stream(sys.stderr) as progress:
            return with_deep_recursion(lambda: lift(options, progress))
    finally:
        if collecting:
            gc.enable()


def leave(status: int) -> int:
    """Ends the process, and those that it started, even though a working thread still runs."""
    for child in multiprocessing.active_children():
        child.terminate()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _identifier(text: str) -> str:
    if not IDENTIFIER.fullmatch(text):
        raise argparse.ArgumentTypeError(f"expected a name of letters, digits and underscores, found {text!r}")
    return text


def _define(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return _identifier(name), value


def _parameter(text: str) -> tuple[str, int | str]:
    name, equals, value = text.partition("=")
    if not equals or not value:
        raise argparse.ArgumentTypeError(f"expected PARAM=VALUE, found {text!r}")
    try:
        return _identifier(name), int(value, 0)
    except ValueError:
        return name, value


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a positive number, found {text!r}")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
