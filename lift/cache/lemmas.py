"""Lemmas that were proved before: one record for each in a file that only grows.

A record is the hash of the lemma and the hash of that: one cut off or altered is no record.  Only *proved* is written; what was refuted or not
decided is decided again.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from time import perf_counter

from lift.cache.digest import digest, tool
from lift.cache.store import Store
from lift.functions import TimedProver
from lift.prove.cone import Cone
from lift.prove.lemmas import Lemma

SIZE = hashlib.sha256().digest_size


class RememberingProver(TimedProver):
    """Decides what no run before has proved with the same solvers under the same limits."""

    def __init__(self, store: Store) -> None:
        super().__init__()
        self.path = store.directory / "lemmas" / tool()
        self.known = _read(self.path)

    def _solve(self, both: Cone) -> Lemma:
        start = perf_counter()
        key = bytes.fromhex(digest(self.solvers, both.key))
        if key in self.known:
            self.counts["proved before"] += 1
            lemma = Lemma("proved")
        else:
            lemma = self._verdict(both)
            if lemma.verdict == "proved":
                self._note(key)
        self.seconds += perf_counter() - start
        return lemma

    def _note(self, key: bytes) -> None:
        self.known.add(key)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                os.write(handle, key + _check(key))
            finally:
                os.close(handle)
        except OSError:
            return


def _check(key: bytes) -> bytes:
    return hashlib.sha256(b"proved " + key).digest()


def _read(path: Path) -> set[bytes]:
    try:
        data = path.read_bytes()
    except OSError:
        return set()
    records = (data[k : k + 2 * SIZE] for k in range(0, len(data), 2 * SIZE))
    return {r[:SIZE] for r in records if _check(r[:SIZE]) == r[SIZE:]}
