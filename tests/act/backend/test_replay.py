"""A finished program that was damaged is not accepted."""

from dataclasses import replace

import pytest

from act.backend.compile import Backend, extract, lower, place
from act.backend.emit import Operation, operations, program
from act.backend.normalise import RULES
from act.backend.prove import Prover, WrongSelection
from act.backend.replay import WrongProgram, check
from act.hlo import parse_module
from tests.act.backend.backends import ROOT, backend_of, hlo, systolic

KERNEL = hlo(
    "a = s8[20,20] parameter(0)",
    "b = s8[20,20] parameter(1)",
    "d = s32[20,20] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
    "low = s32[] constant(-128)",
    "high = s32[] constant(127)",
    "limited = s32[20,20] clamp(low, d, high)",
    "narrow = s8[20,20] convert(limited)",
)


class Made:
    """A program with all that led to it."""

    def __init__(self, backend: Backend, text: str = KERNEL) -> None:
        self.backend, self.kernel = backend, lower(backend, parse_module(text), 10_000)
        self.kernel, self.extraction = extract(backend, self.kernel, 10_000)
        self.schedule = place(backend, self.kernel, self.extraction)
        self.issued = operations(backend.accelerator, backend.rules, self.schedule.steps, self.schedule.allocation)

    def check(self, issued: list[Operation]) -> None:
        graph, schedule, backend = self.extraction.ways.graph, self.schedule, self.backend
        result = program(backend.accelerator, backend.sha256, graph, schedule.plan, schedule.allocation, issued, schedule.inputs)
        check(backend.accelerator, graph, issued, schedule.allocation, result)


@pytest.fixture
def made() -> Made:
    return Made(systolic())


def changed(made: Made, name: str, which: int, **attributes: int) -> list[Operation]:
    issued = list(made.issued)
    position = [number for number, each in enumerate(issued) if each.name == name][which]
    issued[position] = replace(issued[position], attributes={**issued[position].attributes, **attributes})
    return issued


def test_the_program_itself_is_accepted(made):
    made.check(made.issued)


@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        ("mvin", {"row": 1}),
        ("mvin", {"row": 4096}),
        ("mvin", {"addr": 64 + 1}),
        ("mvin", {"rows": 3}),
        ("matmul", {"a": 100}),
        ("matmul_accumulate", {"b": 3}),
        ("matmul_accumulate", {"c": 500}),
        ("mvout_acc", {"row": 7}),
        ("mvout_acc", {"addr": 64}),
        ("mvout_acc", {"cols": 1}),
        ("config_ld", {"stride": 19}),
        ("config_ld", {"bank": 1}),
        ("config_st", {"activation": 1}),
        ("config_ex", {"a_stride": 2}),
        ("config_ld", {"bank": 3}),
    ],
    ids=str,
)
def test_a_changed_attribute_is_seen(made, name, attributes):
    with pytest.raises(WrongProgram):
        made.check(changed(made, name, 0, **attributes))


def test_a_missing_command_is_seen(made):
    for position in range(len(made.issued)):
        with pytest.raises(WrongProgram):
            made.check([*made.issued[:position], *made.issued[position + 1 :]])


def test_two_commands_in_the_wrong_order_are_seen(made):
    seen = 0
    for position in range(len(made.issued) - 1):
        first, second = made.issued[position : position + 2]
        try:
            made.check([*made.issued[:position], second, first, *made.issued[position + 2 :]])
        except WrongProgram:
            seen += 1
    assert seen >= 10


def test_tensors_that_overlap_are_seen(made):
    address = made.schedule.allocation.address
    first, second = list(address)[:2]
    address[second] = address[first] + 1
    with pytest.raises(WrongProgram, match="overlap"):
        made.check(made.issued)


def prove(made: Made, backend: Backend) -> None:
    Prover(backend.accelerator, made.kernel.live, made.kernel.graph, made.extraction.ways.graph, RULES).prove(made.schedule.steps)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("lhs_contracting_dims={1}, rhs_contracting_dims={0}", "lhs_contracting_dims={0}, rhs_contracting_dims={0}"),
        ("add(%old, %p)", "subtract(%old, %p)"),
        ("%high = s32[] constant(127)", "%high = s32[] constant(126)"),
        ("clamp(%low, %x, %high)", "clamp(%high, %x, %low)"),
        ("dot(%a32, %b32)", "dot(%b32, %a32)"),
    ],
)
def test_an_instruction_that_computes_something_else_is_seen(made, old, new):
    accelerator = systolic().accelerator
    operations = {name: replace(each, body=each.body.replace(old, new)) for name, each in accelerator.instructions.items()}
    composites = {
        name: replace(each, operation=replace(each.operation, body=each.operation.body.replace(old, new))) for name, each in accelerator.composites.items()
    }
    prove(made, systolic())
    with pytest.raises(WrongSelection):
        prove(Made(systolic()), replace(systolic(), accelerator=replace(accelerator, instructions=operations, composites=composites)))


def test_an_update_that_is_done_twice_is_seen(made):
    position = next(number for number, each in enumerate(made.issued) if each.name == "matmul_accumulate")
    with pytest.raises(WrongProgram):
        made.check([*made.issued[: position + 1], *made.issued[position:]])


def test_what_the_rules_have_not_seen_is_looked_at_by_the_proof():
    text = hlo("a = s8[16,16] parameter(0)", "low = s8[] constant(0)", "high = s8[] constant(127)", "limited = s8[16,16] clamp(low, a, high)")
    made = Made(backend_of((ROOT / "isas" / "reference" / "gemmini.taidl").read_text()), text)
    prover = Prover(made.backend.accelerator, made.kernel.live, made.kernel.graph, made.extraction.ways.graph, made.kernel.rules)
    assert prover._open([(step.number, step.match) for step in made.schedule.steps])
    made.kernel.live.rebuild()
    made.kernel.live.freeze(())  # as if a budget had been spent after the last of these values was added
    prover.prove(made.schedule.steps)


def test_a_missing_setting_to_first_values_is_seen(made):
    """Other programs may have run before."""
    found = [each for each in made.issued if each.name == "config_st"]
    assert [each.attributes["activation"] for each in found] == [0]
    with pytest.raises(WrongProgram, match="st_activation is None"):
        made.check([each for each in made.issued if each.name != "config_st"])
