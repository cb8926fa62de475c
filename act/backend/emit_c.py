"""A program -> one C file that drives the accelerator: its encodings as functions, its commands as calls and loops.

A machine whose command words are a function code and two registers gets an instruction of the custom kind on RISC-V; everywhere else, and
where the user says so, commands go through a macro or a function that can be replaced.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NoReturn

from act.backend.encodings import LIMB, host_addresses, host_alignment, identifiers, limbs, one_memory, pieces, used
from act.backend.reroll import Affine, Call, Item, reroll
from act.errors import UserError
from act.program import Program, Region
from act.taidl.model import Accelerator, Expr, Instruction, Int
from act.taidl.source import Syntax

BYTES = 32
"""Of a constant, in one line."""
PLAIN = {"and": "&&", "or": "||"}
HEAD = """#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where a byte of the host memory is for the accelerator: its address, or its offset in a memory image. */
#ifndef ACT_ADDRESS
#if defined(__riscv)
#define ACT_ADDRESS(memory, offset) ((int64_t)(uintptr_t)(memory) + (offset))
#else
#define ACT_ADDRESS(memory, offset) ((int64_t)(offset))
#endif
#endif

/* Makes what the host wrote visible before the first command, and waits for what the accelerator wrote after the last. */
#ifndef ACT_FENCE
#if defined(__riscv)
#define ACT_FENCE() __asm__ volatile("fence" ::: "memory")
#else
#define ACT_FENCE() ((void)0)
#endif
#endif
"""
CUSTOM = """
#if !defined(ACT_ISSUE) && defined(__riscv)
#ifndef ACT_OPCODE
#define ACT_OPCODE {opcode}
#endif
#define ACT_TEXT_(x) #x
#define ACT_TEXT(x) ACT_TEXT_(x)
#define ACT_ISSUE({arguments}) \\
    __asm__ volatile(".insn r " ACT_TEXT(ACT_OPCODE) ", 3, %0, x0, %1, %2" : : "i"({funct}), "r"({rs1}), "r"({rs2}) : "memory")
#endif
"""
ISSUE = """
/* One command. Without an accelerator `act_issue` writes the words to `act_image`, one command a line; replace it, or define ACT_ISSUE. */
#ifndef ACT_ISSUE
extern FILE *act_image;
FILE *act_image;
void act_issue(const uint64_t *words);
__attribute__((weak)) void act_issue(const uint64_t *words) {{
    if (act_image != NULL)
        fprintf(act_image, "{format}\\n", {values});
}}
#define ACT_ISSUE({arguments}) act_issue((const uint64_t[]){{{arguments}}})
#endif

static inline int64_t act_div(int64_t a, int64_t b) {{ return a / b - (a % b != 0 && (a < 0) != (b < 0)); }}
static inline int64_t act_mod(int64_t a, int64_t b) {{ return a - act_div(a, b) * b; }}
static inline int64_t act_min(int64_t a, int64_t b) {{ return a < b ? a : b; }}
static inline int64_t act_max(int64_t a, int64_t b) {{ return a > b ? a : b; }}
"""
MAIN = """
#ifdef ACT_MAIN
/* PROGRAM RUNNER INPUTS OUTPUTS: the inputs are their bytes one after the other, and so are the outputs; RUNNER simulates the accelerator. */
static void act_file(const char *name, const char *mode, void *data, size_t size) {{
    FILE *file = fopen(name, mode);
    size_t done = file == NULL ? 0 : mode[0] == 'r' ? fread(data, 1, size, file) : fwrite(data, 1, size, file);
    if (file == NULL || done != size || fclose(file) != 0) {{
        fprintf(stderr, "%s: error: expected %zu bytes\\n", name, size);
        exit(1);
    }}
}}

