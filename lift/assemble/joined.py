"""The bodies of all buffers that an instruction writes -> one body."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from act.taidl import Read, Slice, Write
from lift.assemble.draft import Piece
from lift.assemble.values import BASE


def joined(pieces: list[Piece]) -> tuple[tuple[Write, ...], tuple[Read, ...], str]:
    """The writes, the reads and the text; the names of later pieces get a suffix, and what they read like an earlier one is read once.
    Pieces that read nothing come last, those of one buffer in the order of what they read, so that it is the same whichever of two planes is which."""
    writes: dict[Slice, Write] = {}
    reads: dict[Slice, Read] = {}
    parameters: list[str] = []
    lines: list[str] = []
    for number, piece in enumerate(_in_order(pieces)):
        rename = _renaming(piece, number, reads, writes)
        writes[piece.write] = Write(piece.write, _renamed(piece.root, rename).lstrip("%"))
        for read, line in zip(piece.body.operands.reads, piece.body.operands.parameters, strict=True):
            if read.slice not in reads:
                parameters.append(_renumbered(_renamed(line, rename), len(reads)))
                reads[read.slice] = replace(read, name=rename[f"%{read.name}"].lstrip("%"))
        lines += [_renamed(line, rename) for line in piece.body.lines.lines]
    if lines:
        lines[-1] = "ROOT " + lines[-1]
    return tuple(writes.values()), tuple(reads.values()), "\n".join([*parameters, *lines])


def _in_order(pieces: list[Piece]) -> list[Piece]:
    buffers = [p.write.buffer for p in pieces]
    return sorted(pieces, key=lambda p: (not p.body.operands.reads, buffers.index(p.write.buffer), [r.slice.buffer for r in p.body.operands.reads]))


def _renaming(piece: Piece, number: int, reads: Mapping[Slice, Read], writes: Mapping[Slice, Write]) -> dict[str, str]:
    """Names of the piece -> names in the whole."""
    found = {n for line in piece.body.text() for n in re.findall(r"%\w+", line)} if number else set[str]()
    fresh = (f"x{n}" for n in range(len(reads), len(reads) + len(piece.body.operands.reads)))
    operands = {f"%{r.name}": f"%{reads[r.slice].name if r.slice in reads else next(fresh)}" for r in piece.body.operands.reads}
    base = {BASE: f"%{writes[piece.wide.write].name}"} if piece.wide else {}
    return {n: f"{n}_{number}" for n in found} | operands | base


def _renamed(line: str, rename: Mapping[str, str]) -> str:
    return re.sub(r"%\w+", lambda m: rename.get(m.group(), m.group()), line) if rename else line


def _renumbered(line: str, number: int) -> str:
    return re.sub(r"parameter\(\d+\)", f"parameter({number})", line)
