"""Random tiled programs for the whole accelerator, each with the memory that numpy expects after it."""

from __future__ import annotations

from random import Random

import numpy as np
from commands import (
    ACCUMULATE,
    ACCUMULATOR,
    FULL_ROW,
    GARBAGE,
    OUTPUT_STATIONARY,
    RELU,
    compute,
    config_ex,
    config_ld,
    config_st,
    mvin,
    mvout,
    preload,
    tile,
)
from image import Image, Matrix, store

A_ROW, B_ROW, C_ROW = 100, 5000, 9000  # scratchpad rows; B lies in the second bank, C in the third


def int8(rng: Random, rows: int, cols: int, limit: int = 128) -> np.ndarray:
    return np.array([[rng.randrange(-limit, limit) for _ in range(cols)] for _ in range(rows)], dtype=np.int8)


def int32(rng: Random, rows: int, cols: int) -> np.ndarray:
    return np.array([[rng.randrange(-(2**20), 2**20) for _ in range(cols)] for _ in range(rows)], dtype=np.int32)


def tiles(size: int, dim: int) -> list[tuple[int, int]]:
    """(start, length) of the pieces of at most dim."""
    return [(start, min(dim, size - start)) for start in range(0, size, dim)]


def load(image: Image, matrix: Matrix, local: int, dim: int, bank: int) -> dict[tuple[int, int], int]:
    """Bring a matrix of at most 4 * dim columns in, a band of rows per mvin; returns the local row of each tile."""
    blocks = len(tiles(matrix.cols, dim))
    image.commands.append(config_ld(matrix.stride, bank, block_stride=dim + image.rng.randrange(3)))
    block_stride = image.commands[-1][1] >> 16 & 0x3FFF
    places = {}
    for band, (start, rows) in enumerate(tiles(matrix.rows, dim)):
        first = local + band * (blocks - 1) * block_stride + band * dim
        image.commands.append(mvin(matrix.at(start, 0), first, rows, matrix.cols, bank))
        places.update({(band, block): first + block * block_stride for block in range(blocks)})
    return places


