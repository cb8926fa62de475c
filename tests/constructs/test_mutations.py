"""A reader that breaks a rule of the standard does not pass: each test breaks one and sees the suite fail.

The rules are those that other tools are known to break: signs, selects, shift amounts, undefined digits, wide literals, memory writes, loop bounds.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lift.netlist import fold, select
from lift.netlist.builder import Builder
from lift.netlist.model import Node
from lift.netlist.processes import Executor
from lift.verilog import pyverilog_expressions, read
from lift.verilog.pyverilog_expressions import Expressions
from lift.verilog.slang_expressions import Expressions as SlangExpressions
from tests.constructs import fuzz, netlists, simulators, suite
from tests.constructs.bench import Case, Trace

Patch = pytest.MonkeyPatch


def signed_if_any_operand_is(patch: Patch) -> None:
    def common(self: Any, parts: list[Any], scope: Any) -> tuple[int, bool]:
        sizes = [self.size(part, scope) for part in parts]
        return max(w for w, _ in sizes), any(s for _, s in sizes)

    patch.setattr(Expressions, "_common", common)


def select_keeps_the_sign(patch: Patch) -> None:
    original = Expressions._selected_size

    def selected_size(self: Any, e: Any, scope: Any) -> tuple[int, bool]:
        return original(self, e, scope)[0], True

    patch.setattr(Expressions, "_selected_size", selected_size)


def operands_have_their_own_size(patch: Patch) -> None:
    """C's way: an operation is done in the size of its operands, and its result is extended."""
    original = Expressions.value

    def value(self: Any, e: Any, width: int, signed: bool, scope: Any) -> Node:
        own, sign = self.size(e, scope)
        return self._b.extend(original(self, e, own, sign, scope), width, sign)

    patch.setattr(Expressions, "value", value)


def amount_is_extended_by_its_sign(patch: Patch) -> None:
    original = Builder.op

    def op(self: Builder, name: str, *args: Node) -> Node:
        if name in ("shl", "lshr", "ashr") and args[1].width < 32:
            args = (args[0], self.extend(args[1], 32, True))
        return original(self, name, *args)

    patch.setattr(pyverilog_expressions.Builder, "op", op)


def undefined_digits_are_zero(patch: Patch) -> None:
    original = Expressions._constant

    def constant(self: Any, number: Any) -> Node:
        return self._b.const(original(self, number).attr & ~number.xmask, number.width)

    patch.setattr(Expressions, "_constant", constant)


def literals_have_64_bits(patch: Patch) -> None:
    patch.setattr(Expressions, "_constant", lambda self, n: self._b.const(n.value & (1 << 64) - 1, n.width, n.xmask))


def remainder_has_the_sign_of_the_divisor(patch: Patch) -> None:
    patch.setitem(fold.EVALUATE, "srem", lambda w, a, b: fold.signed(a, w) % fold.signed(b, w) if b else None)


