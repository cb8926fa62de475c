"""What the lift of a unit takes as given, as sentences: of every instruction, and of single ones.

They are listed in the report and in the instruction set, so that whoever relies on a body knows on what it rests.
"""

from __future__ import annotations

from collections.abc import Container, Iterator

from lift.discover.buses import WRITE
from lift.discover.environment import SCHEDULE, Surroundings
from lift.discover.unit import WAITS
from lift.retime.retime import Hazard
from lift.term_text import fact_text
from lift.unroll import terms
from lift.unroll.extract import Lift, Mode
from lift.unroll.paths import Facts, statement_terms

Fact = str


def of_every_instruction(lift: Lift) -> list[Fact]:
    """The world around the unit, and what holds whenever it is at rest."""
    surroundings = [*_commands(lift), *_memory(lift), *_channels(lift), *_reached(lift), *_pipeline(lift), *_inputs(lift), *_assertions(lift)]
    return [*surroundings, *_equal(lift), *_addresses(lift), *_reads(lift), *_unlifted(lift)]


def _commands(lift: Lift) -> Iterator[Fact]:
    reset = lift.unit.contract.reset
    command = lift.unit.contract.command
    if command is not None and WRITE in command.valid:
        yield f"commands are writes on the bus {command.valid.partition(WRITE)[0]}, whose master follows its protocol, writes whole words and does not read"
    yield f"{'after reset' if reset else 'from the initial values on'}, a command is offered once the one before it is done"


def _memory(lift: Lift) -> Iterator[Fact]:
    if lift.unit.contract.memory is not None:
        yield SCHEDULE
    if lift.unit.contract.bursts:
        yield "a request for several beats asks for one more than its length says, at ascending addresses; one of each channel is under way at a time"


def _channels(lift: Lift) -> Iterator[Fact]:
    for answer in lift.unit.contract.answers:
        when = "once for all requests, when nothing else can be done" if answer.late else "in the next cycle"
        yield f"{answer.channel.name.rstrip('_')} answers {answer.request.name.rstrip('_')} {when}"
        if not answer.late and answer.request.address is not None:
            yield f"what {answer.channel.name.rstrip('_')} answers by address does not change during an instruction"


def _reached(lift: Lift) -> Iterator[Fact]:
    """Memories of neighbours."""
    reached = lift.unit.contract.reached
    for memory in dict.fromkeys(name for name, _ in reached):
        spoken = ", ".join(channel.rstrip("_") for name, channel in reached if name == memory)
        yield f"{memory} is a memory behind {spoken}: it answers in the next cycle with what was there, and nobody else writes it during an instruction"


def _pipeline(lift: Lift) -> Iterator[Fact]:
    """A pipeline that was retimed away, and what its iterations do not do to one another."""
    contract = lift.unit.contract
    if contract.removed:
        yield f"the {len(contract.removed)} registers of its pipeline hold nothing that is under way when a command is taken"
    for hazard in contract.hazards:
        if any(_meets(mode, hazard) for modes in lift.modes.values() for mode in modes):
            when = f"up to {abs(hazard.cycles)} cycle{'s' if abs(hazard.cycles) > 1 else ''} {'earlier' if hazard.cycles > 0 else 'later'}"
            yield f"no iteration reads a word of {hazard.memory} that one which is begun {when} writes"


def _meets(mode: Mode, hazard: Hazard) -> bool:
    """Does a mode both read and write a memory, so that its iterations may meet there?  Where nothing is a sequence of steps, it is assumed of every word
    that is read that no earlier iteration has written it."""
    function = mode.functions.get(hazard.memory)
    if function is None or (hazard.cycles > 0 and not mode.loops):
        return False
    roots = [t for f in mode.functions.values() for s in f.body for t in statement_terms(s)]
    return any(t.op == "load" and t.attr == hazard.memory for t in terms.walk(*roots))


def _inputs(lift: Lift) -> Iterator[Fact]:
    """Inputs to which nothing gives a value keep the one that they have, whatever it is."""
    contract, netlist = lift.unit.contract, lift.unit.machine.netlist
    words = set(contract.command.words.values()) if contract.command is not None else set()
    idle = Surroundings(netlist, contract, None).idle()
    free = [n for n, t in idle.items() if t.op == "sym" and str(t.attr).startswith("unused:") and n not in words | _answered(lift)]
    if free:
        yield f"inputs without a contract are stable during an instruction: {', '.join(free)}"
    told = [n for n in contract.quiet if n not in {c.left for c in contract.counts}]
    if told:
        yield f"nothing happens elsewhere during an instruction that counters of the unit are told of: {', '.join(told)} are 0"


def _answered(lift: Lift) -> set[str]:
    """Ports whose values come with a valid answer."""
    contract = lift.unit.contract
    memory = {contract.memory.response_data} if contract.memory is not None else set()
    return {p for p in (*memory, *(p for a in contract.answers for p in a.channel.payload.values())) if p is not None}


def _assertions(lift: Lift) -> Iterator[Fact]:
    for each in lift.unit.machine.netlist.assertions:
        yield f"the assertion of the design at {each.location} holds"


def _equal(lift: Lift) -> Iterator[Fact]:
    """By induction over the commands: they are equal at reset, and every instruction leaves them equal."""
    for name, other in sorted(lift.unit.same.items()):
        yield f"{name} equals {other} whenever the unit is at rest"


def _addresses(lift: Lift) -> Iterator[Fact]:
    banked = list(dict.fromkeys(p.name for p in lift.unit.machine.places.values() if p.banks > 1))
    if lift.unit.machine.places:
        banks = f", nor into the bits that choose a bank of {', '.join(banked)}" if banked else ""
        yield f"addresses stay within their memory: no sum carries out of the bits of an address{banks}"


def _reads(lift: Lift) -> Iterator[Fact]:
    """The report has the conditions, mode by mode; those that the language does not imply are `when` clauses."""
    number = sum(len(m.assumptions) for modes in lift.modes.values() for m in modes)
    if number:
        yield f"no element is read after the same instruction has written it ({number} conditions on addresses)"


def _unlifted(lift: Lift) -> Iterator[Fact]:
    """What could not be executed may leave registers in any state, which no other instruction was lifted for."""
    if any(e.opaque or e.excluded for e in lift.unit.executions.values()):
        yield "opaque instructions, and others under the conditions that are left out, come back to rest and leave no register that is taken for a constant"


def answered(lift: Lift, instruction: str) -> list[Fact]:
    """What neighbours were taken to answer to an instruction."""
    conditions = dict.fromkeys(a for path in lift.unit.executions[instruction].paths for a in path.answers)
    return [f"neighbours answer so that {fact_text(c, True)}" for c in conditions]


def waits_for_token(facts: Facts, reason: str, tokens: Container[str]) -> bool:
    """Is it left out because a token is not there?  That is what waiting for one means."""
    last, holds = facts[-1] if facts else (None, False)
    empty = last is not None and holds and last.op == "eq" and last.args[1].is_const and last.args[1].attr == 0 and last.args[0].op == "sym"
    return reason.startswith(WAITS) and empty and last is not None and str(last.args[0].attr) in tokens


def left_out(lift: Lift, instruction: str, tokens: Container[str] = ()) -> list[Fact]:
    """Conditions under which an instruction was not lifted, and why."""
    excluded = [(f, why) for f, why in lift.unit.executions[instruction].excluded if not waits_for_token(f, why, tokens)]
    return [f"not that {' and '.join(fact_text(p, h) for p, h in facts)}: {reason}" for facts, reason in excluded]
