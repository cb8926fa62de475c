"""Every form of a program does the same: C against a runner, Python on the oracle, MLIR for mlir-opt, assembly text that parses back."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from act.backend.compile import Backend, compile_module
from act.backend.emit_c import emit_c
from act.backend.emit_mlir import emit_mlir
from act.backend.emit_python import emit_python
from act.backend.encodings import host_addresses, limbs, pieces
from act.errors import UserError
from act.hlo import parse_module
from act.hlo.evaluate import evaluate
from act.memory import to_bytes
from act.program import Program, parse_program, print_program
from act.runner import program_image
from act.taidl import parse, print_text
from act.taidl.encode import encode
from tests.act.backend.backends import ROOT, backend_of, hlo, systolic

KERNEL = hlo(
    "Arg_0.1 = s8[40,33] parameter(0)",
    "int = s8[33,48] parameter(1)",
    "bias = s32[48] constant({" + ", ".join(str(77 * i - 1500) for i in range(48)) + "})",
    "d = s32[40,48] dot(Arg_0.1, int), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
    "row = s32[40,48] broadcast(bias), dimensions={1}",
    "sum = s32[40,48] add(d, row)",
    "low = s32[] constant(-128)",
    "high = s32[] constant(127)",
    "limited = s32[40,48] clamp(low, sum, high)",
    "narrow = s8[40,48] convert(limited)",
)
RISCV_GCC = shutil.which("riscv64-linux-gnu-gcc") or shutil.which("riscv64-unknown-elf-gcc")
ISAS = ("reference/systolic16.taidl", "generated/gemmini.taidl")
RUNNER = '''#!{python}
"""Runs the commands of an assembly text, if they have the words of the program image."""
import json, sys
import numpy as np
from act.oracle import Executor, Machine
from act.program import parse_program
from act.runner import program_image
from act.taidl import parse

options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
accelerator = parse(open({folder!r} + "/isa.taidl").read())
commands = parse_program(open({folder!r} + "/program.asm").read()).commands
assert open(options["--program"]).read().splitlines() == program_image(accelerator, commands).splitlines()[1:]
memory = np.fromfile(options["--memory"], dtype=np.uint8)
host = next(name for name, buffer in accelerator.buffers.items() if buffer.hbm)
Executor(Machine(accelerator, {{host: memory}})).execute([(each.instruction, each.attributes) for each in commands])
memory.tofile(options["--output"])
print(json.dumps({{"cycles": len(commands)}}))
'''


@cache
def compiled(isa: str) -> tuple[Backend, Program]:
    backend = backend_of((ROOT / "isas" / isa).read_text())
    return backend, compile_module(backend, parse_module(KERNEL)).program


def kernel(backend: Backend) -> Program:
    return next(program for each, program in map(compiled, ISAS) if each.sha256 == backend.sha256)


@pytest.fixture(params=ISAS)
def backend(request) -> Backend:
    return compiled(request.param)[0]


def case() -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Inputs, and what the kernel gives for them."""
    random = np.random.default_rng(3)
    inputs = {"Arg_0.1": random.integers(-9, 9, (40, 33)).astype(np.int8), "int": random.integers(-9, 9, (33, 48)).astype(np.int8)}
    reference = evaluate(parse_module(KERNEL), list(inputs.values()))
    assert isinstance(reference, np.ndarray)
    return inputs, reference


