"""Update functions become functions that the real mlir-opt accepts."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from lift.ir import build, context, functions
from lift.unroll.function import Argument, Store, UpdateFunction
from lift.unroll.terms import concat, const, extract, load, sym
from tests.lift.ir import samples

_INSTALLED = Path("/usr/lib/llvm-16/bin/mlir-opt")
MLIR_OPT = str(_INSTALLED) if _INSTALLED.exists() else shutil.which("mlir-opt")

ALL = {"pe": samples.pe_step, "grid": lambda: samples.dot_grid(2), "relu": samples.saturated_relu, "copy": samples.copy_rows}


@pytest.mark.parametrize("name", ALL)
@pytest.mark.skipif(MLIR_OPT is None, reason="mlir-opt is not installed")
def test_mlir_opt_parses_and_verifies_the_text(name: str) -> None:
    result = subprocess.run([str(MLIR_OPT)], input=str(build(ALL[name]())), capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("name", ALL)
def test_the_module_verifies_and_its_text_parses_back(name: str) -> None:
    from xdsl.parser import Parser

    module = build(ALL[name]())
    module.verify()
    assert str(Parser(context(), str(module)).parse_module()) == str(module)


def test_names_roles_and_locations_are_attributes() -> None:
    text = str(build(samples.pe_step())).replace('"', "")
    assert "rtl.name = in_a, rtl.role = field, rtl.location = unit.v:1" in text
    assert "@step__c1" in text
    for attribute in ("taidl.instruction", "taidl.unit", "taidl.target"):
        assert attribute in text


def test_each_term_and_each_constant_is_emitted_once() -> None:
    (function,) = functions(build(samples.dot_grid(3)))
    lines = [str(op).split("=", 1)[1] for op in function.body.block.ops if op.results]
    constants = [line for line in lines if "arith.constant" in line]
    assert len(constants) == len(set(constants))
    assert sum("arith.muli" in line for line in lines) == 27


def test_a_stored_array_that_is_also_loaded_has_a_source_and_a_destination() -> None:
    address = sym("a", 4)
    body = (Store("m", address, load("m", 8, address), None, None),)
    update = UpdateFunction("u", "i", "m", (*samples.scalars(("a", 4)), Argument("m", 8, 16, "memory")), body)
    (function,) = functions(build(update))
    assert len(function.body.block.args) == 3
    assert ["rtl.destination" in attributes.data for attributes in function.arg_attrs or ()] == [False, False, True]


def test_what_does_not_depend_on_an_index_is_outside_its_loop() -> None:
    text = str(build(samples.copy_rows()))
    outer, middle, inner = re.split(r"scf\.for", text)
    assert "xori" not in outer + middle  # the blend belongs to the store
    assert "arith.muli" in inner and "index_castui %i " in middle


def test_a_concatenation_is_shifts_and_ors() -> None:
    text = str(build(samples.of(concat(sym("a", 4), sym("b", 4)), *samples.scalars(("a", 4), ("b", 4)))))
    assert "arith.extui" in text and "arith.shli" in text and "arith.ori" in text


def test_a_part_select_is_a_shift_and_a_truncation() -> None:
    text = str(build(samples.of(extract(sym("a", 16), 8, 8), *samples.scalars(("a", 16)))))
    assert "arith.shrui" in text and "arith.trunci" in text


def test_constants_are_printed_in_range() -> None:
    assert "arith.constant -1 : i8" in str(build(samples.of(const(255, 8))))
