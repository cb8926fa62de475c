"""A TAIDL text -> every text that differs from it in one place of one instruction: a number, an operator, a comparison, a name, a type, a clause.

`verdict` proves of such a text all that is proved of the right one.  What is proved then is right: the changed text says the same in other words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import z3

from act.errors import UserError
from act.taidl import Accelerator
from act.taidl.text import TaidlErrors
from act.taidl.verify import load
from proofs.commands import code_of
from proofs.designs import specification, specification_text
from proofs.encodings import applies, others_are_0
from proofs.integers import NoMeaning
from proofs.mutation.sites import Mutant
from proofs.solve import NotProved, Refuted, Undecided, prove
from proofs.specification import BUFFERS, REGISTERS, Command
from proofs.test_passes import EFFECTS

DIM = 4
BLOCK = re.compile(r"^instruction (\w+)\(([^)]*)\)\n(.*?)(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)
CLAUSE = re.compile(r"^ +(encode|when|use|read|write|set) +(.*)$|^ +((?:ROOT )?%.*)$", re.MULTILINE)
NUMBER = re.compile(r"(?<![\w%])(0x[0-9a-f]+|\d+)(?!\w)")
NAME = re.compile(r"(?<![%\w`])[a-z]\w*(?![\w(\[])|(?<=`)\w+(?=`)")
OPERATORS = {
    "add(": ("subtract(",), "subtract(": ("add(",), "multiply(": ("add(",), "maximum(": ("minimum(",), "minimum(": ("maximum(",), " + ": (" - ",),
    " - ": (" + ",), " * ": (" + ",), " / ": (" * ",), " % ": (" / ",), "bitcast-convert(": ("convert(",), " convert(": (" bitcast-convert(",),
}  # fmt: skip
COMPARISONS = {" == ": (" != ",), " != ": (" == ",), " <= ": (" < ", " >= "), " < ": (" <= ",)}
SIGNS = {"s8[": ("u8[",), "u8[": ("s8[",), "s32[": ("u32[",)}
PAIR = re.compile(r"(?<=\()(%\w+), (%\w+)(?=\))|(?<=: )([^:\n]*), ([^:\n]*)(?=\] =)")


def mutants(text: str) -> list[Mutant]:
    """`file` is the name of the instruction."""
    return [each for block in BLOCK.finditer(text) for each in _of_block(text, block)]


def _of_block(text: str, block: re.Match[str]) -> Iterator[Mutant]:
    instruction, start = block[1], block.start(3)
    names = re.findall(r"\w+", block[2]) + re.findall(r" as (\w+)", block[3])
    for clause in CLAUSE.finditer(block[3]):
        place = start + clause.start()
        for kind, first, last, new in _of_clause(clause, names):
            line = text.count("\n", 0, place) + 1
            old = text[place + first : place + last]
            yield Mutant(instruction, place + first, place + last, new, kind, f"{instruction}:{line}:{first}:{old.strip()}to{new.strip() or 'nothing'}")


def _of_clause(clause: re.Match[str], names: list[str]) -> Iterator[tuple[str, int, int, str]]:
    """Kind, place within the line, new text."""
    line, word = clause[0], clause[1]
    for found in NUMBER.finditer(line):
        value = int(found[0], 0)
        kind = "width" if word == "encode" and line[found.end()] in ":]" else "constant"
        yield from ((kind, *found.span(), str(other)) for other in (value + 1, value - 1) if other >= 0)
    for kind, table in (("operator", OPERATORS), ("condition", COMPARISONS), ("sign", SIGNS)):
        for old, others in table.items():
            for found in re.finditer(re.escape(old), line):
                yield from ((kind, *found.span(), new) for new in others)
    for found in NAME.finditer(line, len(line) - len(clause[2] or clause[3])):
        if found[0] in names:
            yield from (("name", *found.span(), other) for other in names if other != found[0])
    for found in PAIR.finditer(line):
        first, second = found[1] or found[3], found[2] or found[4]
        if first != second:
            yield "swapped", *found.span(), f"{second}, {first}"
    if word in ("when", "set"):
        yield "dropped", 0, len(line), ""


def accepted(mutant: Mutant) -> Accelerator | None:
    """What the reader makes of the changed text; None when it refuses it."""
    try:
        return load(mutant.apply(specification_text(DIM)), "changed")
    except (UserError, TaidlErrors):
        return None


def verdict(mutant: Mutant) -> tuple[str, str]:
    """Outcome and first line of evidence, of a text that the reader takes."""
    accelerator = accepted(mutant)
    assert accelerator is not None
    try:
        prove_all(accelerator, mutant.file)
    except Refuted as error:
        return "refuted by Z3", str(error).splitlines()[0]
    except Undecided as error:
        return "undecided", str(error).splitlines()[0]
    except (NotProved, NoMeaning) as error:
        return "no proof", str(error).splitlines()[0]
    return "equal by Z3", "all claims about the instruction hold"


def prove_all(accelerator: Accelerator, name: str) -> None:
    """The claims of test_specification about one instruction, and that it means the same commands as before.  Raises NotProved or NoMeaning."""
    from proofs.test_specification_mutations import prove_everything

    stated = Command(accelerator, accelerator.instructions[name])
    code = code_of(DIM, stated)
    changed = {n for w in stated.operation.writes for n in BUFFERS[w.slice.buffer]} | {REGISTERS[s.state] for s in stated.operation.sets}
    if not changed <= set(EFFECTS[code]):
        raise NotProved(f"{name} changes what no mode changes")
    prove_everything(stated)
    right = Command(specification(DIM), specification(DIM).instructions[name])
    before, after = (z3.And(applies(each), others_are_0(each)) for each in (right, stated))
    prove(f"every command that is {name} in the right text still is", z3.Implies(before, after))
