"""Each compiled example program computes its kernel, for all inputs: the program by the text of the instruction set, the kernel by HLO, element by element.

Equal elements mostly are one expression after normalisation; Z3 decides the others, products taken for unknown functions. Kernels with more products than
`MOST` are compared by execution instead (`tests/end_to_end`): here they are skipped, and named.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from math import prod
from pathlib import Path

import numpy as np
import pytest
import z3

from act.backend.compile import Backend, compile_module
from act.generator.analyse import analyse
from act.hlo import Computation, Module, Shape, TupleShape, flatten, parse_module
from act.program import Command, Program, isa_digest
from act.taidl import Accelerator, load, print_text
from lift.crosscheck.decide import decide_equal
from proofs.programs import Values, results, symbolic
from proofs.solve import RLIMIT, NotProved, Undecided

ROOT = Path(__file__).parents[1]
ISA = ROOT / "isas" / "generated" / "gemmini.taidl"
KERNELS = sorted((ROOT / "examples" / "kernels").glob("*.hlo"))
MOST = 16**3 * 3
"""Products of one kernel."""


@cache
def accelerator() -> Accelerator:
    return load(ISA.read_text(), ISA.name)


@cache
def backend() -> Backend:
    return Backend(accelerator(), analyse(accelerator()), isa_digest(print_text(accelerator())))


def module(path: Path) -> Module:
    return flatten(parse_module(path.read_text(), path.name))


def compiled(path: Path) -> Program:
    return compile_module(backend(), parse_module(path.read_text(), path.name)).program


def products(kernel: Computation) -> int:
    """Multiplications that the dots of a kernel stand for."""
    total = 0
    for each in kernel:
        if each.opcode == "dot":
            source = kernel[each.operands[0]].shape
            assert isinstance(each.shape, Shape) and isinstance(source, Shape)
            total += prod(each.shape.dims) * prod(source.dims[axis] for axis in each.attributes["lhs_contracting_dims"])
    return total


def kernel_results(kernel: Computation, inputs: list[Values]) -> list[Values]:
    """The results of a kernel, of which a tuple has several."""
    root = kernel[kernel.root]
    names = root.operands if isinstance(root.shape, TupleShape) else (root.name,)
    lines = tuple(each for each in kernel.instructions if each.opcode != "tuple")
    return [symbolic.evaluate(replace_root(kernel, lines, name), inputs) for name in names]


def replace_root(kernel: Computation, lines: tuple, name: str) -> Computation:
    return replace(kernel, instructions=lines, root=name)


def inputs_of(kernel: Computation) -> list[Values]:
    return [symbolic._symbols(each) for each in kernel.parameters]


def prove_program(kernel: Computation, program: Program) -> tuple[int, int]:
    """(elements that are one expression, elements that Z3 proved equal).  Raises NotProved."""
    inputs = inputs_of(kernel)
    same = decided = 0
    for number, (stated, left) in enumerate(zip(kernel_results(kernel, inputs), results(accelerator(), program, inputs), strict=True)):
        assert stated.shape == left.shape
        for index in np.ndindex(*stated.shape):
            a, b = z3.simplify(stated[index]), z3.simplify(left[index])
            if a.eq(b):
                same += 1
                continue
            answer, _ = decide_equal(a, b, [], RLIMIT)
            if answer != "agreed":
                raise NotProved(f"element {list(index)} of result {number} is {answer}")
            decided += 1
    return same, decided


def few_products(path: Path) -> bool:
    return products(module(path).main) <= MOST


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_a_program_computes_its_kernel_for_all_inputs(path: Path) -> None:
    if not few_products(path):
        pytest.skip(f"{products(module(path).main)} products: tested by execution, not proved")
    same, decided = prove_program(module(path).main, compiled(path))
    print(f"{same} elements are one expression, {decided} are equal by Z3")
    assert same + decided


# The proofs can fail


def changed(command: Command, name: str) -> Command:
    """One attribute one more."""
    alpha, beta = ({k: v + (k == name) for k, v in each.items()} for each in (command.alpha, command.beta))
    return replace(command, alpha=alpha, beta=beta)


def test_every_change_of_an_attribute_of_a_program_is_refuted() -> None:
    """But for a stride between blocks where there is one block, and how pooling is done where nothing is pooled."""
    (path,) = (each for each in KERNELS if each.stem == "add_saturate_s8")
    kernel, program = module(path).main, compiled(path)
    survived = []
    for number, command in enumerate(program.commands):
        for name in command.attributes:
            wrong = [*program.commands[:number], changed(command, name), *program.commands[number + 1 :]]
            try:
                prove_program(kernel, replace(program, commands=tuple(wrong)))
                survived.append(f"{number} {command.instruction} {name}")
            except Undecided:
                raise
            except NotProved:
                pass
    idle = {f"3 config_st pool_{name}" for name in ("size", "upad", "lpad", "out_dim", "porows", "pocols", "orows", "ocols")}
    assert set(survived) == {"0 config_ld block_strides", *idle}


def test_a_program_without_its_last_command_is_refuted() -> None:
    path = next(each for each in KERNELS if few_products(each))
    program = compiled(path)
    with pytest.raises(NotProved) as caught:
        prove_program(module(path).main, replace(program, commands=program.commands[:-1]))
    assert not isinstance(caught.value, Undecided)
