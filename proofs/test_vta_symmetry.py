"""rtl/vta: the input, weight and accumulator of a GEMM are found by one index generator.

An index is `factor * n0 + factor' * n1 + field of the micro-op`.  Two of them are shown to be one function of (factors, loop indices, field), for all
values, modulo the words of the smaller buffer, where hardware cuts them off.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import pytest
import z3

from act.taidl import Binary, Expr, Name, parse, substitute
from act.taidl.expr import lookups, names
from act.taidl.simplify import from_polynomial, polynomial
from proofs.integers import modulo, unsigned
from proofs.solve import Refuted, prove
from proofs.vta import GENERATED

BITS = {"n0": 14, "n1": 14, "outer": 11, "inner": 11, "field": 11}  # of the loops' indices, the factors, and the widest field of a micro-op


@dataclass(frozen=True, slots=True)
class Generator:
    """The index of one operand, of `words`: a function of `outer` and `inner`, which are its factors, and of `field`, what the micro-op says."""

    operand: str
    index: Expr
    words: int


def generators(text: str, step: str) -> list[Generator]:
    """Those of a step, one for each buffer that it reads."""
    accelerator = parse(text)
    reads = {r.slice.buffer: r.slice.coordinates[0] for r in accelerator.instructions[step].reads}
    return [Generator(buffer, general(index), accelerator.buffers[buffer].access[0]) for buffer, index in reads.items()]


def general(index: Expr) -> Expr:
    """With the factor of each loop's index, and the part of the micro-op, under names of their own."""
    renamed: dict[str, Expr] = {}
    rest, parts = dict[tuple[Expr, ...], int](), list[tuple[Expr, ...]]()
    for monomial, factor in polynomial(index).items():
        parts.append(monomial)
        if len(monomial) == 1 and lookups(monomial[0]):
            assert factor == 1, "a multiple of a micro-op"
            continue
        loops = {n for each in monomial for n in names(each)} & {"n0", "n1"}
        own = {n for each in monomial for n in names(each)} - loops
        assert len(loops) == len(own) == 1, f"not a multiple of one loop's index: {monomial}"
        renamed[own.pop()] = Name({"n0": "outer", "n1": "inner"}[loops.pop()])
        rest[monomial] = factor
    assert len(parts) - len(rest) == 1, "not one micro-op"
    return Binary("+", substitute(from_polynomial(rest), renamed), Name("field"))


def is_symmetric(first: Generator, second: Generator) -> None:
    """Proves that both are one function, cut off to the smaller of the buffers."""
    width = (min(first.words, second.words) - 1).bit_length()
    values = {name: unsigned(z3.BitVec(name, bits)) for name, bits in BITS.items()}
    prove(f"the index of {first.operand} is that of {second.operand}", modulo(first.index, values, width) == modulo(second.index, values, width))  # type: ignore[arg-type]


GEMM = [g.operand for g in generators(GENERATED.read_text(), "gemm_step_inp")]


@pytest.mark.parametrize("pair", list(combinations(GEMM, 2)), ids=lambda pair: f"vta-gemm-{'-'.join(pair)}-16")
def test_operands_of_a_gemm_have_one_index_generator(pair: tuple[str, str]) -> None:
    found = {g.operand: g for g in generators(GENERATED.read_text(), "gemm_step_inp")}
    is_symmetric(found[pair[0]], found[pair[1]])


def test_the_three_operands_are_there() -> None:
    assert sorted(GEMM) == ["acc", "inp", "wgt"]


MUTATIONS = {
    "a word beside": ("uop[n2 + uop_begin] / 0x400000]", "uop[n2 + uop_begin] / 0x400000 + n1 * factor_118]"),
    "a loop's index that is cut too short": ("factor_108 * (n0 % 1024)", "factor_108 * (n0 % 512)"),
    "a factor twice": ("factor_118 * (n1 % 1024)", "2 * factor_118 * (n1 % 1024)"),
}


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_another_generator_is_refuted(mutation: str) -> None:
    right, wrong = MUTATIONS[mutation]
    text = GENERATED.read_text()
    assert text.count(right) == 1
    found = {g.operand: g for g in generators(text.replace(right, wrong), "gemm_step_inp")}
    with pytest.raises(Refuted):
        is_symmetric(found["inp"], found["wgt"])
