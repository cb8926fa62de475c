"""JAX functions such as models are made of, with examples of their arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def _array(*dims: int, dtype: Any = np.float32, seed: int = 0) -> np.ndarray:
    values = np.random.default_rng(seed).normal(size=dims)
    return (values * 40).astype(dtype) if np.issubdtype(dtype, np.integer) else values.astype(dtype)


def attention(q, k, v):
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(q.shape[-1])
    causal = jnp.tril(jnp.ones(scores.shape[-2:], bool))
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(jnp.where(causal, scores, -jnp.inf)), v)


def perceptron(x, w, b, u):
    return jax.nn.gelu(x @ w + b) @ u


def exact_gelu(x):
    return jax.nn.gelu(x, approximate=False)


def normalised(x, scale, bias):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(jnp.square(x - mean).mean(-1, keepdims=True) + 1e-5) * scale + bias


def convolved(x, w, b):
    y = lax.conv_general_dilated(x, w, (2, 1), "SAME", rhs_dilation=(1, 2), dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return lax.reduce_window(jax.nn.relu(y + b), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def depthwise(x, w):
    return lax.conv_general_dilated(x, w, (1, 1), [(1, 1), (0, 2)], feature_group_count=x.shape[1])


def transposed_convolution(x, w):
    return lax.conv_transpose(x, w, (2, 2), "SAME")


def quantised(a, b, bias):
    total = lax.dot_general(a, b, (((1,), (0,)), ((), ())), preferred_element_type=jnp.int32) + bias
    return jnp.clip(total >> 6, -128, 127).astype(jnp.int8)


def cache_update(cache, new, place):
    return lax.dynamic_update_slice(cache, new, (place, 0)), lax.dynamic_slice(cache, (place, 0), (2, 4))


def running_sum(x):
    return jnp.cumsum(x, axis=0)


def rotary(x, angles):
    a, b = jnp.split(x, 2, axis=-1)
    return jnp.concatenate([a * jnp.cos(angles) - b * jnp.sin(angles), a * jnp.sin(angles) + b * jnp.cos(angles)], -1)


def gradient(x, w):
    return jax.grad(lambda w: jnp.sum(jnp.tanh(x @ w) ** 2))(w)


def narrow(x, w):
    return jnp.dot(x.astype(jnp.bfloat16), w.astype(jnp.bfloat16), preferred_element_type=jnp.float32)


def with_constant(x):
    return jnp.flip(x + np.arange(64, dtype=np.float32).reshape(8, 8), 0)


def bits(x):
    return lax.population_count(x ^ (x << 3)), lax.clz(x), lax.bitcast_convert_type(x, jnp.int8)


MODELS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (attention, (_array(1, 5, 2, 4), _array(1, 5, 2, 4, seed=1), _array(1, 5, 2, 4, seed=2))),
    (perceptron, (_array(3, 8), _array(8, 16), _array(16), _array(16, 4))),
    (exact_gelu, (_array(7, 9),)),
    (normalised, (_array(4, 16), _array(16), _array(16))),
    (convolved, (_array(2, 8, 9, 3), _array(3, 3, 3, 4), _array(4))),
    (depthwise, (_array(1, 4, 6, 6), _array(8, 1, 3, 3))),
    (transposed_convolution, (_array(1, 5, 5, 3), _array(3, 3, 3, 2))),
    (quantised, (_array(5, 7, dtype=np.int8), _array(7, 3, dtype=np.int8), _array(3, dtype=np.int32))),
    (cache_update, (_array(6, 4), _array(2, 4, seed=1), np.int32(5))),
    (running_sum, (_array(6, 3),)),
    (rotary, (_array(3, 8), _array(3, 4))),
    (gradient, (_array(4, 6), _array(6, 3))),
    (narrow, (_array(4, 6), _array(6, 3))),
    (with_constant, (_array(8, 8),)),
    (bits, (_array(9, dtype=np.int32),)),
]
