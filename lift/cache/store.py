"""A folder of entries, each under the hash of everything that it depends on.

An entry is one file: a mark, the hash of what follows, and that, compressed.  It is written whole or not at all; one that is cut off or altered does
not have the hash that it says, and is taken not to be there.  Entries that nobody asked for in a long time make room for others.
"""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MARK = b"tensorlift cache 1\n"
HASH_BYTES = 32
LIMIT = 2 << 30  # bytes in all
LEVEL = 1  # of compression: the fastest
# What entries may consist of; everything else is refused when it is read.
_PACKAGES = ("lift.", "xdsl.")
_BUILT_IN = {("builtins", "set"), ("builtins", "frozenset"), ("immutabledict", "immutabledict")}


def default_directory() -> Path:
    """$XDG_CACHE_HOME/tensorlift, or ~/.cache/tensorlift."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if os.path.isabs(base) else Path.home() / ".cache") / "tensorlift"


@dataclass(frozen=True, slots=True)
class Store:
    """`get` and `put` never fail because of the disk: what cannot be read is not there, what cannot be written is forgotten."""

    directory: Path

    def get(self, kind: str, key: str) -> bytes | None:
        path = self._path(kind, key)
        try:
            data = path.read_bytes()
            os.utime(path)
        except OSError:
            return None
        start = len(MARK) + HASH_BYTES
        if not data.startswith(MARK) or hashlib.sha256(data[start:]).digest() != data[len(MARK) : start]:
            return None
        return zlib.decompress(data[start:])

    def put(self, kind: str, key: str, content: bytes) -> None:
        packed = zlib.compress(content, LEVEL)
        path, temporary = self._path(kind, key), None
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new.")
            with os.fdopen(handle, "wb") as file:
                file.write(MARK + hashlib.sha256(packed).digest() + packed)
            os.replace(temporary, path)
        except OSError:
            if temporary is not None:
                Path(temporary).unlink(missing_ok=True)

    def load(self, kind: str, key: str) -> Any:
        """The object that was saved, or None."""
        content = self.get(kind, key)
        try:
            return None if content is None else DataOnly(io.BytesIO(content)).load()
        except (pickle.UnpicklingError, AttributeError, EOFError, ImportError, IndexError, TypeError, ValueError):
            return None

    def save(self, kind: str, key: str, value: Any) -> None:
        self.put(kind, key, pickle.dumps(value, pickle.HIGHEST_PROTOCOL))

    def prune(self, limit: int = LIMIT) -> None:
        """Removes the entries that were not asked for longest, until the rest takes `limit` bytes at most."""
        entries = sorted(self._entries(), key=lambda e: -e[0])
        total = 0
        for _, size, path in entries:
            total += size
            if total > limit:
                path.unlink(missing_ok=True)

    def _entries(self) -> Iterator[tuple[float, int, Path]]:
        for path in self.directory.glob("*/*/*"):
            try:
                status = path.stat()
            except OSError:
                continue
            yield status.st_mtime, status.st_size, path

    def _path(self, kind: str, key: str) -> Path:
        return self.directory / kind / key[:2] / key[2:]


class DataOnly(pickle.Unpickler):
    """Makes nothing but the data that entries consist of."""

    def find_class(self, module: str, name: str) -> Any:
        if module.startswith(_PACKAGES) or (module, name) in _BUILT_IN:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is not part of an entry")
