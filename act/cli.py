"""act-gen: an instruction set in TAIDL -> a compiler backend.  act-cc: an HLO kernel -> a program, by such a backend."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter

from act.errors import UserError

DONE, REJECTED, DISAGREES = 0, 1, 4


def gen_main(argv: Sequence[str] | None = None) -> int:
    """Exit status 0 done, 1 input rejected, 2 usage."""
    parser = argparse.ArgumentParser(prog="act-gen", description="Generate a compiler backend from an instruction set.")
    parser.add_argument("spec", metavar="SPEC.taidl", help="the instruction set")
    parser.add_argument("-o", metavar="DIR", dest="output", help="the folder of the backend (default: backends/<accelerator>)")
    parser.add_argument("--list-rules", action="store_true", help="print what was derived from each instruction, and write nothing")
    parser.add_argument("--json", metavar="FILE", help="write seconds and counts")
    return _guarded(_generate, parser.parse_args(argv))


def cc_main(argv: Sequence[str] | None = None) -> int:
    """Exit status 0 done, 1 input rejected or no program found, 2 usage, 4 the program disagrees with the reference (`--check`)."""
    parser = argparse.ArgumentParser(prog="act-cc", description="Compile an HLO kernel to a program for an accelerator.")
    parser.add_argument("backend", metavar="DIR", help="the backend that act-gen wrote")
    parser.add_argument("kernel", metavar="KERNEL.hlo", help="HLO text, as XLA and jax print it")
    parser.add_argument("-o", metavar="OUT", dest="output", help="where to write the program (default: standard output)")
    parser.add_argument("--emit", choices=["asm", "c", "python", "mlir"], default="asm", help="the form of the program")
    parser.add_argument("--check", action="store_true", help="before writing, run the program and the kernel on random and edge-case inputs")
    parser.add_argument("--search", action="store_true", help="compare programs by the cost clauses, and take the cheapest (default: the first)")
    parser.add_argument("--budget", metavar="STEPS", type=_positive, help="how many values in memories and instructions are looked at (default: 50000)")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="breaks ties between programs, and makes the inputs of --check")
    parser.add_argument("--alias", metavar="OUTPUT=INPUT", type=_alias, action="append", default=[], help="an output that takes over the memory of an input")
    parser.add_argument("--stats", metavar="FILE.json", help="write seconds and counts")
    parser.add_argument("--report", metavar="DIR", help="write what was found on the way: e-graph and operations")
    return _guarded(_compile, parser.parse_args(argv))


def _positive(text: str) -> int:
    if (value := int(text)) < 1:
        raise ValueError
    return value


def _alias(text: str) -> tuple[int, str]:
    """`out0=a` is (0, "a")."""
    output, _, name = text.partition("=")
    if not output.startswith("out") or not name:
        raise ValueError
    return int(output.removeprefix("out")), name


def _guarded(action: Callable[[argparse.Namespace], int], arguments: argparse.Namespace) -> int:
    try:
        return action(arguments)
    except UserError as error:
        print(error, file=sys.stderr)
        return REJECTED


def _generate(arguments: argparse.Namespace) -> int:
    from act.files import read_text
    from act.generator.analyse import analyse
    from act.generator.listing import listing, summary
    from act.generator.unusable import message
    from act.generator.write import write_backend
    from act.taidl import print_text
    from act.taidl.verify import load

    start = perf_counter()
    accelerator = load(read_text(arguments.spec, "an instruction set in TAIDL"), arguments.spec)
    parsed = perf_counter()
    rules = analyse(accelerator)
    seconds = {"parse_s": parsed - start, "analyse_s": perf_counter() - parsed}
    if arguments.list_rules:
        print(listing(accelerator, rules))
    else:
        folder = Path(arguments.output or Path("backends") / accelerator.name)
        write_backend(folder, accelerator, print_text(accelerator), rules)
        print("\n  ".join(filter(None, (f"{folder}: {summary(rules)}", message(accelerator, rules)))))
    counts = {"selectors": len(rules.selectors), "setters": len(rules.setters), "unused": len(rules.unused)}
    _write_json(arguments.json, {**seconds, **counts})
    return DONE


def _compile(arguments: argparse.Namespace) -> int:
    from act.backend.compile import BUDGET, Choice, Statistics, compile_module
    from act.backend.formats import render_program
    from act.files import read_text
    from act.generator.write import load_backend
    from act.hlo.parse import parse_module

    statistics = Statistics()
    with statistics.stage("load"):
        backend = load_backend(Path(arguments.backend))
    with statistics.stage("parse"):
        module = parse_module(read_text(arguments.kernel, "a kernel in HLO text"), arguments.kernel)
    budget = arguments.budget or BUDGET
    compiled = compile_module(backend, module, statistics, budget, Choice(budget, arguments.search, arguments.seed, aliases=tuple(arguments.alias)))
    if arguments.check:
        with statistics.stage("oracle"):
            status = _check(arguments, backend, module, compiled.program)
        if status != DONE:
            return status
    _report(arguments.report, compiled)
    _write(arguments.output, render_program(arguments.emit, backend.accelerator, compiled.program))
    _write_json(arguments.stats, statistics.values)
    return DONE


def _check(arguments: argparse.Namespace, backend, module, program) -> int:
    from act.backend.verify import disagreement

    found = disagreement(backend.accelerator, module, program, arguments.seed)
    if found is None:
        print(f"{arguments.kernel}: the program equals the reference on all inputs of the check", file=sys.stderr)
        return DONE
    print(f"{arguments.kernel}: error: {found}\n  no program was written; please report this: it is a bug of the compiler", file=sys.stderr)
    return DISAGREES


def _report(folder: str | None, compiled) -> None:
    from act.files import write_bytes

    if folder is None:
        return
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(folder, f"cannot write: {error.strerror}", "give a folder that may be written to") from None
    for name, text in compiled.report().items():
        write_bytes(Path(folder) / name, text.encode())


def _write(path: str | None, text: str) -> None:
    from act.files import write_bytes

    if path is None:
        print(text, end="")
    else:
        write_bytes(path, text.encode())


def _write_json(path: str | None, values: dict[str, float]) -> None:
    if path is None:
        return
    import json
    import resource

    from act.files import write_bytes

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    write_bytes(path, (json.dumps({**values, "peak_mb": round(peak, 1)}, indent=2) + "\n").encode())
