"""What must come after something else does; an instruction set in which nothing can be first is refused."""

import pytest

from act.backend.compile import Backend, compile_module
from act.backend.ordering import Ordering
from act.backend.replay import WrongProgram, check
from act.backend.verify import disagreement
from act.errors import UserError
from act.hlo import parse_module
from tests.act.backend.backends import SYSTOLIC, backend_of, hlo

KERNEL = hlo(
    "a = s8[32,16] parameter(0)",
    "b = s8[16,16] parameter(1)",
    "d = s32[32,16] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
)
FENCE = """
instruction fence(kind)
  encode  funct = 7; rs1[3:0] = kind
  when    2 <= kind
"""


def backend(*changes: tuple[str, str], more: str = FENCE) -> Backend:
    text = SYSTOLIC.read_text().replace("instruction mvin(rows", f"{more}\ninstruction mvin(rows")
    for name, clause in changes:
        head, rest = text.split(f"instruction {name}(", 1)
        text = f"{head}instruction {name}({rest.replace('  cost', f'  {clause}' + chr(10) + '  cost', 1)}"
    return backend_of(text)


def test_a_fence_comes_before_what_needs_it_and_only_once():
    machine, module = backend(("mvout_acc_full", "after fence")), parse_module(KERNEL)
    compiled = compile_module(machine, module)
    names = [operation.name for operation in compiled.operations]
    assert names.count("fence") == 1 and names.count("mvout_acc_full") == 2
    assert names.index("fence") < names.index("mvout_acc_full")
    assert disagreement(machine.accelerator, module, compiled.program, rounds=1) is None


def test_nothing_is_inserted_after_what_is_there_anyway():
    machine = backend(("mvout_acc_full", "after mvin, fence"))
    assert "fence" not in [operation.name for operation in compile_module(machine, parse_module(KERNEL)).operations]


def test_a_missing_fence_is_seen_by_the_replay():
    machine = backend(("mvout_acc_full", "after fence"))
    compiled = compile_module(machine, parse_module(KERNEL))
    without = [operation for operation in compiled.operations if operation.name != "fence"]
    with pytest.raises(WrongProgram, match="nothing that it must come after"):
        check(machine.accelerator, compiled.graph, without, compiled.allocation, compiled.program)


def test_instructions_that_wait_for_each_other_are_refused():
    second = FENCE.replace("fence", "other").replace("kind", "way").replace("funct = 7", "funct = 8")
    fences = FENCE + "  after   other\n" + second + "  after   fence\n"
    with pytest.raises(UserError, match="none of them can be the first"):
        compile_module(backend(("mvout_acc_full", "after fence"), more=fences), parse_module(KERNEL))


def test_what_must_follow_an_effect_is_not_selected():
    machine = backend(("mvin", "after mvout"), ("mvin2", "after mvout"))
    assert {"mvin", "mvin2"} <= {name for name, reason in machine.rules.unused if reason == "it must follow another instruction: mvout"}
    with pytest.raises(UserError, match="has no program"):
        compile_module(machine, parse_module(KERNEL))


def test_an_effect_is_not_issued_for_its_order_alone():
    ordering = Ordering(backend(("mvin", "after mvout")).accelerator)
    with pytest.raises(UserError, match="mvin must come after mvout, and the program has none of them before it"):
        ordering.before("mvin")
