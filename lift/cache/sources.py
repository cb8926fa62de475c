"""Sources that were lifted before, byte for byte: what was written then is written again, and nothing is read."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.metadata import version

from lift.cache.digest import digest, tool
from lift.cache.store import Store
from lift.options import Options
from lift.results import Part
from lift.verilog.sources import collect

SOURCES = "sources"
READERS = ("pyslang", "pyverilog")
ELSEWHERE = (b"`include", b"$readmem")


def sources_key(options: Options) -> str | None:
    """The hash of all source files and all that is asked for; None where files include others or have memories read from files, which may lie anywhere.
    Raises UserError when there are no sources."""
    sources = collect(options.paths, options.file_lists)
    try:
        texts = [(path.as_posix(), path.read_bytes()) for path in sources.files]
        descriptor = None if options.descriptor is None else options.descriptor.read_bytes()
    except OSError:  # whoever reads it says so
        return None
    if any(word in text for _, text in texts for word in ELSEWHERE):
        return None
    files = tuple((name, hashlib.sha256(text).hexdigest()) for name, text in texts)
    named = tuple(sorted(path.as_posix() for path in sources.named))
    given = tuple(tuple(each.items()) for each in (sources.defines, options.defines, options.parameters))
    asked = options.top, options.name, options.sources, options.frontend, options.black_boxes, options.prove, options.emit_ir is not None
    return digest(tool(), tuple(version(each) for each in READERS), files, named, given, asked, descriptor)


def recall(store: Store, key: str | None) -> tuple[Part, ...] | None:
    return None if key is None else store.load(SOURCES, key)


def keep(store: Store, key: str | None, parts: Sequence[Part]) -> None:
    if key is not None:
        store.save(SOURCES, key, tuple(parts))