def division_by_zero_is_zero(patch: Patch) -> None:
    patch.setitem(fold.EVALUATE, "udiv", lambda w, a, b: a // b if b else 0)


def out_of_range_is_zero(patch: Patch) -> None:
    def padded(b: Builder, value: Node, above: int, below: int) -> Node:
        return b.concat([*([b.const(0, above)] if above else []), value, *([b.const(0, below)] if below else [])])

    def read_part(b: Builder, value: Node, low: Node, width: int, bias: int = 0) -> Node:
        return b.extract(b.op("lshr", padded(b, value, width, bias), low), 0, width)

    patch.setattr(select, "read", read_part)


def arithmetic_shift_right_is_logical(patch: Patch) -> None:
    original = SlangExpressions._signed_binary

    def signed_binary(self: Any, e: Any, a: Node, b: Node) -> Node:
        found = original(self, e, a, b)
        return self._b.op("lshr", a, b) if found.op == "ashr" else found

    patch.setattr(SlangExpressions, "_signed_binary", signed_binary)


def memory_writes_are_dropped(patch: Patch) -> None:
    patch.setattr(Executor, "_store_word", lambda self, target, value, location: None)


def loop_stops_one_turn_early(patch: Patch) -> None:
    original = Executor.evaluate

    def evaluate(self: Any, node: Node) -> Node:
        found = original(self, node)
        last = node.op == "slt" and found.op == "const" and node.args[0].op == "var"
        return original(self, self._b.op("slt", self._b.op("add", node.args[0], self._b.const(1, node.args[0].width)), node.args[1])) if last else found

    patch.setattr(Executor, "evaluate", evaluate)


# mutation -> the reader and the modules that must notice it
MUTATIONS: dict[Callable[[Patch], None], tuple[str, list[str]]] = {
    signed_if_any_operand_is: ("pyverilog", ["sign_of_sum", "sign_of_comparison", "sign_of_ternary", "sign_of_division", "sign_of_case"]),
    select_keeps_the_sign: ("pyverilog", ["sign_of_selects"]),
    operands_have_their_own_size: ("pyverilog", ["width_of_context", "width_of_carry", "width_of_not", "multiply_widths"]),
    amount_is_extended_by_its_sign: ("pyverilog", ["shift_by_signed"]),
    undefined_digits_are_zero: ("pyverilog", ["undefined_digits", "undefined_branch", "undefined_default"]),
    literals_have_64_bits: ("pyverilog", ["literal_wide"]),
    remainder_has_the_sign_of_the_divisor: ("slang", ["division_signed"]),
    division_by_zero_is_zero: ("slang", ["undefined_quotient"]),
    out_of_range_is_zero: ("pyverilog", ["undefined_bit", "undefined_part"]),
    memory_writes_are_dropped: ("pyverilog", ["memory_synchronous", "memory_parts"]),
    loop_stops_one_turn_early: ("slang", ["loop_up"]),
    arithmetic_shift_right_is_logical: ("slang", ["shift_arithmetic", "sign_of_shift"]),
}
NAMES = sorted({name for _, names in MUTATIONS.values() for name in names})


@pytest.fixture(scope="module")
def icarus(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Trace]:
    if shutil.which("iverilog") is None:
        pytest.skip("needs iverilog")
    cases = [case for case in suite.cases() if case.name in NAMES]
    return simulators.icarus(cases, suite.FILES, tmp_path_factory.mktemp("icarus"))


def noticed(reader: str, name: str, expected: Trace) -> bool:
    """Whether the suite's comparison of a module fails."""
    case = next(case for case in suite.cases() if case.name == name)
    netlist = read([suite.modules()[name]], name, frontend=reader)
    found = netlists.trace(netlist, case.rows, random_choices=12)
    return bool(netlists.differences(Case(name, netlist, case.rows), expected, found, unknown=name.startswith("undefined_")))


@pytest.mark.parametrize(("mutation", "name"), [(m, name) for m, (_, names) in MUTATIONS.items() for name in names], ids=lambda x: getattr(x, "__name__", x))
def test_broken_rule_is_noticed(mutation: Callable[[Patch], None], name: str, icarus: dict[str, Trace], monkeypatch: Patch) -> None:
    reader, _ = MUTATIONS[mutation]
    assert not noticed(reader, name, icarus[name])
    mutation(monkeypatch)
    assert noticed(reader, name, icarus[name])


@pytest.mark.parametrize("mutation", [signed_if_any_operand_is, operands_have_their_own_size, amount_is_extended_by_its_sign], ids=lambda m: m.__name__)
def test_random_expressions_notice_it_too_and_are_reduced(mutation: Callable[[Patch], None], tmp_path: Path, monkeypatch: Patch) -> None:
    if shutil.which("iverilog") is None:
        pytest.skip("needs iverilog")
    modules = {name: text for name, text in fuzz.sources(2005, 15) if "always" not in text}
    mutation(monkeypatch)
    outcome = fuzz.run(modules, tmp_path, tools=())
    assert outcome.wrong
    small = fuzz.reduced(outcome.wrong[0].split()[1].rstrip(","), tmp_path)
    assert small is not None and len(small.split("assign")[1]) < 60
