"""Places in memories that are only just large enough, and in ones that are not."""

import pytest

from act.backend.allocate import Home
from act.backend.compile import compile_module
from act.backend.solve import solve_rows
from act.backend.verify import disagreement
from act.errors import UserError
from act.hlo import parse_module
from tests.act.backend.backends import SYSTOLIC, backend_of, hlo

PRODUCT = hlo(
    "a = s8[48,48] parameter(0)",
    "b = s8[48,48] parameter(1)",
    "d = s32[48,48] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
)


def small(spad: int, acc: int = 1024):
    text = SYSTOLIC.read_text()
    return backend_of(text.replace("s8[16384][16]", f"s8[{spad}][16]").replace("s32[1024][16]", f"s32[{acc}][16]"))


def loads(spad: int, acc: int = 1024) -> int:
    """How often something is loaded in a program that is right."""
    backend, module = small(spad, acc), parse_module(PRODUCT)
    program = compile_module(backend, module).program
    assert disagreement(backend.accelerator, module, program, rounds=1) is None
    return sum(command.instruction.startswith("mvin") for command in program.commands)


def test_what_is_used_again_stays_where_it_is():
    assert loads(16384) == 18


def test_what_does_not_fit_is_loaded_again():
    assert loads(48) > 18


def test_two_tiles_are_enough_for_a_product_and_one_is_not():
    assert loads(32, 16) > 18
    with pytest.raises(UserError, match="spad has 16 rows"):
        loads(16)


def test_the_solver_finds_what_first_fit_does_not():
    """A B. C C     Six rows; first fit puts C above A and B, which leaves no five rows for the last."""
    homes = [Home("m", 6, 2, 0, 1), Home("m", 6, 1, 0, 3), Home("m", 6, 3, 1, 2), Home("m", 6, 5, 3, 4)]
    found = solve_rows(homes, 6, {home: range(6) for home in homes})
    assert found is not None
    for first in homes:
        for second in homes:
            together = first.begin <= second.end and second.begin <= first.end
            if first is not second and together:
                assert found[first] + first.size <= found[second] or found[second] + second.size <= found[first]


def test_the_solver_says_when_there_is_no_solution():
    homes = [Home("m", 4, 3, 0, 1), Home("m", 4, 2, 1, 2)]
    assert solve_rows(homes, 4, {home: range(4) for home in homes}) is None


TILE = "clobber tile[q][i, j : q < 2, i < 16, j < 16]"


def test_what_an_instruction_overwrites_besides_its_result_holds_no_value():
    backend = backend_of(SYSTOLIC.read_text().replace(TILE, f"{TILE}\n  clobber spad[3 + i][j : i < 5, j < 16]"))
    module = parse_module(PRODUCT)
    compiled = compile_module(backend, module)
    assert disagreement(backend.accelerator, module, compiled.program, rounds=1) is None
    rows = [operation.attributes["row"] for operation in compiled.operations if operation.name in ("mvin", "mvin2")]
    assert not any(row < 8 and row + 16 > 3 for row in rows)


def test_a_place_to_overwrite_is_found_like_any_other():
    text = SYSTOLIC.read_text().replace(TILE, f"{TILE}\n  clobber acc[scratch + i][j : i < 20, j < 16]").replace("n | a, b, c)", "n | a, b, c, scratch)")
    compiled = compile_module(backend_of(text), parse_module(PRODUCT))
    places = [(operation.attributes["c"], operation.attributes["scratch"]) for operation in compiled.operations if operation.name == "matmul_accumulate"]
    assert places and all(scratch >= result + 16 or scratch + 20 <= result for result, scratch in places)
