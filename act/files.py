"""Files in and out: what cannot be read or written is a `UserError`, and nothing is ever written half."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from act.errors import UserError


def read_text(path: str | Path, what: str) -> str:
    """The text of a file; `what` says in the message what it should have been."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(str(path), f"cannot read {what}: {error.strerror}", "check the path") from None
    except UnicodeDecodeError:
        raise UserError(str(path), f"expected {what}, found a file that is not text", "check the path") from None


def write_bytes(path: str | Path, data: bytes) -> None:
    """Writes to a temporary file beside `path`, then renames it."""
    target = Path(path)
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, 0o644)
        os.replace(temporary, target)
    except OSError as error:
        raise UserError(str(path), f"cannot write: {error.strerror}", "give a path in a folder that exists and may be written to") from None
