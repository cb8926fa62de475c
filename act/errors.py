"""Errors of the compiler half: `UserError` is for bad input and is shown as one message, everything else is a bug and keeps its traceback."""

from __future__ import annotations


class UserError(Exception):
    """Bad input.

    `location` is `file:line:column` or a file name, `problem` says what was expected and found, `advice` what to do.
    """

    def __init__(self, location: str | None, problem: str, advice: str | None = None) -> None:
        self.location, self.problem, self.advice = location, problem, advice
        super().__init__(str(self))

    def __str__(self) -> str:
        where = f"{self.location}: " if self.location else ""
        advice = f"\n  {self.advice}" if self.advice else ""
        return f"{where}error: {self.problem}{advice}"
