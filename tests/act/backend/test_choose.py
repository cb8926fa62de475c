"""Which of several programs is taken, and what is tried when the first has no room."""

import re
from collections.abc import Sequence
from random import Random

import pytest

from act.backend.choose import Attempts, Choice
from act.backend.compile import Compiled, Statistics, compile_module, extract, lower
from act.backend.cost import CycleCosts
from act.backend.emit import Operation
from act.backend.search import Search
from act.backend.verify import disagreement
from act.errors import UserError
from act.hlo import parse_module
from act.program import print_program
from tests.act.backend.backends import SYSTOLIC, backend_of, hlo, systolic

LIMITED = hlo(
    "a = s8[16,16] parameter(0)",
    "b = s8[16,16] parameter(1)",
    "d = s32[16,16] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
    "low = s32[] constant(-128)",
    "high = s32[] constant(127)",
    "limited = s32[16,16] clamp(low, d, high)",
    "narrow = s8[16,16] convert(limited)",
)


def product(name: str, left: str, right: str) -> list[str]:
    """A product of s8 tiles, limited to s8."""
    return [
        f"{name}.d = s32[16,16] dot({left}, {right}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}",
        f"{name}.c = s32[16,16] clamp(low, {name}.d, high)",
        f"{name} = s8[16,16] convert({name}.c)",
    ]


CROSSED = hlo(
    *(f"{name} = s8[16,16] parameter({number})" for number, name in enumerate("abcdef")),
    "low = s32[] constant(-128)",
    "high = s32[] constant(127)",
    *product("x", "a", "b"),
    *product("y", "c", "d"),
    *product("z", "e", "f"),
    *product("xy", "x", "y"),
    *product("yz", "y", "z"),
    *product("xz", "x", "z"),
    "all = (s8[16,16], s8[16,16], s8[16,16]) tuple(xy, yz, xz)",
)
"""Three computed values, each of which is needed with each other."""


class Penalty:
    """Programs with one instruction cost more than all others."""

    def __init__(self, name: str) -> None:
        self.name = name

    def cost(self, operations: Sequence[Operation]) -> float:
        return sum(1000.0 if each.name == self.name else 1.0 for each in operations)


def names(compiled: Compiled) -> set[str]:
    return {operation.name for operation in compiled.operations}


@pytest.mark.parametrize("avoided", ["mvout", "mvout_acc"])
def test_the_cost_model_decides_between_programs(avoided):
    module = parse_module(LIMITED)
    compiled = compile_module(systolic(), module, choice=Choice(search=True, model=Penalty(avoided)))
    assert avoided not in names(compiled)
    assert disagreement(systolic().accelerator, module, compiled.program, rounds=1) is None


def test_a_search_never_returns_what_costs_more_than_the_first_program():
    model = CycleCosts(systolic().accelerator)
    for text in (LIMITED, CROSSED):
        module, statistics = parse_module(text), Statistics()
        first = compile_module(systolic(), module)
        searched = compile_module(systolic(), module, statistics, choice=Choice(search=True))
        assert model.cost(searched.operations) <= model.cost(first.operations)
        assert statistics.values["candidates"] > 1


def test_the_default_model_is_the_sum_of_the_cost_clauses():
    compiled = compile_module(systolic(), parse_module(LIMITED))
    known = {"mvin": 52, "mvin2": 52, "matmul": 140, "mvout_acc": 52, "matmul_spad": 140, "mvout": 52}
    settings = sum(operation.step is None for operation in compiled.operations)
    expected = sum(known[operation.name] for operation in compiled.operations if operation.step is not None) + settings
    assert CycleCosts(systolic().accelerator).cost(compiled.operations) == expected


def small(rows: int, text: str = SYSTOLIC.read_text()):
    return backend_of(text.replace("s8[16384][16]", f"s8[{rows}][16]"))


def test_values_go_to_host_memory_and_back_where_nothing_else_has_room():
    module = parse_module(CROSSED)
    assert not compile_module(systolic(), module).program.of_kind("scratch")
    compiled = compile_module(small(64), module)
    assert compiled.program.of_kind("scratch")
    assert disagreement(small(64).accelerator, module, compiled.program, rounds=1) is None


def test_no_room_names_the_operator_the_memory_and_the_bytes():
    with pytest.raises(UserError) as error:
        compile_module(small(16), parse_module(LIMITED))
    place = r"no room: (dot -> s32|convert -> s8)\[16,16\] \(matmul\w*\): spad has 16 rows of 16 s8, 256 bytes"
    assert re.search(place + ", and values that take (512|768) bytes are needed at the same time", str(error.value))


def test_what_no_order_can_place_ends_the_search():
    """Neither orders nor plans are tried in vain: two operands of 16 rows never lie in 16 rows."""
    backend = small(16)
    kernel = lower(backend, parse_module(LIMITED), 10_000)
    attempts = Attempts(backend, *extract(backend, kernel, 10_000), Choice())
    with pytest.raises(UserError):
        Search(attempts).first()
    assert attempts.spent < 100


def test_the_seed_breaks_ties_and_nothing_else():
    module = parse_module(CROSSED)
    texts = [print_program(compile_module(systolic(), module, choice=Choice(seed=seed)).program) for seed in (0, 0, 1, 1, 2)]
    assert texts[0] == texts[1] and texts[2] == texts[3]
    assert len(set(texts)) > 1
    program = compile_module(systolic(), module, choice=Choice(seed=1)).program
    assert disagreement(systolic().accelerator, module, program, rounds=1) is None


def test_the_next_plan_is_taken_where_the_cheapest_has_no_room():
    """An accumulator that cannot hold the result leaves the way through the scratchpad."""
    backend = backend_of(SYSTOLIC.read_text().replace("s32[1024][16]", "s32[8][16]"))
    module = parse_module(LIMITED)
    compiled = compile_module(backend, module, choice=Choice())
    assert "matmul_spad" in names(compiled)
    assert disagreement(backend.accelerator, module, compiled.program, rounds=1) is None


def crossed(seed: int) -> str:
    """Products of random earlier values, the last three of which are results."""
    random = Random(seed)
    lines = [f"{name} = s8[16,16] parameter({number})" for number, name in enumerate("abcd")]
    values = list("abcd")
    for number in range(random.randint(4, 8)):
        lines += product(f"v{number}", random.choice(values), random.choice(values))
        values.append(f"v{number}")
    bounds = ["low = s32[] constant(-128)", "high = s32[] constant(127)"]
    return hlo(*bounds, *lines, f"all = (s8[16,16], s8[16,16], s8[16,16]) tuple({', '.join(values[-3:])})")


@pytest.mark.parametrize("seed", range(10))
def test_programs_for_little_memory_are_right_or_refused(seed):
    module = parse_module(crossed(seed))
    refused = {}
    for rows in (32, 48, 64, 96):
        try:
            program = compile_module(small(rows), module, choice=Choice(budget=4000)).program
        except UserError as error:
            refused[rows] = str(error)
        else:
            assert disagreement(small(rows).accelerator, module, program, rounds=1) is None
    assert all("no room" in reason for reason in refused.values())
    assert 96 not in refused
