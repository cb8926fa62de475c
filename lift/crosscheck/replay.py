"""The unroller against the RTL: every mode of every instruction from random states, by its update functions and on Icarus Verilog."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field

from lift.crosscheck.invariant import at_rest
from lift.crosscheck.neighbours import NotPlayed, recorders
from lift.crosscheck.outside import Machine, executed, idled, replayable
from lift.crosscheck.predicted import Difference, differences, moved, predicted
from lift.crosscheck.sample import Before, NoSample, any_state, draw
from lift.crosscheck.verdicts import Counterexample, Row, Verdict
from lift.unroll.extract import Lift, Mode
from lift.unroll.terms import Term

OTHERS = "everything else"
RESET = "reset"
SETTLE_CYCLES = 64
SAMPLES = 8  # of each instruction, at least one of each mode
MODES = 24  # of an instruction, drawn at random where there are more


@dataclass(slots=True)
class _Found:
    """About one instruction: how often each target was compared, the first difference of each, and what was not played."""

    trials: dict[str, int] = field(default_factory=dict)
    wrong: dict[str, Counterexample] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)


def replayed(
    lift: Lift, machine: Machine, by: str, seed: int = 0, progress: Callable[[str], None] = lambda _: None, only: Collection[str] | None = None
) -> Iterator[Verdict]:
    """A verdict for each instruction (or each of `only`) and state variable that it changes, and one for the state that it leaves alone, rest
    included; and one for reset.  `by` names the machine."""
    reason = replayable(lift.unit.contract, machine)
    contract = lift.unit.contract
    apart = recorders(contract) | set(contract.left) | set(contract.waiting) - {c.register for c in contract.counts}  # they are not in the RTL
    resting = {} if reason else {n: t for n, t in at_rest(lift).items() if n not in apart}
    if reason is None:
        yield _after_reset(lift, machine, by, seed, resting)
    for instruction in (n for n in lift.unit.executions if n in lift.modes or n in lift.opaque) if only is None else only:
        progress(instruction)
        if reason or instruction in lift.opaque:
            yield Verdict(instruction, "", "not comparable", reason or f"opaque: {lift.opaque[instruction]}")
            continue
        found, rng = _Found(), random.Random(f"{seed} {instruction}")
        modes = lift.modes[instruction]
        for mode in modes if len(modes) <= MODES else rng.sample(modes, MODES):
            for _ in range(max(1, SAMPLES // len(modes))):
                _play(lift, mode, machine, by, rng, found, resting)
        yield from _verdicts(lift, instruction, found)


def _after_reset(lift: Lift, machine: Machine, by: str, seed: int, resting: Mapping[str, Term]) -> Verdict:
    """Reset and idling lead from any state to rest."""
    rng = random.Random(f"{seed} reset")
    for _ in range(SAMPLES):
        before = any_state(lift, rng)
        wrong = moved(lift, resting, before, idled(lift, before, machine, SETTLE_CYCLES))
        if wrong:
            return Verdict(RESET, OTHERS, "different", "", SAMPLES, _shown(lift, None, before, wrong[0], by))
    return Verdict(RESET, OTHERS, "tested", "", SAMPLES)


def _play(lift: Lift, mode: Mode, machine: Machine, by: str, rng: random.Random, found: _Found, resting: Mapping[str, Term]) -> None:
    try:
        before = draw(lift, mode, rng)
        after = executed(lift, mode, before, machine)
    except (NoSample, NotPlayed) as error:
        found.missing.append(str(error))
        return
    for target in (*mode.functions, OTHERS):
        found.trials[target] = found.trials.get(target, 0) + 1
    for difference in differences(lift, predicted(lift, mode, before), after, before) + moved(lift, resting, before, after):
        target = difference.target if difference.target in mode.functions else OTHERS
        found.wrong.setdefault(target, _shown(lift, mode, before, difference, by))


def _shown(lift: Lift, mode: Mode | None, before: Before, difference: Difference, by: str) -> Counterexample:
    """The command, and the registers and words that the function looks at."""
    netlist, command = lift.unit.machine.netlist, lift.unit.contract.command
    assert command is not None

    def row(name: str, value: int, width: int) -> Row:
        stem = name.split("[0x")[0]
        return Row(name, value, width, str(netlist.locations.get(stem, "")))

    function = mode.functions.get(difference.target) if mode else None
    read = [a.name for a in function.arguments if a.role == "state"] if function else []
    rows = [row(word, before.fields[word], netlist.inputs[port]) for word, port in command.words.items()] if mode else []
    rows += [row(n, before.registers[n], netlist.registers[n].width) for n in sorted(set(read))]
    lifted, found = (row(difference.place, v, difference.width) for v in (difference.lifted, difference.found))
    return Counterexample(tuple(rows), lifted, found, by)


def _verdicts(lift: Lift, instruction: str, found: _Found) -> Iterator[Verdict]:
    targets = list(dict.fromkeys(t for m in lift.modes[instruction] for t in m.functions))
    locations = lift.unit.machine.netlist.locations
    missing = f"{len(found.missing)} not played: {found.missing[0]}" if found.missing else ""
    for target in (*targets, OTHERS):
        place, trials = str(locations.get(target, "")), found.trials.get(target, 0)
        if target in found.wrong:
            yield Verdict(instruction, target, "different", "", trials, found.wrong[target], place)
        elif trials:
            yield Verdict(instruction, target, "tested", missing, trials, None, place)
        else:
            yield Verdict(instruction, target, "not comparable", missing or "none of the modes that were drawn changes it", location=place)