def gcc(source: str, folder: Path, *options: str) -> Path:
    file = folder / "program.c"
    file.write_text(source)
    target = folder / "program"
    command = ["gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", *options, "-o", str(target), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return target


def test_c_compiles_alone(backend, tmp_path):
    gcc(emit_c(backend.accelerator, kernel(backend)), tmp_path, "-c")


def test_c_gives_the_outputs_on_a_runner(backend, tmp_path):
    program, (inputs, expected) = kernel(backend), case()
    binary = gcc(emit_c(backend.accelerator, program), tmp_path, "-DACT_MAIN")
    (tmp_path / "isa.taidl").write_text(print_text(backend.accelerator))
    (tmp_path / "program.asm").write_text(print_program(program))
    runner = tmp_path / "runner"
    runner.write_text(RUNNER.format(python=sys.executable, folder=str(tmp_path)))
    runner.chmod(0o755)
    (tmp_path / "inputs").write_bytes(b"".join(to_bytes(inputs[region.name], region.dtype).tobytes() for region in program.of_kind("input")))
    subprocess.run([binary, runner, tmp_path / "inputs", tmp_path / "outputs"], check=True, timeout=120, capture_output=True)
    assert (tmp_path / "outputs").read_bytes() == expected.tobytes()


@pytest.mark.skipif(RISCV_GCC is None, reason="no compiler for RISC-V is installed (gcc-riscv64-linux-gnu)")
def test_c_is_compiled_for_risc_v(backend, tmp_path):
    """Every command, written out or in a loop, is the custom instruction with function code and two registers, between two fences."""
    assert RISCV_GCC is not None
    (tmp_path / "program.c").write_text(emit_c(backend.accelerator, kernel(backend)))
    subprocess.run([RISCV_GCC, "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-S", "program.c"], cwd=tmp_path, check=True, capture_output=True)
    subprocess.run([RISCV_GCC, "-c", "program.s"], cwd=tmp_path, check=True, capture_output=True)
    lines = [line.split() for line in (tmp_path / "program.s").read_text().splitlines()]
    issued = [line for line in lines if line[:1] == [".insn"]]
    assert issued and all(line[1:4] == ["r", "0x7b,", "3,"] for line in issued)
    assert [line[0] for line in lines if line[:1] == ["fence"]] == ["fence", "fence"]


def test_c_calls_a_function_of_the_user(tmp_path):
    backend = systolic()
    source = emit_c(backend.accelerator, kernel(backend))
    user = "#include <stdio.h>\nint count; void act_issue(const unsigned long *words) { count += words[0] < 8; }\n"
    user += 'void act_commands(unsigned char *); int main(void) { act_commands(0); printf("%d\\n", count); return 0; }\n'
    (tmp_path / "user.c").write_text(user)
    binary = gcc(source, tmp_path, "-fcommon", str(tmp_path / "user.c"))
    assert int(subprocess.run([binary], capture_output=True, text=True, check=True).stdout) == len(kernel(backend).commands)


def test_a_function_code_and_two_registers_are_one_instruction_on_riscv(tmp_path):
    (tmp_path / "program.c").write_text(emit_c(systolic().accelerator, kernel(systolic())))
    done = subprocess.run(["gcc", "-E", "-D__riscv", "-DACT_OPCODE=0x0b", "program.c"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert '".insn r " "0x0b" ", 3, %0, x0, %1, %2" : : "i"(0x2ull), "r"(' in done.stdout
    assert "act_issue((const" not in done.stdout
    assert done.stdout.count('"fence"') == 2


def test_loops_are_loops_in_c():
    source = emit_c(systolic().accelerator, kernel(systolic()))
    calls = source[source.index("act_commands(uint8_t *memory) {") :]
    assert "for (int64_t i0" in calls
    assert calls.count("    act_") < len(kernel(systolic()).commands)


def test_python_reproduces_the_outputs(backend, tmp_path):
    inputs, expected = case()
    (tmp_path / "program.py").write_text(emit_python(backend.accelerator, kernel(backend)))
    np.savez(tmp_path / "in.npz", **inputs)  # type: ignore[arg-type]
    subprocess.run([sys.executable, "program.py", "in.npz", "out.npz"], cwd=tmp_path, check=True, timeout=120)
    with np.load(tmp_path / "out.npz") as archive:
        np.testing.assert_array_equal(archive["out0"], expected)


MLIR_OPT = shutil.which("mlir-opt") or next((str(path) for path in sorted(Path("/usr/lib").glob("llvm-*/bin/mlir-opt"))), None)


@pytest.mark.skipif(MLIR_OPT is None, reason="mlir-opt is not installed")
def test_mlir_is_read_by_mlir_opt(backend, tmp_path):
    (tmp_path / "program.mlir").write_text(emit_mlir(backend.accelerator, kernel(backend)))
    assert MLIR_OPT is not None
    done = subprocess.run([MLIR_OPT, "program.mlir"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "scf.for" in done.stdout


PIPELINE = (
    "builtin.module(convert-scf-to-cf,memref-expand,expand-strided-metadata,convert-memref-to-llvm,convert-arith-to-llvm,"
    "convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts)"
)
ISSUE = """
#include <stdio.h>
void issue(unsigned long funct, unsigned long rs1, unsigned long rs2) { printf("%lx %lx %lx\\n", funct, rs1, rs2); }
"""
ENTRY = """  func.func @entry() {
    %memory = memref.alloc() : memref<SIZExi8>
    func.call @main(%memory) : (memref<SIZExi8>) -> ()
    return
  }
}
"""


@pytest.mark.skipif(MLIR_OPT is None, reason="mlir-opt is not installed")
def test_mlir_issues_the_words_of_the_program(backend, tmp_path):
    """Lowered to LLVM and run, with the host memory at address 0."""
    assert MLIR_OPT is not None
    program = kernel(backend)
    size = max(region.end for region in program.regions)
    text = emit_mlir(backend.accelerator, program).removesuffix("}\n") + ENTRY.replace("SIZE", str(size))
    text = text.replace("%host = arith.index_cast %pointer : index to i64", "%host = arith.constant 0 : i64")
    (tmp_path / "program.mlir").write_text(text)
    lowered = subprocess.run([MLIR_OPT, f"--pass-pipeline={PIPELINE}", "program.mlir"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert lowered.returncode == 0, lowered.stderr[-2000:]
    gcc(ISSUE, tmp_path, "-shared", "-fPIC")
    command = [MLIR_OPT.replace("mlir-opt", "mlir-cpu-runner"), "-e", "entry", "-entry-point-result=void", "-shared-libs=./program"]
    done = subprocess.run(command, input=lowered.stdout, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.splitlines() == program_image(backend.accelerator, program.commands).splitlines()[1:]


def test_assembly_parses_back(backend):
    text = print_program(kernel(backend))
    assert print_program(parse_program(text)) == text
    assert parse_program(text) == kernel(backend)


WIDE = """taidl 1
accelerator wide

command op : 128, more : 8

hbm    mem : u8[1 << 20]
buffer row : s8[8][16]

instruction load(n | from, to)
  encode  op[3:0] = 1; op[19:4] = n; op[100:50] = from; more = to + 2 * (n / 2)
  read    %x = mem[from + 16 * i + j : i < n, j < 16]
  write   row[to + i][j : i < n, j < 16] = %y
  body {
    %x = u8[`n`, 16] parameter(0)
    ROOT %y = s8[`n`, 16] bitcast-convert(%x)
  }
"""


def test_fields_may_cross_64_bits():
    accelerator = parse(WIDE)
    assert limbs(accelerator.words) == [("op", 0), ("op", 1), ("more", 0)]
    found = [(piece.limb, piece.width, piece.shift) for piece in pieces(accelerator, accelerator.instructions["load"])]
    assert found == [(0, 4, 0), (0, 16, 4), (0, 51, 50), (1, 51, -14), (2, 8, 0)]
    assert host_addresses(accelerator, accelerator.instructions["load"]) == {"from": 1}


MICRO = (ROOT / "tests/act/backend/machines/micro.taidl").read_text()
PRODUCT = hlo("a = s8[6,8] parameter(0)", "b = s8[8,8] parameter(1)", "d = s8[6,8] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}")


def test_addresses_may_count_in_several_bytes_and_strides_are_no_addresses():
    accelerator = parse(MICRO)
    found = {name: host_addresses(accelerator, each) for name, each in accelerator.instructions.items()}
    assert (found["load_inp"], found["load_wgt"], found["store"], found["product"]) == ({"from": 4}, {"from": 16}, {"to": 4}, {})


def test_addresses_that_wrap_at_the_end_of_the_memory_are_relocated():
    accelerator = parse(MICRO)
    wraps = parse(re.sub(r"mem\[([^:]*) :", r"mem[(\1) % (1 << 24) :", MICRO))
    assert wraps != accelerator
    for name, each in accelerator.instructions.items():
        assert host_addresses(wraps, wraps.instructions[name]) == host_addresses(accelerator, each)


def test_addresses_that_count_in_several_bytes_are_relocated_in_these(tmp_path):
    backend, base = backend_of(MICRO), 0x4000
    program = compile_module(backend, parse_module(PRODUCT)).program
    user = '#include <stdio.h>\nvoid act_issue(const unsigned long *words) { printf("%lx %lx\\n", words[0], words[1]); }\n'
    user += "void act_commands(unsigned char *); int main(void) { act_commands(0); return 0; }\n"
    (tmp_path / "user.c").write_text(user)
    binary = gcc(emit_c(backend.accelerator, program), tmp_path, f"-DACT_ADDRESS(memory, offset)=({base} + (offset))", str(tmp_path / "user.c"))
    lines = subprocess.run([binary], capture_output=True, text=True, check=True).stdout.splitlines()
    wanted = []
    for command in program.commands:
        scales = host_addresses(backend.accelerator, backend.accelerator.instructions[command.instruction])
        moved = {name: value + (base // scales[name] if name in scales else 0) for name, value in command.attributes.items()}
        (word,) = encode(backend.accelerator, command.instruction, moved).values()
        wanted.append(f"{word & (1 << 64) - 1:x} {word >> 64:x}")
    assert lines == wanted


def test_a_memory_that_begins_between_such_units_is_refused(tmp_path):
    backend = backend_of(MICRO)
    program = compile_module(backend, parse_module(PRODUCT)).program
    user = "void act_issue(const unsigned long *words) { (void)words; }\n"
    user += "void act_commands(unsigned char *); int main(void) { act_commands(0); return 0; }\n"
    (tmp_path / "user.c").write_text(user)
    binary = gcc(emit_c(backend.accelerator, program), tmp_path, "-DACT_ADDRESS(memory, offset)=(8 + (offset))", str(tmp_path / "user.c"))
    assert subprocess.run([binary], capture_output=True).returncode != 0


@pytest.mark.skipif(MLIR_OPT is None, reason="mlir-opt is not installed")
def test_mlir_divides_addresses_that_count_in_several_bytes():
    backend = backend_of(MICRO)
    text = emit_mlir(backend.accelerator, compile_module(backend, parse_module(PRODUCT)).program)
    assert "multiple of 16 bytes" in text and "arith.divui" in text
    assert MLIR_OPT is not None
    done = subprocess.run([MLIR_OPT, "-"], input=text, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_without_encodings_there_is_no_c():
    accelerator = parse(
        WIDE.replace("command op : 128, more : 8\n", "").replace("  encode  op[3:0] = 1; op[19:4] = n; op[100:50] = from; more = to + 2 * (n / 2)\n", "")
    )
    for emit in (emit_c, emit_mlir):
        with pytest.raises(UserError, match="wide has no encodings"):
            emit(accelerator, Program("wide", "0", {}, (), ()))
