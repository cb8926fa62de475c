"""VTA's instruction words, 128 bits, and its micro-ops, 32 bits, from named fields; layout as in rtl/vta/README.md."""

from __future__ import annotations

from dataclasses import dataclass

LOAD, STORE, GEMM, FINISH, ALU = range(5)
UOP, WGT, INP, ACC, OUT = range(5)
MIN, MAX, ADD, SHR = range(4)

Field = tuple[int, int]  # low bit, width

COMMON: dict[str, Field] = {"op": (0, 3), "pop_prev": (3, 1), "pop_next": (4, 1), "push_prev": (5, 1), "push_next": (6, 1)}
MOVE = COMMON | {
    "id": (7, 3), "sram": (10, 16), "dram": (26, 32), "ysize": (64, 16), "xsize": (80, 16), "xstride": (96, 16),
    "ypad_0": (112, 4), "ypad_1": (116, 4), "xpad_0": (120, 4), "xpad_1": (124, 4),
}
LOOP = COMMON | {"reset": (7, 1), "uop_begin": (8, 13), "uop_end": (21, 14), "lp_0": (35, 14), "lp_1": (49, 14)}
GEMM_FIELDS = LOOP | {"acc_0": (64, 11), "acc_1": (75, 11), "inp_0": (86, 11), "inp_1": (97, 11), "wgt_0": (108, 10), "wgt_1": (118, 10)}
ALU_FIELDS = LOOP | {
    "dst_0": (64, 11), "dst_1": (75, 11), "src_0": (86, 11), "src_1": (97, 11), "alu_op": (108, 3), "use_imm": (111, 1), "imm": (112, 16),
}
LAYOUTS = {LOAD: MOVE, STORE: MOVE, GEMM: GEMM_FIELDS, FINISH: COMMON, ALU: ALU_FIELDS}


@dataclass(frozen=True, slots=True)
class Tokens:
    """The dependency bits of an instruction."""

    pop_prev: bool = False
    pop_next: bool = False
    push_prev: bool = False
    push_next: bool = False

    def fields(self) -> dict[str, int]:
        return {name: int(getattr(self, name)) for name in ("pop_prev", "pop_next", "push_prev", "push_next")}


NONE = Tokens()


def encode(op: int, **fields: int) -> int:
    """The word of an instruction; fields that are not named are 0, negative values are two's complement. Raises for a value that does not fit."""
    word = 0
    for name, value in {"op": op, **fields}.items():
        low, width = LAYOUTS[op][name]
        if not -(1 << width - 1) <= value < 1 << width:
            raise ValueError(f"{name} = {value} does not fit {width} bits")
        word |= (value & (1 << width) - 1) << low
    return word


def decode(word: int) -> dict[str, int]:
    """All fields, unsigned; an op without a layout has the common fields alone."""
    layout = LAYOUTS.get(word & 7, COMMON)
    return {name: word >> low & (1 << width) - 1 for name, (low, width) in layout.items()}


def load(kind: int, sram: int, dram: int, ysize: int, xsize: int, xstride: int, pads: tuple[int, int, int, int] = (0, 0, 0, 0),
         tokens: Tokens = NONE) -> int:
    """`pads` are rows before and after, columns before and after."""
    names = ("ypad_0", "ypad_1", "xpad_0", "xpad_1")
    return encode(LOAD, id=kind, sram=sram, dram=dram, ysize=ysize, xsize=xsize, xstride=xstride, **dict(zip(names, pads, strict=True)), **tokens.fields())


def store(sram: int, dram: int, ysize: int, xsize: int, xstride: int, tokens: Tokens = NONE) -> int:
    return encode(STORE, id=OUT, sram=sram, dram=dram, ysize=ysize, xsize=xsize, xstride=xstride, **tokens.fields())


def gemm(uops: tuple[int, int], loops: tuple[int, int] = (1, 1), acc: tuple[int, int] = (0, 0), inp: tuple[int, int] = (0, 0),
         wgt: tuple[int, int] = (0, 0), reset: bool = False, tokens: Tokens = NONE) -> int:
    """Pairs are (outer, inner), `uops` is (begin, end)."""
    return encode(GEMM, reset=reset, uop_begin=uops[0], uop_end=uops[1], lp_0=loops[0], lp_1=loops[1], acc_0=acc[0], acc_1=acc[1],
                  inp_0=inp[0], inp_1=inp[1], wgt_0=wgt[0], wgt_1=wgt[1], **tokens.fields())


def alu(alu_op: int, uops: tuple[int, int], loops: tuple[int, int] = (1, 1), dst: tuple[int, int] = (0, 0), src: tuple[int, int] = (0, 0),
        imm: int | None = None, imm_field: int = 0, tokens: Tokens = NONE) -> int:
    """With `imm` the second operand is immediate; otherwise `imm_field` is what the unused field holds."""
    return encode(ALU, alu_op=alu_op, use_imm=imm is not None, imm=imm_field if imm is None else imm, uop_begin=uops[0], uop_end=uops[1],
                  lp_0=loops[0], lp_1=loops[1], dst_0=dst[0], dst_1=dst[1], src_0=src[0], src_1=src[1], **tokens.fields())


def finish(tokens: Tokens = NONE) -> int:
    return encode(FINISH, **tokens.fields())


def micro_op(acc: int = 0, inp: int = 0, wgt: int = 0) -> int:
    """For ALU `acc` is dst and `inp` is src."""
    return acc | inp << 11 | wgt << 22
