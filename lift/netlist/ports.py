"""The memory writes of one process to write ports.

Writes of different parts of the same word become one port with a mask.  Its enable is what their conditions have in common, the rest
goes into the mask, as in `if (we) for (i...) if (byte_enable[i]) m[a][8*i +: 8] <= d[8*i +: 8]`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lift.netlist.builder import Builder
from lift.netlist.model import Location, Node
from lift.netlist.processes import WordWrite


@dataclass(frozen=True, slots=True)
class MemoryPort:
    memory: str
    enable: Node
    address: Node
    data: Node
    mask: Node | None
    location: Location


def merge_writes(b: Builder, writes: Sequence[WordWrite]) -> list[MemoryPort]:
    """Ports in the order of `writes`; neighbours at one address with constant masks that exclude each other are merged."""
    groups: list[list[WordWrite]] = []
    for write in writes:
        if groups and _joins(groups[-1], write):
            groups[-1].append(write)
        else:
            groups.append([write])
    return [_port(b, group) for group in groups]


def _joins(group: list[WordWrite], write: WordWrite) -> bool:
    first = group[0]
    if write.memory != first.memory or write.address is not first.address:
        return False
    masks = [_constant_mask(w) for w in (*group, write)]
    return all(m is not None for m in masks) and all(not (m or 0) & (masks[-1] or 0) for m in masks[:-1])


def _constant_mask(write: WordWrite) -> int | None:
    if write.mask is None or write.mask.op != "const":
        return None
    assert isinstance(write.mask.attr, int)
    return write.mask.attr


def _port(b: Builder, group: list[WordWrite]) -> MemoryPort:
    first = group[0]
    if len(group) == 1:
        return MemoryPort(first.memory, b.conjunction(first.conditions), first.address, first.data, first.mask, first.location)
    common = _common([w.conditions for w in group])
    mask, data = [], []
    width, done = first.data.width, 0
    for write in sorted(group, key=lambda w: _constant_mask(w) or 0):
        bits = _constant_mask(write) or 0
        top, start = bits.bit_length(), (bits & -bits).bit_length() - 1
        if start < done or bits != (1 << top) - (1 << start):
            raise AssertionError("a part of a word is one range of bits")
        if start > done:
            mask.append(b.const(0, start - done))
            data.append(b.const(0, start - done))
        mask.append(b.extend(b.conjunction(write.conditions[len(common) :]), top - start, True))
        data.append(b.extract(write.data, start, top - start))
        done = top
    if done < width:
        mask.append(b.const(0, width - done))
        data.append(b.const(0, width - done))
    joined = b.concat(mask[::-1])
    full = joined.op == "const" and joined.attr == (1 << width) - 1
    return MemoryPort(
        first.memory, b.conjunction(common), first.address, b.concat(data[::-1]), None if full else joined, first.location
    )


def _common(lists: Sequence[tuple[Node, ...]]) -> tuple[Node, ...]:
    """The longest common beginning."""
    length = 0
    for heads in zip(*lists, strict=False):
        if any(head is not heads[0] for head in heads):
            break
        length += 1
    return lists[0][:length]