int main(int argc, char **argv) {{
    static uint8_t memory[ACT_MEMORY_SIZE], inputs[{inputs} + 1], outputs[{outputs} + 1];
    char call[4096], name[3][1024];
    if (argc != 4) {{
        fprintf(stderr, "usage: %s RUNNER INPUTS OUTPUTS\\n", argv[0]);
        return 2;
    }}
    snprintf(name[0], sizeof name[0], "%s.img", argv[3]);
    snprintf(name[1], sizeof name[1], "%s.in", argv[3]);
    snprintf(name[2], sizeof name[2], "%s.out", argv[3]);
    snprintf(call, sizeof call, "%s --program %s --memory %s --output %s", argv[1], name[0], name[1], name[2]);
    act_file(argv[2], "rb", inputs, {inputs});
    act_inputs(memory{input_pointers});
    act_file(name[1], "wb", memory, sizeof memory);
    act_image = fopen(name[0], "w");
    if (act_image == NULL)
        return 1;
    act_commands(memory);
    fclose(act_image);
    if (system(call) != 0)
        return 1;
    act_file(name[2], "rb", memory, sizeof memory);
    act_outputs(memory{output_pointers});
    act_file(argv[3], "wb", outputs, {outputs});
    return 0;
}}
#endif
"""


def emit_c(accelerator: Accelerator, program: Program) -> str:
    """The text of the file; `UserError` where the instruction set has no encodings or the program needs several host memories."""
    size = one_memory(program)
    names = identifiers([region.name for region in program.regions])
    parts = [
        f"/* A program for {program.isa} (sha256 {program.sha256}). */\n{HEAD}",
        _issue(accelerator),
        f"\n#define ACT_MEMORY_SIZE {size}u\n\n",
        *(_constant(region, names[region.name]) for region in program.of_kind("constant")),
        *(_encoding(accelerator, instruction) for instruction in used(accelerator, program)),
        _inputs(program, names),
        _commands(accelerator, program),
        _outputs(program, names),
        _kernel(program, names),
        _main(program),
    ]
    return "".join(parts)


def _issue(accelerator: Accelerator) -> str:
    arguments = [f"w{number}" for number in range(len(limbs(accelerator.words)))]
    words: list[str] = []
    values: list[str] = []
    order = limbs(accelerator.words)
    for word in accelerator.words:
        positions = [number for number, (name, _) in enumerate(order) if name == word.name][::-1]
        words.append("%llx" + "%016llx" * (len(positions) - 1))
        values += [f"(unsigned long long)words[{position}]" for position in positions]
    return _custom(accelerator, arguments) + ISSUE.format(format=" ".join(words), values=", ".join(values), arguments=", ".join(arguments))


def _custom(accelerator: Accelerator, arguments: Sequence[str]) -> str:
    """The instruction that issues a command, for words that are those of one: a function code of 7 bits and two registers."""
    named = dict(zip([word.name for word in accelerator.words], arguments, strict=False))
    widths = {word.name: word.width for word in accelerator.words}
    code = next((name for name in ("funct7", "funct") if widths.get(name) == 7), None)
    if code is None or widths.get("rs1") != LIMB or widths.get("rs2") != LIMB or set(widths) - {code, "rs1", "rs2", "opcode"}:
        return ""
    opcodes = {
        field.value.value for each in accelerator.instructions.values() for field in each.encode if field.word == "opcode" and isinstance(field.value, Int)
    }
    opcode = f"{min(opcodes):#x}" if len(opcodes) == 1 else "0x7b"
    return CUSTOM.format(arguments=", ".join(arguments), opcode=opcode, funct=named[code], rs1=named["rs1"], rs2=named["rs2"])


def _constant(region: Region, name: str) -> str:
    data = region.data or b"\0"
    lines = "".join(f"    {', '.join(map(str, data[at : at + BYTES]))},\n" for at in range(0, len(data), BYTES))
    return f"static const uint8_t {name}[{len(data)}] = {{\n{lines}}};\n"


def _encoding(accelerator: Accelerator, instruction: Instruction) -> str:
    """The function that issues an instruction."""
    words: list[list[str]] = [[] for _ in limbs(accelerator.words)]
    for piece in pieces(accelerator, instruction):
        mask = f" & {(1 << piece.width) - 1:#x}ull" if piece.width < LIMB else ""
        plain = isinstance(piece.value, Int) and 0 <= piece.value.value < 1 << LIMB
        value = f"{c_constant(piece.value)}" if plain else f"((uint64_t)({c_source(piece.value)}){mask})"
        shift = f" << {piece.shift}" if piece.shift > 0 else f" >> {-piece.shift}" if piece.shift else ""
        words[piece.limb].append(f"({value}{shift})" if shift else value)
    body = ", ".join(" | ".join(each) or "0" for each in words)
    parameters = ", ".join(f"int64_t v_{name}" for name in instruction.attributes) or "void"
    return f"\nstatic inline void act_{instruction.name}({parameters}) {{\n    ACT_ISSUE({body});\n}}\n"


def c_constant(expr: Expr) -> str:
    """An integer that is not negative, as `uint64_t`."""
    assert isinstance(expr, Int)
    return f"{expr.value:#x}ull"


def _c_number(value: int) -> str:
    return f"{value}" if abs(value) < 1 << 31 else f"(int64_t){value & (1 << 64) - 1:#x}ull"


def _c_binary(op: str, left: str, right: str, _: Expr) -> str:
    helper = {"/": "act_div", "%": "act_mod", "min": "act_min", "max": "act_max"}.get(op)
    return f"{helper}({left}, {right})" if helper else f"({left} {PLAIN.get(op, op)} {right})"


def _no_lookup(buffer: str) -> NoReturn:
    raise UserError(None, f"an address that is found in '{buffer}' cannot be written in C", "use --emit asm")


c_source = Syntax(_c_number, lambda name: f"v_{name}", "(!{0})", "({0} ? {1} : {2})", _c_binary, _no_lookup).source
"""An expression in C over `int64_t` variables v_NAME."""


def _commands(accelerator: Accelerator, program: Program) -> str:
    commands = [
        (command.instruction, tuple(command.attributes[name] for name in accelerator.instructions[command.instruction].attributes))
        for command in program.commands
    ]
    lines = "".join(f"{line}\n" for line in _lines(accelerator, reroll(commands), 1))
    unit = host_alignment(accelerator, program)
    check = f"    if (ACT_ADDRESS(memory, 0) % {unit} != 0)\n        abort(); /* the memory begins at a multiple of {unit} bytes */\n" if unit > 1 else ""
    body = f"    (void)memory;\n{check}    ACT_FENCE();\n{lines}    ACT_FENCE();\n"
    return f"\nvoid act_commands(uint8_t *memory);\nvoid act_commands(uint8_t *memory) {{\n{body}}}\n"


def _lines(accelerator: Accelerator, items: Sequence[Item], depth: int) -> Iterator[str]:
    indent = "    " * depth
    for item in items:
        if isinstance(item, Call):
            instruction = accelerator.instructions[item.name]
            host = host_addresses(accelerator, instruction)
            values = [_value(value, host.get(name)) for name, value in zip(instruction.attributes, item.values, strict=True)]
            yield f"{indent}act_{item.name}({', '.join(values)});"
        else:
            counter = f"i{depth - 1}"
            yield f"{indent}for (int64_t {counter} = 0; {counter} < {item.times}; ++{counter}) {{"
            yield from _lines(accelerator, item.body, depth + 1)
            yield f"{indent}}}"


def _value(value: Affine, scale: int | None) -> str:
    """An attribute; `scale` are the bytes in which an address in host memory counts."""
    terms = [f"{step} * i{depth}" for depth, step in enumerate(value.steps) if step]
    text = " + ".join([*([c_source(Int(value.base))] if value.base or not terms else []), *terms])
    if scale is None:
        return text
    return f"ACT_ADDRESS(memory, {text})" if scale == 1 else f"ACT_ADDRESS(memory, {scale} * ({text})) / {scale}"


def _parameters(regions: Sequence[Region], names: dict[str, str], kind: str) -> str:
    return "".join(f", {kind} *{names[region.name]}" for region in regions)


def _copies(regions: Sequence[Region], names: dict[str, str], out: bool) -> str:
    lines = []
    for region in regions:
        there, here = f"memory + {region.address}", names[region.name]
        target, source = (here, there) if out else (there, here)
        lines.append(f"    memcpy({target}, {source}, {region.size});\n")
    return "".join(lines)


def _inputs(program: Program, names: dict[str, str]) -> str:
    signature = f"void act_inputs(uint8_t *memory{_parameters(program.of_kind('input'), names, 'const void')})"
    body = _copies([*program.of_kind("input"), *program.of_kind("constant")], names, out=False)
    return f"\n/* Inputs and constants into the host memory. */\n{signature};\n{signature} {{\n    (void)memory;\n{body}}}\n"


def _outputs(program: Program, names: dict[str, str]) -> str:
    signature = f"void act_outputs(const uint8_t *memory{_parameters(program.of_kind('output'), names, 'void')})"
    return f"\n{signature};\n{signature} {{\n    (void)memory;\n{_copies(program.of_kind('output'), names, out=True)}}}\n"


def _kernel(program: Program, names: dict[str, str]) -> str:
    inputs, outputs = program.of_kind("input"), program.of_kind("output")
    signature = f"void act_kernel(uint8_t *memory{_parameters(inputs, names, 'const void')}{_parameters(outputs, names, 'void')})"
    calls = [f"act_inputs(memory{''.join(f', {names[each.name]}' for each in inputs)});", "act_commands(memory);"]
    calls.append(f"act_outputs(memory{''.join(f', {names[each.name]}' for each in outputs)});")
    lines = "".join(f"    {call}\n" for call in calls)
    return f"\n/* The whole kernel; `memory` has ACT_MEMORY_SIZE bytes that the accelerator can reach. */\n{signature};\n{signature} {{\n{lines}}}\n"


def _main(program: Program) -> str:
    pointers, totals = {}, {}
    for kind in ("input", "output"):
        offset, found = 0, ""
        for region in program.of_kind(kind):
            found += f", {kind}s + {offset}"
            offset += region.size
        pointers[kind], totals[kind] = found, offset
    return MAIN.format(inputs=totals["input"], outputs=totals["output"], input_pointers=pointers["input"], output_pointers=pointers["output"])
