"""Whole runs: a design that was lifted before, whatever its comments say and wherever its lines have moved, gives the same files at once."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from lift.cache.digest import Nodes, digest, netlist_digest, tool
from lift.cache.store import Store
from lift.netlist.model import Netlist
from lift.options import Options
from lift.results import Results

RUNS = "runs"
_LOCATION = re.compile(r"[^\s\"'=;,()\[\]{}]+:\d+(?::\d+)?")


def run_key(netlist: Netlist, options: Options) -> str:
    """Everything that the files depend on, but where in the sources things stand."""
    descriptor = _content(options.descriptor)
    given = tuple(options.defines.items()), tuple(options.parameters.items())
    asked = options.prove, options.emit_ir is not None, descriptor, options.sharing
    return digest(tool(), netlist_digest(netlist, Nodes()), options.sources, options.name, given, *asked)


def _content(path: Path | None) -> bytes | None:
    return None if path is None else path.read_bytes()


def recall(store: Store, key: str, netlist: Netlist) -> Results | None:
    """The results of an earlier run, with today's places in the sources."""
    found: tuple[tuple[str, ...], Results] | None = store.load(RUNS, key)
    if found is None:
        return None
    before, results = found
    now = _locations(netlist)
    if before == now:
        return results
    moved = _moves(before, now)
    return None if moved is None else _with_texts(results, lambda text: _LOCATION.sub(lambda m: moved.get(m.group(), m.group()), text))


def keep(store: Store, key: str, netlist: Netlist, results: Results) -> None:
    store.save(RUNS, key, (_locations(netlist), results))


def _locations(netlist: Netlist) -> tuple[str, ...]:
    return tuple(map(str, netlist.locations.values()))


def _moves(before: tuple[str, ...], now: tuple[str, ...]) -> dict[str, str] | None:
    """Old place -> new place; None when what stood in one place now stands in two, or a place is no single word."""
    moved: dict[str, str] = {}
    for old, new in zip(before, now, strict=True):
        if moved.setdefault(old, new) != new or not _LOCATION.fullmatch(old):
            return None
    return moved if len(set(moved.values())) == len(moved) else None


def _with_texts(results: Results, change: Callable[[str], str]) -> Results:
    return replace(
        results,
        taidl=change(results.taidl),
        report=change(results.report),
        shortcomings=tuple(map(change, results.shortcomings)),
        ir={path: change(text) for path, text in results.ir.items()},
    )