def matmul_in_accumulator(rng: Random, dim: int) -> tuple[Image, bytearray]:
    """C = act(A * B [+ bias]) summed over K in the accumulator; int8 or int32 out; weights reused over rows of A or not."""
    m, k, n = (rng.randint(1, 2 * dim + dim // 2) for _ in range(3))
    image, bias_kind, full, activation = Image(rng), rng.choice(["none", "matrix", "zeros"]), rng.random() < 0.5, rng.choice([0, RELU])
    limit = rng.choice([128, 4])
    a, b, bias = int8(rng, m, k, limit), int8(rng, k, n, limit), int32(rng, m, n)
    in_a, in_b, in_bias = image.place(a), image.place(b), image.place(bias)
    out = image.reserve(m, n, "<i4" if full else "i1")
    at_a, at_b = load(image, in_a, A_ROW, dim, 0), load(image, in_b, B_ROW, dim, 1)
    image.commands += [config_ex(), config_ld(in_bias.stride, 2), config_st(out.stride, activation)]
    for j, (col, cols) in enumerate(tiles(n, dim)):
        for i, (row, rows) in enumerate(tiles(m, dim)):
            if bias_kind != "none":
                image.commands.append(mvin(in_bias.at(row, col) if bias_kind == "matrix" else 0, ACCUMULATOR | i * dim, rows, cols, 2))
        accumulate_products(image, at_a, at_b, (m, k), (j, cols), dim, bias_kind != "none")
        for i, (row, rows) in enumerate(tiles(m, dim)):
            flags = ACCUMULATOR | (FULL_ROW if full else 0)
            image.commands.append(mvout(out.at(row, col), flags | i * dim, rows, cols))
    total = a.astype(np.int32) @ b.astype(np.int32) + (bias if bias_kind == "matrix" else 0)
    narrowed = np.clip(np.maximum(total, 0) if activation == RELU else total, -128, 127)
    expected = bytearray(image.bytes)
    store(expected, out, total if full else narrowed)
    return image, expected


def accumulate_products(image: Image, at_a: dict[tuple[int, int], int], at_b: dict[tuple[int, int], int], shape: tuple[int, int],
                        column: tuple[int, int], dim: int, onto_bias: bool) -> None:
    """Accumulator rows i * dim + r <- sum over k of A[i, k] * B[k, j]. A weight tile stays for all row bands of A."""
    (m, k), (j, cols) = shape, column
    for kk, (_, depth) in enumerate(tiles(k, dim)):
        for i, (_, rows) in enumerate(tiles(m, dim)):
            add = ACCUMULATE if onto_bias or kk > 0 else 0
            weights = tile(at_b[kk, j], depth, cols) if i == 0 else tile(GARBAGE, depth, cols)
            image.commands.append(preload(weights, tile(ACCUMULATOR | add | i * dim, rows, cols)))
            image.commands.append(compute(tile(at_a[i, kk], rows, depth), tile(GARBAGE, rows, cols), accumulated=i > 0))


def transposed_weights(rng: Random, dim: int) -> tuple[Image, bytearray]:
    """C = A * B' summed over K in the accumulator, B brought in as it lies in memory and transposed on its way into the array."""
    m, k, n = (rng.randint(1, 2 * dim + dim // 2) for _ in range(3))
    image = Image(rng)
    a, b = int8(rng, m, k), int8(rng, n, k)
    at_a, at_b = load(image, image.place(a), A_ROW, dim, 0), load(image, image.place(b), B_ROW, dim, 1)
    out = image.reserve(m, n, "<i4")
    image.commands += [config_ex(b_transpose=True), config_st(out.stride)]
    for j, (col, cols) in enumerate(tiles(n, dim)):
        for i, (row, rows) in enumerate(tiles(m, dim)):
            for kk, (_, depth) in enumerate(tiles(k, dim)):
                into = tile(ACCUMULATOR | (ACCUMULATE if kk else 0) | i * dim, rows, cols)
                image.commands += [preload(tile(at_b[j, kk], depth, cols), into), compute(tile(at_a[i, kk], rows, depth), GARBAGE)]
            image.commands.append(mvout(out.at(row, col), ACCUMULATOR | FULL_ROW | i * dim, rows, cols))
    expected = bytearray(image.bytes)
    store(expected, out, a.astype(np.int32) @ b.T.astype(np.int32))
    return image, expected


def chain_in_scratchpad(rng: Random, dim: int) -> tuple[Image, bytearray]:
    """E = act(sat8(sat8(A * B + D) * C)): int8 results and the int8 D operand stay in the scratchpad; strides in the scratchpad."""
    m, k, n, p = (rng.randint(1, dim) for _ in range(4))
    image, activation = Image(rng), rng.choice([0, RELU])
    a, b, c, d = int8(rng, m, k, 8), int8(rng, k, n, 8), int8(rng, n, p, 8), int8(rng, m, n)
    a_stride, c_stride = rng.randint(1, 3), rng.randint(1, 3)
    for values, local, bank in ((b, B_ROW, 0), (c, B_ROW + dim, 1), (d, C_ROW, 2)):
        load(image, image.place(values), local, dim, bank)
    in_a = image.place(a)
    image.commands.append(config_ld(in_a.stride))
    image.commands += [mvin(in_a.at(r, 0), A_ROW + r * a_stride, 1, k) for r in range(m)]
    out = image.reserve(m, p, "i1")
    middle, result = C_ROW + 4 * dim, A_ROW + 5000
    image.commands += [
        config_ex(activation, a_stride, c_stride), config_st(out.stride),
        preload(tile(B_ROW, k, n), tile(middle, m, n)),
        compute(tile(A_ROW, m, k), tile(C_ROW, m, n)),
        config_ex(activation, c_stride, c_stride),
        preload(tile(B_ROW + dim, n, p), tile(result, m, p)),
        compute(tile(middle, m, n), tile(GARBAGE, m, p)),
    ]
    image.commands += [mvout(out.at(r, 0), result + r * c_stride, 1, p) for r in range(m)]
    expected = bytearray(image.bytes)
    store(expected, out, narrow(narrow(a.astype(int) @ b + d, activation) @ c, activation))
    return image, expected


def output_stationary(rng: Random, dim: int) -> tuple[Image, bytearray]:
    """C = act(sat8(round((A' * B + D) >> shift))), A' as its columns lie in the scratchpad: sums over K stay in the array and leave once."""
    m, k, n = rng.randint(1, dim), rng.randint(1, 3 * dim), rng.randint(1, dim)
    image, activation, shift = Image(rng), rng.choice([0, RELU]), rng.choice([0, 1, 5, 11])
    columns, b, d = int8(rng, k, m), int8(rng, k, n), int8(rng, m, n)
    at_a, at_b = load(image, image.place(columns), A_ROW, dim, 0), load(image, image.place(b), B_ROW, dim, 1)
    load(image, image.place(d), C_ROW, dim, 2)
    out, result = image.reserve(m, n, "i1"), C_ROW + dim
    image.commands += [config_ex(activation, dataflow=OUTPUT_STATIONARY, shift=shift), config_st(out.stride)]
    pieces = tiles(k, dim)
    for kk, (_, depth) in enumerate(pieces):
        last = kk == len(pieces) - 1
        image.commands += [
            preload(tile(GARBAGE if kk else C_ROW, m, n), tile(result if last else GARBAGE, m, n)),
            compute(tile(at_a[kk, 0], depth, m), tile(at_b[kk, 0], depth, n), accumulated=kk > 0),
        ]
    image.commands.append(mvout(out.address, result, m, n))
    expected = bytearray(image.bytes)
    store(expected, out, narrow(np.rint((columns.T.astype(int) @ b + d) / 2**shift), activation))
    return image, expected


def narrow(values: np.ndarray, activation: int) -> np.ndarray:
    saturated = np.clip(values, -128, 127)
    return np.maximum(saturated, 0) if activation == RELU else saturated


def wide_moves(rng: Random, dim: int) -> tuple[Image, bytearray]:
    """Copies of up to 4 * dim columns through the scratchpad and sums of int8 (shrunk) and int32 matrices in the accumulator."""
    rows, cols = rng.randint(1, dim), rng.randint(1, 4 * dim)
    image = Image(rng)
    a, b, c = int8(rng, rows, cols), int8(rng, rows, cols), int32(rng, rows, cols)
    in_a, in_b, in_c = image.place(a), image.place(b), image.place(c)
    copy, total = image.reserve(rows, cols, "i1"), image.reserve(rows, cols, "<i4")
    acc_row, sp_row = rng.randrange(1024 - 4 * dim), rng.randrange(16384 - 4 * dim)
    image.commands += [
        config_ld(in_a.stride, 0, block_stride=dim), mvin(in_a.address, sp_row, rows, cols),
        config_st(copy.stride), mvout(copy.address, sp_row, rows, cols),
        config_ld(in_b.stride, 1, shrink=True, block_stride=dim), mvin(in_b.address, ACCUMULATOR | acc_row, rows, cols, 1),
        config_ld(in_c.stride, 2, block_stride=dim), mvin(in_c.address, ACCUMULATOR | ACCUMULATE | acc_row, rows, cols, 2),
        config_st(total.stride, RELU), mvout(total.address, ACCUMULATOR | FULL_ROW | acc_row, rows, cols),
    ]
    expected = bytearray(image.bytes)
    store(expected, copy, a)
    store(expected, total, b.astype(np.int32) + c)
    return image, expected
