"""Units that talk to neighbours by handshakes: what they ask for is recorded, answers are given by contract, queues are no state."""

from __future__ import annotations

from pathlib import Path

import pytest

from lift.unroll import terms
from lift.unroll.extract import Lift
from lift.unroll.function import Loop, Store
from lift.unroll.paths import conditions
from lift.unroll.solver import satisfiable
from tests.lift.lifted import lift_of

LOADER = Path(__file__).resolve().parents[1] / "designs" / "loader.sv"
RUN, SET = "op_2", "op_1"


@pytest.fixture(scope="module")
def loader() -> Lift:
    return lift_of([LOADER], "Loader")


def changed(tmp_path: Path, old: str, new: str) -> Lift:
    text = LOADER.read_text()
    assert old in text
    file = tmp_path / "loader.sv"
    file.write_text(text.replace(old, new))
    return lift_of([file], "Loader")


def test_only_the_configuration_is_state(loader: Lift) -> None:
    assert loader.registers == {"stride"}
    assert loader.arrays == {}


def test_a_command_that_nothing_answers_is_opaque(loader: Lift) -> None:
    """Nobody takes it out of the queue."""
    assert loader.opaque == {"op_other": "it does not come back to rest: commands.maybe_full"}


def test_the_pointers_of_an_empty_queue_are_one_symbol(loader: Lift) -> None:
    assert loader.unit.same == {"commands.enq_ptr": "commands.deq_ptr"}


def test_a_command_that_sets_a_register_sets_only_that(loader: Lift) -> None:
    (mode,) = loader.modes[SET]
    assert set(mode.functions) == {"stride"}
    assert mode.functions["stride"].result is terms.extract(terms.sym("arg", 32), 0, 16)


def test_the_requests_of_a_command_are_a_stream(loader: Lift) -> None:
    targets = {name for mode in loader.modes[RUN] for name in mode.functions}
    assert targets == {"io_req_bits_addr", "io_req_bits_tag", "io_completed_bits"}


def test_the_number_of_requests_is_in_a_field(loader: Lift) -> None:
    bodies = [mode.functions["io_req_bits_addr"].body for mode in loader.modes[RUN]]
    assert any(isinstance(s, Loop) for body in bodies for s in body)
    for body in bodies:
        for index, count in ((2, 3), (0, 2)):
            assert _written(body, {"arg": count << 28 | 64, "stride": 100}, index) == 64 + 100 * index


def _written(body: tuple[object, ...], given: dict[str, int], wanted: int) -> int | None:
    """The word that a body writes at an address, None when it writes none."""
    found = None
    for statement in body:
        if isinstance(statement, Loop):
            for i in range(_value(statement.count, given, {})):
                found = _stored(statement.body, given, {str(statement.index.attr): i}, wanted, found)
        else:
            found = _stored((statement,), given, {}, wanted, found)
    return found


def _stored(body: tuple[object, ...], given: dict[str, int], index: dict[str, int], wanted: int, found: int | None) -> int | None:
    for store in body:
        assert isinstance(store, Store)
        found = _value(store.data, given, index) if _value(store.address, given, index) == wanted else found
    return found


def _value(term: terms.Term, given: dict[str, int], index: dict[str, int]) -> int:
    return terms.evaluate(term, lambda t: {**given, **index}[str(t.attr)], lambda name, address: 0)


def test_an_assertion_of_the_design_keeps_what_it_forbids_out(loader: Lift, tmp_path: Path) -> None:
    without = changed(tmp_path, "$fatal", "$display")
    assert (len(loader.unit.machine.netlist.assertions), len(without.unit.machine.netlist.assertions)) == (1, 0)
    assert _allows_one_row(without)
    assert not _allows_one_row(loader)


def _allows_one_row(lift: Lift) -> bool:
    """Is there a mode for a command with 1 in the field of the rows?"""
    given = terms.equal(terms.extract(terms.sym("arg", 32), 28, 4), terms.const(1, 4))
    return any(satisfiable([given, *conditions(m.facts), *m.domain]) for m in lift.modes[RUN])


def test_what_neighbours_were_taken_to_answer_is_kept(loader: Lift) -> None:
    answers = [a for path in loader.unit.executions[RUN].paths for a in path.answers]
    assert answers
    symbols = {str(t.attr) for a in answers for t in terms.walk(a) if t.op == "sym"}
    assert "answer:io_resp_bits_bytes" in symbols


def test_no_function_depends_on_what_neighbours_answered(loader: Lift) -> None:
    functions = [f for modes in loader.modes.values() for m in modes for f in m.functions.values()]
    assert not [a for f in functions for a in f.arguments if a.name.startswith("answer:")]


def test_a_queue_whose_pointers_move_apart_is_not_taken_for_empty(tmp_path: Path) -> None:
    lift = changed(tmp_path, "if (deq) deq_ptr <= deq_ptr + 2'd1;", "if (deq) deq_ptr <= deq_ptr + 2'd3;")
    assert lift.unit.same.get("commands.enq_ptr") != "commands.deq_ptr"


def test_a_queue_of_two_is_no_state_either(tmp_path: Path) -> None:
    """Its pointers are one bit: decided beforehand, and one path where that makes no difference."""
    text = LOADER.read_text().replace("ram [0:3]", "ram [0:1]").replace("logic [1:0] enq_ptr", "logic enq_ptr")
    file = tmp_path / "loader.sv"
    file.write_text(text.replace("ptr + 2'd1", "ptr + 1'd1").replace("ptr <= 2'd0", "ptr <= 1'd0"))
    lift = lift_of([file], "Loader")
    assert lift.registers == {"stride"}
    assert len(lift.modes[RUN]) == 1
    assert lift.modes[RUN][0].functions
