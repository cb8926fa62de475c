"""An accelerator that was put together -> what is not well-formed about it, operation by operation and declaration by declaration, in the verifier's words.

One operation that the language does not admit is no reason to give up the others.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from act.taidl import Accelerator, Instruction
from act.taidl.verify import verify
from lift.assemble.errors import NotWellFormed

DECLARATION = re.compile(r"(?:buffer|register) '([^']+)': ")


@dataclass(frozen=True, slots=True)
class IllFormed:
    """name of an operation, or of a buffer or register -> the first thing that is wrong with it."""

    operations: dict[str, str]
    declarations: dict[str, str]

    def __bool__(self) -> bool:
        return bool(self.operations or self.declarations)

    def why(self, each: Instruction) -> str | None:
        """What is wrong with an operation or with what it is about."""
        if each.name in self.operations:
            return self.operations[each.name]
        return next((self.declarations[name] for name in mentioned(each) if name in self.declarations), None)


def ill_formed(accelerator: Accelerator, instructions: Collection[str]) -> IllFormed:
    """Raises NotWellFormed if more is wrong than declarations, composites, and these instructions."""
    removable = {*instructions, *accelerator.composites}
    errors = verify(accelerator)
    found = IllFormed({}, {})
    for error in errors:
        declared, name = DECLARATION.match(error.problem), error.problem.partition(": ")[0]
        if declared:
            found.declarations.setdefault(declared[1], error.problem)
        elif name in removable:
            found.operations.setdefault(name, error.problem.removeprefix(f"{name}: "))
        else:
            raise NotWellFormed("the instruction set that was put together is not well-formed\n" + "\n".join(map(str, errors)))
    return found


def mentioned(each: Instruction) -> Iterator[str]:
    """The buffers and registers that an instruction is about."""
    yield from (r.slice.buffer for r in each.reads)
    yield from (w.slice.buffer for w in each.writes)
    yield from (c.state for c in (*each.uses, *each.sets))


__all__ = ["IllFormed", "ill_formed", "mentioned"]
