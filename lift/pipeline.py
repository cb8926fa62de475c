"""From RTL to an instruction set: the whole story, stage by stage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version

from act.taidl import print_text
from act.taidl.text import TaidlErrors
from act.taidl.verify import load
from lift.assemble import Assembly
from lift.assemble import assemble as assemble_functions
from lift.assemble.errors import NotWellFormed
from lift.cache import Store, runs
from lift.cache import sources as same
from lift.crosscheck import stage
from lift.crosscheck.text import summary
from lift.diff.files import read as read_instruction_set
from lift.discover.bursts import single_beats
from lift.discover.commands import Decoder, decoder, only
from lift.discover.contract import Contract, discover, from_the_bus
from lift.discover.descriptor import instructions, print_descriptor
from lift.discover.state import Unit
from lift.errors import UserError
from lift.executed import executed
from lift.files import MARK, check_output, check_writable
from lift.functions import LiftedFunction, update_functions
from lift.ir.build import symbol_name
from lift.lifting import lift_functions, transactions
from lift.netlist.model import Netlist
from lift.options import Options
from lift.outcome import Outcome, together, written
from lift.progress import Progress
from lift.results import Part, Results, write
from lift.summary import Findings, counts, function_counts, report, shortcomings, transactions_report
from lift.units import Candidate, candidates, options_of, whole
from lift.unroll.extract import Lift, extract
from lift.unroll.forget import forgetting
from lift.verilog import read

ADVICE = "name the ports in a descriptor (--print-descriptor shows the form, to fill in), or ask for the functions of the module alone (--emit-ir)"


class NoCommands(UserError):
    """The top module has no command port, or no instructions."""


def lift(options: Options, progress: Progress) -> Outcome:
    """Lift `options.top` and write what was asked for.  Raises UserError for bad input; UnsoundPass, NotWellFormed or Disagreement
    when a check of our own work fails."""
    # Refuse what could not be written, or compared with, before anything is done.
    check_outputs(options)
    if options.compare is not None:
        read_instruction_set(options.compare, verified=True)

    # The same sources, lifted before, need not be read again.
    store = None if options.cache is None else Store(options.cache)
    key = None if store is None or options.cross_check else same.sources_key(options)
    known = None if store is None else same.recall(store, key)
    if known is not None:
        return again(known, options, progress)

    # Verilog to one flat word-level netlist.
    with progress.stage("read"):
        netlist = read_netlist(options)

    # A design that takes commands in several places, and not at its top, is lifted in parts.
    units, parts = units_of(netlist, options), list[Part]()
    outcome = lift_units(units, options, progress, parts) if units else lift_unit(netlist, options, progress, parts)
    if store is not None:
        same.keep(store, key, parts)
    return outcome


def lift_unit(netlist: Netlist, options: Options, progress: Progress, parts: list[Part]) -> Outcome:
    """Lift a design that takes its commands at its top; `parts` is told what was made."""
    # What was lifted before is only written again.
    store = None if options.cache is None else Store(options.cache)
    key = "" if store is None else runs.run_key(netlist, options)
    if options.cross_check:
        return lift_checked(netlist, options, progress, store)
    results = None if store is None else runs.recall(store, key, netlist)
    if results is None:
        try:
            results, _ = lift_netlist(netlist, options, progress, store)
        except NoCommands as error:
            results = without_commands(netlist, options, progress, error)
        if store is not None:
            runs.keep(store, key, netlist, results)
            store.prune()

    # All files, each whole or not at all.
    parts.append(Part(netlist.top, results))
    return written(results, options, progress)


def again(parts: Sequence[Part], options: Options, progress: Progress) -> Outcome:
    """What was made of the same sources before."""
    if len(parts) == 1 and parts[0].unit == options.top and parts[0].results is not None:
        return written(parts[0].results, options, progress)
    for part in parts:
        check_outputs(options_of(part.unit, options))
    outcomes = {p.unit: p.problem if p.results is None else written(p.results, options_of(p.unit, options), progress) for p in parts}
    return together(outcomes, options)


def units_of(netlist: Netlist, options: Options) -> list[Candidate]:
    """The units below the top, when it is not itself one."""
    found: list[Candidate] = []

    def search() -> list[Candidate]:
        if not found:
            found.extend(candidates(netlist))
        return found

    return [] if whole(discover(netlist, options.descriptor), netlist.design, search) else found


def lift_units(units: Sequence[Candidate], options: Options, progress: Progress, parts: list[Part]) -> Outcome:
    """Lift each unit by itself, against the contracts of its neighbours; a file for each, small units first; `parts` is told what was made."""
    ordered = [(unit.netlist, options_of(unit.netlist.top, options, len(units))) for unit in sorted(units, key=lambda u: len(u.netlist.registers))]
    for _, part in ordered:
        check_outputs(part)
    outcomes: dict[str, Outcome | str] = {}
    wrong: NotWellFormed | None = None
    for netlist, part in ordered:
        progress.step(netlist.top)
        try:
            with forgetting():
                outcomes[netlist.top] = lift_unit(netlist, part, progress, parts)
        except NoCommands as error:
            outcomes[netlist.top] = str(error)
            parts.append(Part(netlist.top, None, str(error)))
        except NotWellFormed as error:  # the other units are lifted all the same
            wrong = error
    if wrong is not None:
        raise wrong
    return together(outcomes, options)


def lift_checked(netlist: Netlist, options: Options, progress: Progress, store: Store | None) -> Outcome:
    """Ask other tools what the RTL does, lift, and try the functions on the RTL before anything is written.  A module without commands is only
    checked."""
    with progress.stage("check"):
        found = stage.reading_checked(netlist, options, progress.step)
    try:
        results, functions = lift_netlist(netlist, options, progress, store)
    except NoCommands as error:
        results, functions = Results("", "", {}, (f"nothing was lifted: {error.problem}",)), None
    if functions is not None:
        with progress.stage("check"):
            found = stage.lift_checked(found, netlist, functions, options, progress.step)
    results = replace(results, counts=results.counts | stage.numbers(found))
    return Outcome(write(results, options, progress.seconds), list(results.shortcomings), summary(found))


def lift_netlist(netlist: Netlist, options: Options, progress: Progress, store: Store | None) -> tuple[Results, Lift]:
    """The results for a design, of which parts may be in `store`, and its functions before the passes."""
    # The ports by which it is commanded and reaches memory; its instructions.
    with progress.stage("discover"):
        contract, decoded = understand(netlist, options)

    # Every instruction, cycle by cycle, from idle to idle, until the architectural state is known.
    with progress.stage("execute"):
        found = executed(single_beats(netlist, contract), contract, decoded, progress.step, store, options.sharing)

    # What each of them does, and the instruction set.
    functions, lifted, assembly = said(found.unit, netlist, options, progress)
    found.keep()

    findings = Findings(functions, lifted, assembly.opaque, options.prove, assembly.about, assembly.tokens, assembly.only)
    return results_of(findings, assembly, options), functions


Said = tuple[Lift, list[LiftedFunction], Assembly]


def said(unit: Unit, netlist: Netlist, options: Options, progress: Progress, data: frozenset[str] = frozenset()) -> Said:
    """From executions to an instruction set, in which registers that hold `data` are buffers, and those that turn out to."""
    # What each instruction does to each state variable.
    with progress.stage("extract"):
        functions = extract(unit, data)

    # From bits to tensors: IR, eight passes, a proof of each change.
    lifted = lift_functions(update_functions(functions), options, progress)
    lifted += transactions(netlist, options, progress) if functions.opaque else []

    # The tensor functions of all modes to one instruction set.
    with progress.stage("assemble"):
        assembly = assemble(functions, lifted, options, progress)

    if not assembly.data - data:
        return functions, lifted, assembly
    other = said(unit, netlist, options, progress, data | assembly.data)
    return other if len(other[2].opaque) < len(assembly.opaque) else (functions, lifted, assembly)


def describe(options: Options) -> str:
    """The descriptor (TOML) of what discovery finds, without lifting anything."""
    netlist = read_netlist(options)
    contract = discover(netlist, options.descriptor)
    return print_descriptor(contract, _decoder(netlist, contract, options), netlist)


def check_outputs(options: Options) -> None:
    check_output(options.output)
    for folder in (options.emit_ir, options.report):
        if folder is not None:
            check_writable(folder, folder=True)
    if options.json is not None:
        check_writable(options.json)


def read_netlist(options: Options) -> Netlist:
    netlist = read(
        options.paths,
        options.top,
        frontend=options.frontend,
        defines=options.defines,
        parameters=options.parameters,
        black_boxes=options.black_boxes,
        file_lists=options.file_lists,
        assertions=True,
    )
    return from_the_bus(netlist, options.descriptor)


def understand(netlist: Netlist, options: Options) -> tuple[Contract, Decoder]:
    """The contract of the top module and its instructions.  Raises UserError when it has none."""
    contract = discover(netlist, options.descriptor)
    where = options.sources
    if contract.command is None:
        expected = f"expected inputs P_valid and P_* and an output P_ready, found the inputs {', '.join(netlist.inputs)}"
        raise NoCommands(where, f"module '{netlist.top}' has no command port: {expected}", ADVICE)
    decoded = _decoder(netlist, contract, options)
    if decoded is None:
        words = ", ".join(contract.command.words.values())
        raise NoCommands(where, f"module '{netlist.top}' has no instructions: nothing of its command ({words}) is compared with constants", ADVICE)
    return contract, decoded


def _decoder(netlist: Netlist, contract: Contract, options: Options) -> Decoder | None:
    if contract.command is None:
        return None
    found = instructions(options.descriptor, contract.command, netlist) or decoder(netlist, contract.command)
    return only(contract.command) if found is None and contract.command.held else found


def without_commands(netlist: Netlist, options: Options, progress: Progress, error: NoCommands) -> Results:
    """The functions of a module that takes no commands; no instruction set.  Raises NoCommands when functions were not asked for."""
    lifted = transactions(netlist, options, progress)
    if not lifted:
        raise error
    short = f"{error.problem}: its functions were lifted, and no instruction set was written"
    return Results("", transactions_report(lifted), function_counts(lifted, options.prove), (short,), ir_texts(lifted))


def assemble(functions: Lift, lifted: list[LiftedFunction], options: Options, progress: Progress) -> Assembly:
    modules = {f.key: (f.function, f.lifted.original) for f in lifted}
    return assemble_functions(functions, modules, options.name, header(options), progress.step)


def header(options: Options) -> str:
    """Where the instruction set comes from; the same on every machine."""
    given = [f"-D {k}={v}" for k, v in options.defines.items()] + [f"-P {k}={v}" for k, v in options.parameters.items()]
    return f"Lifted from module {options.top} of {options.sources}{' with ' if given else ''}{' '.join(given)}."


def results_of(findings: Findings, assembly: Assembly, options: Options) -> Results:
    """The texts, well-formed.  Raises NotWellFormed."""
    text = f"{MARK} {version('tensorlift')} from {options.sources}. Do not edit.\n{print_text(assembly.accelerator)}"
    check(text, options)
    ir = ir_texts(findings.lifted) if options.emit_ir is not None else {}
    return Results(text, report(findings), counts(findings), tuple(shortcomings(findings)), ir)


def check(text: str, options: Options) -> None:
    """Reads and verifies what is about to be written, whatever was verified when it was put together.  Raises NotWellFormed."""
    try:
        load(text, str(options.output))
    except TaidlErrors as error:
        raise NotWellFormed(f"the instruction set that was put together is not well-formed\n{error}") from error


def ir_texts(lifted: Sequence[LiftedFunction]) -> dict[str, str]:
    """<unit>/<instruction>__<state variable>.raw.mlir before the passes and .lifted.mlir after them."""
    texts: dict[str, str] = {}
    for function in lifted:
        update = function.function
        stem = f"{symbol_name(update.unit)}/{symbol_name(update.instruction)}__{symbol_name(update.target)}"
        texts[f"{stem}.raw.mlir"] = function.raw or ""
        texts[f"{stem}.lifted.mlir"] = str(function.module) + "\n"
    return texts
