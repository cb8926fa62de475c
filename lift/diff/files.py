"""A file in TAIDL -> the instruction set in it."""

from __future__ import annotations

from pathlib import Path

from act.taidl import Accelerator, TaidlErrors, parse
from act.taidl.verify import load
from lift.errors import UserError


class NotTaidl(UserError):
    """A file that is no instruction set; its message are those of the parser, each with its place."""

    def __init__(self, errors: TaidlErrors) -> None:
        self.errors = errors
        super().__init__(None, str(errors))

    def __str__(self) -> str:
        return str(self.errors)


def read(path: Path, verified: bool = False) -> Accelerator:
    """Raises UserError when there is no such file, it is no text, or not TAIDL; with `verified`, when it makes no sense either."""
    try:
        return (load if verified else parse)(path.read_text(encoding="utf-8"), str(path))
    except OSError as error:
        raise UserError(str(path), f"cannot read: {error.strerror}", "give a file in TAIDL") from None
    except UnicodeDecodeError as error:
        raise UserError(str(path), f"expected text in UTF-8, found another byte at offset {error.start}", "give a file in TAIDL") from None
    except TaidlErrors as errors:
        raise NotTaidl(errors) from None
