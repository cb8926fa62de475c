"""Builds a program and its memory image, and runs many of them on the RTL runner in one process."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import numpy as np
from commands import Command
from model_build import REPOSITORY

RUNNER = REPOSITORY / "rtl" / "sim" / "gemmini"


@dataclass(frozen=True, slots=True)
class Matrix:
    """A matrix in memory: row r begins at byte address + r * stride."""

    address: int
    stride: int
    rows: int
    cols: int
    element: np.dtype

    def at(self, row: int, col: int) -> int:
        return self.address + row * self.stride + col * self.element.itemsize


@dataclass(slots=True)
class Image:
    """Memory in the making: matrices are placed one after the other, with random gaps and unaligned addresses and strides."""

    rng: Random
    bytes: bytearray = field(default_factory=lambda: bytearray(b"\x5a" * 7))
    commands: list[Command] = field(default_factory=list)

    def place(self, values: np.ndarray) -> Matrix:
        """Put a matrix of int8 or int32 into memory (at no address 0, which stands for zeros)."""
        rows, cols = values.shape
        stride = cols * values.itemsize + self.rng.choice([0, 0, self.rng.randrange(40)])
        self.bytes += self.rng.randbytes(self.rng.randrange(1, 40))
        matrix = Matrix(len(self.bytes), stride, rows, cols, values.dtype)
        self.bytes += self.rng.randbytes(rows * stride)
        store(self.bytes, matrix, values)
        return matrix

    def reserve(self, rows: int, cols: int, element: str) -> Matrix:
        """A place for a result, filled with random bytes."""
        width = np.dtype(element).itemsize
        noise = np.frombuffer(self.rng.randbytes(rows * cols * width), element).reshape(rows, cols)
        return self.place(noise)


def store(memory: bytearray, matrix: Matrix, values: np.ndarray) -> None:
    for row in range(matrix.rows):
        data = values[row].astype(matrix.element).tobytes()
        memory[matrix.at(row, 0) : matrix.at(row, 0) + len(data)] = data


def write_program(path: Path, commands: Sequence[Command]) -> None:
    path.write_text("".join(f"{funct:x} {rs1:x} {rs2:x}\n" for funct, rs1, rs2 in commands))


def run_images(folder: Path, images: Sequence[Image], dim: int, latency_seed: int) -> list[bytes]:
    """The memories after running each image's program on the RTL."""
    lines = []
    for number, image in enumerate(images):
        write_program(folder / f"{number}.img", image.commands)
        (folder / f"{number}.in").write_bytes(image.bytes)
        lines.append(f"{folder}/{number}.img {folder}/{number}.in {folder}/{number}.out")
    (folder / "list").write_text("\n".join(lines))
    command = [RUNNER, "--batch", folder / "list", "--dim", str(dim), "--latency-seed", str(latency_seed)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(json.loads(line)["cycles"] > 0 for line in done.stdout.splitlines())
    return [(folder / f"{number}.out").read_bytes() for number in range(len(images))]
