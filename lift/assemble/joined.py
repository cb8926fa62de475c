"""The bodies of all buffers that an instruction writes -> one body."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from act.taidl import Read, Write
from lift.assemble.draft import Piece


def joined(pieces: list[Piece]) -> tuple[tuple[Write, ...], tuple[Read, ...], str]:
    """The writes, the reads and the text; the names of later pieces get a suffix.  Pieces that read nothing come last."""
    writes: list[Write] = []
    reads: list[Read] = []
    parameters: list[str] = []
    lines: list[str] = []
    for number, piece in enumerate(sorted(pieces, key=lambda p: not p.body.operands.reads)):
        rename = {} if number == 0 else _renaming(piece, number, len(reads))
        writes.append(Write(piece.write, _renamed(piece.root, rename).lstrip("%")))
        parameters += [_renumbered(_renamed(line, rename), n) for n, line in enumerate(piece.body.operands.parameters, len(reads))]
        reads += [replace(r, name=_renamed(f"%{r.name}", rename).lstrip("%")) for r in piece.body.operands.reads]
        lines += [_renamed(line, rename) for line in piece.body.lines.lines]
    if lines:
        lines[-1] = "ROOT " + lines[-1]
    return tuple(writes), tuple(reads), "\n".join([*parameters, *lines])


def _renaming(piece: Piece, number: int, start: int) -> dict[str, str]:
    found = {n for line in piece.body.text() for n in re.findall(r"%\w+", line)}
    return {n: f"{n}_{number}" for n in found} | {f"%{r.name}": f"%x{start + k}" for k, r in enumerate(piece.body.operands.reads)}


def _renamed(line: str, rename: Mapping[str, str]) -> str:
    return re.sub(r"%\w+", lambda m: rename.get(m.group(), m.group()), line) if rename else line


def _renumbered(line: str, number: int) -> str:
    return re.sub(r"parameter\(\d+\)", f"parameter({number})", line)
