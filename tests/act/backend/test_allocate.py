"""Places in memories that are only just large enough, and in ones that are not."""

from random import Random

import pytest

from act.backend.compile import compile_module
from act.backend.homes import Constraint, Home, first_fit
from act.backend.solve import solve_places
from act.backend.verify import disagreement
from act.errors import UserError
from act.generator.model import Start
from act.hlo import parse_module
from act.taidl.model import Binary, Int, Name
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


def home(size: int, begin: int, end: int, limit: int = 6, scale: int = 1) -> Home:
    start = (0, Start("row", scale, Int(0)))
    return Home("m", (limit,), (size,), begin, end, {Constraint((start,), (), (), (0,)): None})


def plane(rows: int, columns: int, begin: int = 0, end: int = 0) -> Home:
    """A box in a memory of 4 x 4 places, both coordinates of which are chosen."""
    starts = ((0, Start("row", 1, Int(0))), (1, Start("column", 1, Int(0))))
    return Home("m", (4, 4), (rows, columns), begin, end, {Constraint(starts, (), (), (0, 0)): None})


def placed(homes: list[Home]) -> bool:
    """Whether first fit or the solver has a place for all; no two that live together meet."""
    found = solve_places(homes)
    for each, at in (found or {}).items():
        each.at = at
    meeting = [(a, b) for a in homes for b in homes if a is not b and a.together_with(b) and found and a.meets(b)]
    assert not meeting
    return found is not None


def test_the_solver_finds_what_first_fit_does_not():
    """A B. C C     Six rows; first fit puts C above A and B, which leaves no five rows for the last."""
    homes = [home(2, 0, 1), home(1, 0, 3), home(3, 1, 2), home(5, 3, 4)]
    tried: list[Home] = []
    fitting = [first_fit(each, tried) and not tried.append(each) for each in homes]
    assert not all(fitting)
    assert placed(homes)


def test_the_solver_says_when_there_is_no_solution():
    assert not placed([home(3, 0, 1, limit=4), home(2, 1, 2, limit=4)])


def test_boxes_that_are_apart_along_one_coordinate_do_not_meet():
    """Two halves of a memory side by side, which no order of rows alone allows."""
    homes = [plane(4, 2), plane(4, 2)]
    assert [first_fit(homes[0], []), first_fit(homes[1], homes[:1])] == [True, True]
    assert homes[1].at == (0, 2)
    assert placed([plane(4, 1), plane(4, 1), plane(1, 2), plane(3, 2)])
    assert not placed([plane(3, 3), plane(2, 2)])


def test_a_place_that_no_attribute_can_express_is_not_used():
    homes = [home(1, 0, 1), home(1, 0, 1, scale=4), home(1, 0, 1, scale=4)]
    assert [first_fit(each, homes[:number]) for number, each in enumerate(homes)] == [True, True, False]
    assert [each.at for each in homes[:2]] == [(0,), (4,)]
    assert placed([home(1, 0, 1, limit=9), home(1, 0, 1, limit=9, scale=4), home(1, 0, 1, limit=9, scale=4)])


def test_conditions_over_both_coordinates_are_kept():
    starts = ((0, Start("row", 1, Int(0))), (1, Start("column", 1, Int(0))))
    diagonal = Binary("==", Binary("+", Name("row"), Name("column")), Int(3))
    homes = [Home("m", (4, 4), (1, 1), 0, 0, {Constraint(starts, (), (diagonal,), (0, 0)): None}) for _ in range(4)]
    assert placed(homes)
    assert sorted(each.at for each in homes) == [(0, 3), (1, 2), (2, 1), (3, 0)]


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


@pytest.mark.parametrize("seed", range(60))
def test_first_fit_along_one_coordinate_takes_the_lowest_place(seed):
    random = Random(seed)
    placed: list[Home] = []
    for _ in range(12):
        begin = random.randrange(10)
        each = home(random.randint(1, 3), begin, begin + random.randrange(5), limit=14, scale=random.choice([1, 1, 2, 4]))
        others = [other for other in placed if other.together_with(each)]
        free = [place for place in each.places(0) if not any(place < other.at[0] + other.sizes[0] and other.at[0] < place + each.sizes[0] for other in others)]
        found = first_fit(each, placed)
        assert found == bool(free)
        if found:
            assert each.at == (free[0],)
            placed.append(each)
