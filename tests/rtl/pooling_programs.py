"""Random programs that max-pool on the way out of the scratchpad or the accumulator, each with the memory that numpy expects."""

from __future__ import annotations

from random import Random

import numpy as np
from commands import ACCUMULATOR, RELU, Pooling, config_ld, config_st, mvin, mvout
from image import Image, store
from matmul_programs import int8, narrow


def pooled_image(rng: Random, dim: int) -> tuple[Image, bytearray]:
    """An image of orows x ocols pixels with `channels` channels, brought in row by row, pooled, in its memory layout."""
    orows, ocols, channels = rng.randint(1, 6), rng.randint(1, dim), rng.randint(1, dim)
    size, stride, upad, lpad = rng.randint(1, 3), rng.randint(1, 3), rng.randrange(3), rng.randrange(3)
    porows, pocols = rng.randint(1, 4), rng.randint(1, 4)
    pooling = Pooling(stride, size, upad, lpad, pocols, porows, pocols, orows, ocols)
    image, activation, flags = Image(rng), rng.choice([0, RELU]), rng.choice([0, ACCUMULATOR])
    pixels = int8(rng, orows * ocols, channels)
    source, target = image.place(pixels), image.reserve(porows * pocols, channels, "i1")
    local = flags | rng.randrange(900 if flags else 16000)
    image.commands += [config_ld(source.stride, shrink=True), config_st(target.stride, activation, pooling=pooling)]
    image.commands += [mvin(source.at(r * ocols, 0), local + r * ocols, ocols, channels) for r in range(orows)]
    image.commands.append(mvout(target.address, local, 1, channels))
    expected = bytearray(image.bytes)
    read = narrow(pixels, activation) if flags else pixels
    store(expected, target, max_pool(read.reshape(orows, ocols, channels), pooling).reshape(porows * pocols, channels))
    return image, expected


def max_pool(pixels: np.ndarray, pooling: Pooling) -> np.ndarray:
    """[porows, pocols, channels] of the maxima; pixels beyond the image are zeros."""
    reach = [(pads, span) for pads, span in ((pooling.upad, pooling.porows), (pooling.lpad, pooling.pocols))]
    padded = np.pad(pixels, [*((pads, span * pooling.stride + pooling.size) for pads, span in reach), (0, 0)])
    windows = np.lib.stride_tricks.sliding_window_view(padded, (pooling.size, pooling.size), axis=(0, 1))
    strided = windows[:: pooling.stride, :: pooling.stride][: pooling.porows, : pooling.pocols]
    return strided.max(axis=(-2, -1))
