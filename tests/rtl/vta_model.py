"""What VTA's instructions do to memory and buffers, executed one after the other with numpy; deviations as in rtl/vta/README.md."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import vta_instructions as vta
from vta_instructions import decode

BOUNDLESS = 1 << 14  # what a loop bound of 0 means
OUTSIDE = 0xA5


@dataclass(frozen=True, slots=True)
class Config:
    """Block sizes in elements, depths as logarithms."""

    block_in: int = 16
    block_out: int = 16
    log_uop: int = 11
    log_inp: int = 11
    log_wgt: int = 10
    log_acc: int = 11
    log_out: int = 11

    def parameters(self) -> dict[str, int]:
        """The RTL's parameters."""
        logs = {f"LOG_{name.upper()}_DEPTH": getattr(self, f"log_{name}") for name in ("uop", "inp", "wgt", "acc", "out")}
        return {"BLOCK_IN": self.block_in, "BLOCK_OUT": self.block_out, **logs}


DEFAULT = Config()
SMALL = Config(4, 4, 5, 5, 4, 5, 5)


@dataclass(slots=True)
class Machine:
    """Memory (bytes) and buffers: uop uint32 [n], inp int8 [n, in], wgt int8 [n, out, in], acc int32 [n, out], out int8 [n, out]."""

    config: Config
    memory: bytearray
    uop: np.ndarray = field(init=False)
    inp: np.ndarray = field(init=False)
    wgt: np.ndarray = field(init=False)
    acc: np.ndarray = field(init=False)
    out: np.ndarray = field(init=False)
    finished: bool = False

    def __post_init__(self) -> None:
        c = self.config
        self.uop = np.zeros((1 << c.log_uop,), "<u4")
        self.inp = np.zeros((1 << c.log_inp, c.block_in), "i1")
        self.wgt = np.zeros((1 << c.log_wgt, c.block_out, c.block_in), "i1")
        self.acc = np.zeros((1 << c.log_acc, c.block_out), "<i4")
        self.out = np.zeros((1 << c.log_out, c.block_out), "i1")

    def buffers(self) -> dict[str, np.ndarray]:
        return {name: getattr(self, name) for name in ("uop", "inp", "wgt", "acc", "out")}

    def execute(self, word: int) -> None:
        """One instruction; tokens order instructions and have no effect of their own. Unknown instructions do nothing."""
        f = decode(word)
        match f["op"]:
            case vta.LOAD if f["id"] in (vta.UOP, vta.WGT, vta.INP, vta.ACC):
                self._load({vta.UOP: self.uop, vta.WGT: self.wgt, vta.INP: self.inp, vta.ACC: self.acc}[f["id"]], f)
            case vta.STORE: self._store(f)
            case vta.GEMM: self._gemm(f)
            case vta.FINISH: self.finished = True
            case vta.ALU if f["alu_op"] <= vta.SHR: self._alu(f)

    def _load(self, buffer: np.ndarray, f: dict[str, int]) -> None:
        if f["xsize"] == 0 or f["ysize"] == 0:
            return
        height, width = f["ypad_0"] + f["ysize"] + f["ypad_1"], f["xpad_0"] + f["xsize"] + f["xpad_1"]
        for y in range(height):
            for x in range(width):
                row, column = y - f["ypad_0"], x - f["xpad_0"]
                inside = 0 <= row < f["ysize"] and 0 <= column < f["xsize"]
                place = (f["sram"] + y * width + x) % len(buffer)
                buffer[place] = self._fetch(buffer, f["dram"] + row * f["xstride"] + column) if inside else 0

    def _fetch(self, buffer: np.ndarray, element: int) -> np.ndarray:
        size = buffer[0].nbytes
        start = element * size % (1 << 32)
        data = bytes(self.memory[start : start + size]).ljust(size, bytes([OUTSIDE]))
        return np.frombuffer(data, buffer.dtype).reshape(buffer.shape[1:])

    def _store(self, f: dict[str, int]) -> None:
        size = self.out[0].nbytes
        for y in range(f["ysize"]):
            for x in range(f["xsize"]):
                start = (f["dram"] + y * f["xstride"] + x) * size % (1 << 32)
                assert start + size <= len(self.memory), "the program writes outside the memory"
                self.memory[start : start + size] = self.out[(f["sram"] + y * f["xsize"] + x) % len(self.out)].tobytes()

    def _gemm(self, f: dict[str, int]) -> None:
        for o, i, uop in self._iterations(f):
            a = ((uop & 0x7FF) + o * f["acc_0"] + i * f["acc_1"]) % len(self.acc)
            n = ((uop >> 11 & 0x7FF) + o * f["inp_0"] + i * f["inp_1"]) % len(self.inp)
            w = ((uop >> 22) + o * f["wgt_0"] + i * f["wgt_1"]) % len(self.wgt)
            if f["reset"]:
                self.acc[a] = 0
            else:
                self._write(a, self.acc[a].astype(np.int64) + self.wgt[w].astype(np.int64) @ self.inp[n].astype(np.int64))

    def _alu(self, f: dict[str, int]) -> None:
        imm = f["imm"] - (1 << 16) if f["imm"] >> 15 else f["imm"]
        for o, i, uop in self._iterations(f):
            dst = ((uop & 0x7FF) + o * f["dst_0"] + i * f["dst_1"]) % len(self.acc)
            src = ((uop >> 11 & 0x7FF) + o * f["src_0"] + i * f["src_1"]) % len(self.acc)
            first, second = (self.acc[src], np.full_like(self.acc[src], imm)) if f["use_imm"] else (self.acc[dst], self.acc[src])
            self._write(dst, operation(f["alu_op"], first.astype(np.int64), second.astype(np.int64), imm < 0))

    def _write(self, index: int, values: np.ndarray) -> None:
        """The low 32 bits to acc, the low 8 to out."""
        self.acc[index] = values.astype("<i4")
        self.out[index % len(self.out)] = values.astype("i1")

    def _iterations(self, f: dict[str, int]) -> Iterator[tuple[int, int, int]]:
        count = (f["uop_end"] - f["uop_begin"]) % BOUNDLESS or BOUNDLESS
        for o in range(f["lp_0"] or BOUNDLESS):
            for i in range(f["lp_1"] or BOUNDLESS):
                for u in range(count):
                    yield o, i, int(self.uop[(f["uop_begin"] + u) % len(self.uop)])


def operation(alu_op: int, a: np.ndarray, b: np.ndarray, left: bool) -> np.ndarray:
    """Lane-wise on int64 copies of int32 values; the caller wraps. The direction of a shift is given, not taken from b."""
    match alu_op:
        case vta.MIN: return np.minimum(a, b)
        case vta.MAX: return np.maximum(a, b)
        case vta.ADD: return a + b
        case _: return a << (-b & 31) if left else a >> (b & 31)
