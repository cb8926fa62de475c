"""Functions and arguments -> what they return and leave in memory when MLIR lowers them to LLVM and LLVM executes them as machine code."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType

from lift.ir.operations import width_of
from lift.unroll.terms import signed

_BIN = Path("/usr/lib/llvm-16/bin")
LOWERING = ["--convert-scf-to-cf", "--convert-arith-to-llvm", "--convert-memref-to-llvm", "--convert-func-to-llvm", "--convert-cf-to-llvm"]


def tool(name: str) -> str | None:
    return str(_BIN / name) if (_BIN / name).exists() else shutil.which(name)


OPT, RUN = tool("mlir-opt"), tool("mlir-cpu-runner")
MISSING = [name for name, found in (("mlir-opt", OPT), ("mlir-cpu-runner", RUN)) if found is None]
PRINT = """
llvm.mlir.global internal constant @format("%llu\\0A\\00")
llvm.func @printf(!llvm.ptr<i8>, ...) -> i32
func.func @print(%value: i64) {
  %text = llvm.mlir.addressof @format : !llvm.ptr<array<6 x i8>>
  %first = llvm.bitcast %text : !llvm.ptr<array<6 x i8>> to !llvm.ptr<i8>
  %length = llvm.call @printf(%first, %value) : (!llvm.ptr<i8>, i64) -> i32
  func.return
}
"""


@dataclass(frozen=True, slots=True)
class Call:
    """A function and its arguments: numbers, and lists of words for arrays, which are printed afterwards."""

    function: func.FuncOp
    arguments: Sequence[int | list[int]]


def execute(calls: Sequence[Call]) -> list[list[int]]:
    """For each call its results, then the words of its arrays; by one process, without optimisation by MLIR."""
    functions = [_renamed(call.function, number) for number, call in enumerate(calls)]
    mains = [_call(call, number) for number, call in enumerate(calls)]
    text = "\n".join(
        [PRINT, *functions, *(body for body, _ in mains), "func.func @main() {", *(f"  func.call @call{n}() : () -> ()" for n in range(len(calls)))]
    )
    lowered = _run([str(OPT), *LOWERING, "--reconcile-unrealized-casts"], text + "\n  func.return\n}\n")
    numbers = list(map(int, _run([str(RUN), "-e", "main", "-entry-point-result=void"], lowered).split()))
    found = []
    for _, count in mains:
        found.append(numbers[:count])
        numbers = numbers[count:]
    assert not numbers
    return found


def _run(command: list[str], text: str) -> str:
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def _renamed(function: func.FuncOp, number: int) -> str:
    text = str(function)
    start = text.index("@")
    return text[:start] + f"@f{number}" + text[text.index("(", start) :]


def _call(call: Call, number: int) -> tuple[str, int]:
    """A function that calls and prints, and how many numbers it prints."""
    lines, names, types, printed = [f"func.func @call{number}() {{"], [], [], []
    for place, (value, given) in enumerate(zip(call.function.args, call.arguments, strict=True)):
        kind = value.type
        names.append(f"%a{place}")
        types.append(str(kind))
        if isinstance(kind, MemRefType):
            assert isinstance(given, list)
            lines += _array(place, str(kind), width_of(kind.element_type), given)
            printed += [(f"%a{place}", str(kind), width_of(kind.element_type), index) for index in range(len(given))]
        else:
            assert isinstance(given, int)
            lines.append(f"  %a{place} = {_constant(given, width_of(kind))}")
    outputs = [str(t) for t in call.function.function_type.outputs.data]
    results = ", ".join(f"%r{k}" for k in range(len(outputs)))
    lines.append(f"  {results + ' = ' if outputs else ''}func.call @f{number}({', '.join(names)}) : ({', '.join(types)}) -> ({', '.join(outputs)})")
    for k, kind in enumerate(call.function.function_type.outputs.data):
        lines += _printed(f"%r{k}", width_of(kind), f"r{k}")
    for name, kind, width, index in printed:
        label = f"{name[1:]}_{index}"
        lines += [
            f"  %i{label} = arith.constant {index} : index",
            f"  %w{label} = memref.load {name}[%i{label}] : {kind}",
            *_printed(f"%w{label}", width, label),
        ]
    return "\n".join([*lines, "  func.return", "}"]), len(outputs) + len(printed)


def _constant(value: int, width: int) -> str:
    return f"arith.constant {('true' if value else 'false') if width == 1 else f'{signed(value, width)} : i{width}'}"


def _array(place: int, kind: str, width: int, words: list[int]) -> list[str]:
    lines = [f"  %a{place} = memref.alloc() : {kind}"]
    for index, word in enumerate(words):
        lines += [f"  %p{place}_{index} = arith.constant {index} : index", f"  %q{place}_{index} = {_constant(word, width)}"]
        lines.append(f"  memref.store %q{place}_{index}, %a{place}[%p{place}_{index}] : {kind}")
    return lines


def _printed(name: str, width: int, label: str) -> list[str]:
    if width == 64:
        return [f"  func.call @print({name}) : (i64) -> ()"]
    return [f"  %x{label} = arith.{'extui' if width < 64 else 'trunci'} {name} : i{width} to i64", f"  func.call @print(%x{label}) : (i64) -> ()"]
