"""RTL in the tree -> update functions before and after the passes, each lifted from scratch with a prover of its own.

Everything is turned into IR at once, so that nothing here depends on the table of terms afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from pathlib import Path

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr

from act.taidl import Accelerator, print_text
from act.taidl.verify import load
from lift.discover.commands import decoder
from lift.discover.contract import discover
from lift.discover.state import find
from lift.functions import update_functions
from lift.ir.build import build
from lift.ir.operations import functions
from lift.lifting import lift_functions
from lift.netlist.model import Netlist
from lift.options import Options
from lift.passes import PASSES, PassReport, run_passes
from lift.passes.reuse import Lifter
from lift.pipeline import assemble
from lift.progress import Progress
from lift.prove import Prover
from lift.unroll import terms
from lift.unroll.extract import Lift, Mode, extract
from lift.unroll.function import Argument, UpdateFunction
from lift.unroll.machine import Machine, with_deep_recursion
from lift.unroll.step import step
from lift.verilog import read
from proofs import second
from proofs.meaning import meaning, rtl_name
from proofs.replay import OneCycle

ROOT = Path(__file__).parent.parent
RTL = ROOT / "rtl" / "gemmini"
GENERATED = ROOT / "isas" / "generated" / "gemmini.taidl"
GENERATED_DIM = 16
SPECIALIZE = "taidl.specialize"


def text_of(function: func.FuncOp) -> str:
    """The same for functions that differ only in the mode that they are named after."""
    copy = function.clone()
    copy.attributes["taidl.instruction"] = copy.properties["sym_name"] = StringAttr("")
    return str(copy)


class Target:
    """One update function: `raw` as unrolled, `lifted` after the passes (run on first use, by a fresh prover), `reports` what the passes did.  With a
    `lifter`, functions that differ in names only are lifted once, as `lift` does; the copies are compared like all others."""

    def __init__(self, function: UpdateFunction, lifter: Lifter | None = None) -> None:
        self.name, self._function, self._lifter = function.target, function, lifter
        self._module = build(function)

    @property
    def raw(self) -> func.FuncOp:
        return functions(self._module)[0]

    @cached_property
    def _after(self) -> tuple[ModuleOp, list[PassReport]]:
        if self._lifter is None:
            return lifted(self._module)
        self._lifter.prover = Prover(second=second.is_asked())
        found = self._lifter.lift(self._function)
        return found.module, list(found.reports)

    @property
    def lifted(self) -> func.FuncOp:
        return functions(self._after[0])[0]

    @property
    def reports(self) -> list[PassReport]:
        return self._after[1]

    def specialised(self, *fixed: str) -> dict[tuple[int, ...], func.FuncOp]:
        """The lifted functions for every combination of values of those of the one-bit arguments `fixed` that the function has; the key
        gives every one of `fixed` a value."""
        present = [rtl_name(self.raw, i) for i in range(len(self.raw.args))]
        chosen = [name for name in fixed if name in present]
        module = self._module.clone()
        modes = list(product((0, 1), repeat=len(chosen)))
        if chosen:
            each = [DictionaryAttr({n: IntegerAttr(v, 64) for n, v in zip(chosen, mode, strict=True)}) for mode in modes]
            functions(module)[0].attributes[SPECIALIZE] = ArrayAttr(each)
        by_mode = dict(zip(modes, functions(lifted(module)[0]), strict=True))
        return {values: by_mode[tuple(v for n, v in zip(fixed, values, strict=True) if n in chosen)] for values in product((0, 1), repeat=len(fixed))}


def lifted(raw: ModuleOp) -> tuple[ModuleOp, list[PassReport]]:
    """A copy after the eight passes, and their reports; nothing is remembered from other proofs."""
    module = raw.clone()
    return module, run_passes(module, [p() for p in PASSES], Prover(second=second.is_asked()))


def netlist(top: str, folder: Path = RTL, **parameters: int) -> Netlist:
    return read([folder], top, parameters=parameters)


@dataclass(frozen=True, slots=True)
class Cycle:
    """One clock cycle of a module: by name, its registers' next values and its outputs."""

    design: Netlist
    registers: dict[str, Target]
    outputs: dict[str, Target]

    @property
    def all(self) -> dict[str, Target]:
        return self.registers | self.outputs

    @property
    def subject(self) -> OneCycle:
        """On what counterexamples are replayed: the functions after the passes, and the RTL."""
        return OneCycle(self.design, {n: meaning(t.lifted).results[0] for n, t in self.all.items()})


