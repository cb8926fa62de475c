"""The random kernels of the end-to-end tests are well-typed, the same for the same seed, and cover their vocabulary."""

from collections import Counter

from act.hlo import flatten, parse_module
from tests.kernels import LARGEST, generate

SEEDS = range(300)


def test_every_kernel_is_well_typed_and_of_bounded_size():
    for seed in SEEDS:
        module = flatten(parse_module(generate(seed), f"seed {seed}"))
        assert 1 <= len(module.main.parameters) <= 24
        assert max(max(each.shape.dims) for each in module.main.parameters) <= LARGEST + 8


def test_the_same_seed_gives_the_same_text():
    assert generate(7) == generate(7)
    assert len({generate(seed) for seed in SEEDS}) > 290


def test_the_vocabulary_is_covered():
    found = Counter(each.opcode for seed in SEEDS for each in parse_module(generate(seed)).main)
    for opcode in "add broadcast clamp constant convert dot maximum minimum parameter slice tuple".split():
        assert found[opcode] >= 20, opcode
