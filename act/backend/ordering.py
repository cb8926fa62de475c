"""What an instruction must come after -> instructions without effect on memories (fences, set-up) that are put before it.

`after A, B` says that A or B was executed before.  That no instruction waits for itself, through whatever chain, is checked before anything
is written.
"""

from __future__ import annotations

from collections.abc import Iterator

from act.backend.configure import Setting
from act.backend.equations import search
from act.errors import UserError
from act.generator.fences import is_fence
from act.records import dataclass, field
from act.taidl.expr import names
from act.taidl.model import Accelerator, Instruction


@dataclass(slots=True)
class Ordering:
    """Follows which operations were issued."""

    accelerator: Accelerator
    executed: set[str] = field(default_factory=set)

    def before(self, name: str) -> list[Setting]:
        """What to issue before operation `name`; `UserError` when nothing that may be issued makes it allowed."""
        found = list(self._before(name, ()))
        self.executed.add(name)
        return found

    def _before(self, name: str, waiting: tuple[str, ...]) -> Iterator[Setting]:
        operation = self.accelerator.operation(name)
        if not operation.after or self.executed & set(operation.after):
            return
        if name in waiting:
            chain = " after ".join((*waiting[waiting.index(name) :], name))
            raise UserError(None, f"{chain}: none of them can be the first", "correct the 'after' clauses of the instruction set")
        for other in operation.after:
            values = self._values(self.accelerator.operation(other))
            if values is not None:
                yield from self._before(other, (*waiting, name))
                self.executed.add(other)
                yield Setting(other, values)
                return
        reason = f"{name} must come after {' or '.join(operation.after)}, and the program has none of them before it"
        raise UserError(None, reason, "give a fence that has no effect on memories, or describe the instructions as one composite")

    def _values(self, operation: Instruction) -> dict[str, int] | None:
        """The least attributes with which an operation may be issued for its order alone; None if it does more than set registers."""
        if not is_fence(operation):
            return None
        conditions = [(condition, names(condition)) for condition in operation.when]
        return search(conditions, {}, list(operation.attributes))