def cycle(design: Netlist) -> Cycle:
    one = step(design)
    return Cycle(design, {n: Target(f) for n, f in one.registers.items()}, {n: Target(f) for n, f in one.outputs.items()})


def unlifted_cycle(design: Netlist) -> OneCycle:
    """The functions as unrolled, and the RTL."""
    one = step(design)
    return OneCycle(design, {n: meaning(Target(f).raw).results[0] for n, f in {**one.registers, **one.outputs}.items()})


@dataclass(frozen=True)
class Case:
    """One mode of an instruction: `facts` and `domain` are functions that return 1 where it applies and where its loops end.  With `loops` (index, and a
    function that returns the number of iterations; outermost first) those of memories are of one iteration."""

    instruction: str
    number: int
    facts: func.FuncOp
    domain: func.FuncOp
    targets: dict[str, Target]
    loops: tuple[tuple[str, func.FuncOp], ...] = ()


@cache
def gemmini(dim: int) -> dict[str, tuple[Case, ...]]:
    """Every instruction of the whole accelerator with `dim` x `dim` processing elements, lifted; expensive, hence once a process."""
    return cases_of(lift_of_gemmini(dim))


def cases_of(lift: Lift) -> dict[str, tuple[Case, ...]]:
    """The modes of every instruction, none of which is opaque."""
    assert not lift.opaque, lift.opaque
    known, lifter = _known(lift), Lifter(tuple(p() for p in PASSES), Prover())
    return {name: tuple(_case(mode, known, lifter) for mode in modes) for name, modes in lift.modes.items()}


@cache
def lift_of_gemmini(dim: int) -> Lift:
    """The whole accelerator before anything is turned into IR."""
    return with_deep_recursion(lambda: _extract(dim))


def _extract(dim: int) -> Lift:
    design = netlist("Gemmini", DIM=dim)
    contract = discover(design)
    return extract(find(Machine(design), contract, decoder(design, contract.command)))


@cache
def specification_text(dim: int) -> str:
    """The instruction set as text: what is in the tree for 16 x 16 elements, else assembled anew."""
    if dim == GENERATED_DIM:
        return GENERATED.read_text()
    lift = lift_of_gemmini(dim)
    options = Options((RTL,), "Gemmini", Path("unused.taidl"), "gemmini", prove=False)

    def assembled() -> Accelerator:
        found = assemble(lift, lift_functions(update_functions(lift), options, Progress()), options, Progress())
        assert not found.opaque, found.opaque
        return found.accelerator

    return print_text(with_deep_recursion(assembled))


@cache
def specification(dim: int) -> Accelerator:
    """The instruction set, read from its text."""
    return load(specification_text(dim), f"gemmini {dim} x {dim}")


def _case(mode: Mode, known: dict[str, Argument], lifter: Lifter) -> Case:
    facts = [p if holds else terms.negate(p) for p, holds in mode.facts]
    targets = {name: Target(f, lifter) for name, f in mode.functions.items()}
    loops = tuple((str(index.attr), _value(count, known)) for index, count in mode.loops)
    return Case(mode.instruction, mode.number, _condition(facts, known), _condition(list(mode.domain), known), targets, loops)


def _known(lift: Lift) -> dict[str, Argument]:
    """Every argument of every update function, by name."""
    return {a.name: a for modes in lift.modes.values() for mode in modes for f in mode.functions.values() for a in f.arguments}


def _condition(conjuncts: list[terms.Term], known: dict[str, Argument]) -> func.FuncOp:
    """The conjunction as a function of what it mentions."""
    whole = terms.TRUE
    for conjunct in conjuncts:
        whole = terms.both(whole, conjunct)
    return _value(whole, known)


def _value(whole: terms.Term, known: dict[str, Argument]) -> func.FuncOp:
    named = {str(t.attr): t for t in terms.walk(whole) if t.op in ("sym", "load")}
    arguments = tuple(known.get(name) or Argument(name, t.width, None, "input") for name, t in sorted(named.items()))
    condition = functions(build(UpdateFunction("", "mode", "condition", arguments, (), whole)))[0]
    condition.detach()
    return condition
