"""Initial blocks and declarations with a value to constants: the value that each variable begins with, and words of memories.

They are executed in their order, declarations first; what nobody has assigned yet is undefined.
"""

from __future__ import annotations

from collections.abc import Container

from lift.errors import UserError
from lift.netlist import select
from lift.netlist.arrays import loop_variables, targets_of
from lift.netlist.builder import Builder
from lift.netlist.model import Node
from lift.netlist.module import Loop, Module, Statement
from lift.netlist.processes import MAXIMUM_TURNS, Executor, WordWrite, word_name

Contents = dict[str, dict[int, Node]]
ROM_WORDS = 4096
_ADVICE = "initial blocks and declarations may set constants only; use assign for what follows its operands"


def initial_values(b: Builder, module: Module, memories: frozenset[str], driven: Container[str], written: frozenset[str]) -> tuple[dict[str, Node], Contents]:
    """Constants by variable, and by memory and word.  `driven` variables have no value of their own.  A loop over more words of `written`
    memories than can be unrolled is left out: such memories begin with any contents.  Raises `UserError` for a value that is not constant."""
    now = _undefined(b, module, memories, driven) if module.initials else {}
    values: dict[str, Node] = {}
    contents: Contents = {}
    for process in module.initials:
        executor = Executor(b, module, memories, now)
        executor.run(tuple(s for s in process.body if not _fills(s, module, written)))
        for name, value in executor.finals().items():
            if value.op != "const":
                problem = f"the initial value of '{name}' is not a constant"
                raise UserError(str(executor.locations[name]), problem, _ADVICE)
            now[name] = values[name] = value
        for write in executor.writes:
            _store(b, write, contents.setdefault(write.memory, {}))
    return values, contents


def _fills(statement: Statement, module: Module, written: frozenset[str]) -> bool:
    if not isinstance(statement, Loop):
        return False
    names = {t.name for t in targets_of((statement,))} - set(loop_variables((statement,)))
    return bool(names) and names <= written and all(module.variables[name].depth > MAXIMUM_TURNS for name in names)


def _undefined(b: Builder, module: Module, memories: frozenset[str], driven: Container[str]) -> dict[str, Node]:
    values: dict[str, Node] = {}
    for v in module.variables.values():
        if v.name not in memories:
            names = [word_name(module, v.name, k) for k in range(v.depth)] if v.depth else [v.name]
            values |= {name: b.const(0, v.width, -1) for name in names if name not in driven}
    return values


def _store(b: Builder, write: WordWrite, words: dict[int, Node]) -> None:
    at, data = select.constant(write.address), write.data
    if write.conditions or at is None or data.op != "const" or (write.mask is not None and write.mask.op != "const"):
        problem = f"the initial contents of memory '{write.memory}' are not constant"
        raise UserError(str(write.location), problem, _ADVICE)
    if write.mask is not None:
        assert isinstance(write.mask.attr, int) and isinstance(data.attr, int)
        old, mask = words.get(at, b.const(0, data.width, -1)), write.mask.attr
        assert isinstance(old.attr, int)
        data = b.const(old.attr & ~mask | data.attr & mask, data.width, old.xmask & ~mask | data.xmask & mask)
    words[at] = data


def table(b: Builder, address: Node, words: dict[int, Node], depth: int, width: int) -> Node:
    """The word at `address` of constant contents, as multiplexers over the bits of the address."""

    def choose(first: int, bits: int) -> Node:
        if first >= depth:
            return b.const(0, width, -1)
        if not bits:
            return words.get(first, b.const(0, width, -1))
        low, high = choose(first, bits - 1), choose(first + (1 << bits - 1), bits - 1)
        return b.mux(b.extract(address, bits - 1, 1), high, low)

    return choose(0, min(address.width, max(depth - 1, 0).bit_length()))
