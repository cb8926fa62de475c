"""The instruction set lifted from rtl/vta -> random streams executed on the oracle, and what the RTL, or the model in Python, leaves otherwise.

The modules of the RTL run side by side, the oracle executes in order: between two instructions of different modules stand instructions that
do nothing but give and take tokens, until the second cannot begin before the first is done.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from pathlib import Path
from random import Random

import numpy as np
import vta_instructions as vta
from vta_model import SMALL
from vta_model import Machine as Model

from act.oracle import Machine, MachineError
from act.oracle.machine import Array
from act.program import Command
from act.runner import program_image
from act.taidl import parse
from act.taidl.encode import Issue, encode
from act.taidl.expr import evaluate, names
from act.taidl.model import Instruction, Int, Name, TokenUse
from tests.end_to_end.rtl import ROOT, Job, run_batch

RUNNER = ROOT / "rtl/sim/vta"
CONFIG = SMALL
MEMORY_BYTES = 4096
BUFFERS = ("uop", "inp", "wgt", "acc", "out")
TRIES = 500
CYCLES = 100_000  # after which an instruction waits for a token that nobody gives
CHAIN = {("load", "store"): ["load", "compute", "store"], ("store", "load"): ["store", "compute", "load"]}


@dataclass(frozen=True, slots=True)
class Nothing:
    """An instruction of `module` that only takes and gives tokens."""

    module: str
    issue: Issue
    pops: Counter[str]
    pushes: Counter[str]


@dataclass(frozen=True, slots=True)
class Stream:
    """Operations with the contents (memory, then buffers, by name) before them and after them on the oracle, and the register finish."""

    seed: int
    operations: list[Issue]
    before: Mapping[str, Array]
    after: Mapping[str, Array]
    finished: bool


def lifted(folder: Path) -> str:
    """The instruction set that `tensorlift` writes for rtl/vta with blocks of `CONFIG`, as a file in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "vta.taidl"
    parameters = [word for name, value in CONFIG.parameters().items() for word in ("-P", f"{name}={value}")]
    command = [Path(sys.executable).with_name("tensorlift"), "rtl/vta", "--top", "VTA", *parameters, "--no-prove", "--allow-partial", "--no-cache", "-o", file]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return file.read_text()


class Hardware:
    """The oracle for one instruction set, and what of its instructions a generator of streams wants to know."""

    def __init__(self, text: str) -> None:
        self.accelerator = parse(text)
        self.machine = Machine(self.accelerator, {"mem": np.zeros(MEMORY_BYTES, np.uint8)})
        issued = [each for each in self.accelerator.instructions.values() if each.encode]
        assert not any(each.opaque for each in issued)
        self.instructions = {each.name: each for each in issued}
        self.modules = {each.name: module_of(each) for each in issued}
        self.nothings = [nothing for each in issued if not (each.body or each.steps or each.sets) for nothing in self._nothings(each)]

    def _nothings(self, each: Instruction) -> Iterator[Nothing]:
        for bits in product(range(2), repeat=len(each.attributes)):
            values = dict(zip(each.attributes, bits, strict=True))
            yield Nothing(self.modules[each.name], (each.name, values), moved(each.pops, values), moved(each.pushes, values))

    def token(self, giver: str, taker: str) -> str:
        """The one that instructions of `giver` push and instructions of `taker` pop."""
        instructions = self.instructions.values()
        pushed = {use.token for each in instructions if self.modules[each.name] == giver for use in each.pushes}
        popped = {use.token for each in instructions if self.modules[each.name] == taker for use in each.pops}
        (token,) = pushed & popped
        return token

    def stream(self, seed: int, last: str, length: int = 0) -> Stream:
        """`length` operations of any kind and one called `last`, with what orders them and gives them the tokens that they pop."""
        return Drawing(self, seed).stream(length, last)

    def waiting(self, seed: int, name: str, token: str) -> Stream:
        """An instruction `name` that pops `token`, then pops until none is left, and one more, which waits for ever."""
        return Drawing(self, seed).waiting(name, token)

    def words(self, stream: Stream) -> list[int]:
        return [encode(self.accelerator, name, attributes)["bits"] for name, attributes in stream.operations]


def module_of(instruction: Instruction) -> str:
    """The module of the RTL that executes it, from the constants of its encoding."""
    constants = {field.low: field.value.value for field in instruction.encode if isinstance(field.value, Int)}
    match constants[0]:
        case vta.STORE:
            return "store"
        case vta.LOAD if constants[7] in (vta.INP, vta.WGT):
            return "load"
        case _:
            return "compute"


def moved(uses: Sequence[TokenUse], values: Mapping[str, int]) -> Counter[str]:
    return Counter(use.token for use in uses if use.condition is None or evaluate(use.condition, values))


class Drawing:
    """One stream while it grows."""

    def __init__(self, hardware: Hardware, seed: int) -> None:
        self.hardware, self.seed, self.random = hardware, seed, Random(seed)
        self.machine, self.operations, self.module = hardware.machine, list[Issue](), ""
        self.machine.buffers = {name: contents(np.random.default_rng(seed), name, array) for name, array in self.machine.buffers.items()}
        self.machine.tokens = dict.fromkeys(self.machine.tokens, 0)
        self.machine.registers = {"finish": 0}
        self.before = {name: array.copy() for name, array in self.machine.buffers.items()}

    def stream(self, length: int, last: str) -> Stream:
        for name in [*self.random.choices(list(self.hardware.instructions), k=length), last]:
            self._draw(self.hardware.instructions[name])
        return self._finished()

    def waiting(self, name: str, token: str) -> Stream:
        instruction = self.hardware.instructions[name]
        while not (self.operations and self.operations[-1][0] == name and moved(instruction.pops, self.operations[-1][1])[token]):
            self._draw(instruction)
        popping = [each for each in self.hardware.nothings if each.pops[token]]
        while self.machine.tokens[token]:
            self._nothing(popping)
        self.operations.append(next(each.issue for each in popping if each.pops.total() == 1))
        return self._finished()

    def _finished(self) -> Stream:
        after = {name: array.copy() for name, array in self.machine.buffers.items()}
        return Stream(self.seed, self.operations, self.before, after, bool(self.machine.registers["finish"]))

    def _draw(self, instruction: Instruction) -> None:
        """What the machine refuses is drawn again.  The tokens are there, and what came before is done, when it begins."""
        tokens = token_attributes(instruction, attributes_of(instruction, self.random))
        self._prepare(instruction, tokens)
        for _ in range(TRIES):
            attributes = attributes_of(instruction, self.random) | tokens
            try:
                self.machine.step(instruction.name, attributes)
            except MachineError:
                continue
            self.operations.append((instruction.name, attributes))
            return
        raise AssertionError(f"seed {self.seed}: {instruction.name} was refused {TRIES} times")

    def _prepare(self, instruction: Instruction, attributes: Mapping[str, int]) -> None:
        module = self.hardware.modules[instruction.name]
        wanted = moved(instruction.pops, attributes)
        if self.module and self.module != module:
            path = CHAIN.get((self.module, module), [self.module, module])
            for giver, taker in pairwise(path):
                self._order(giver, taker, wanted if taker == module else Counter())
        self.module = module
        for token, count in wanted.items():
            while self.machine.tokens[token] < count:
                self._nothing([each for each in self.hardware.nothings if each.pushes[token]])

    def _order(self, giver: str, taker: str, wanted: Counter[str]) -> None:
        """`taker` has taken all tokens of `giver`, one of them given after what `giver` did last; or all but those that are wanted."""
        token = self.hardware.token(giver, taker)
        self._nothing([each for each in self.hardware.nothings if each.module == giver and each.pushes[token]])
        while self.machine.tokens[token] > wanted[token]:
            self._nothing([each for each in self.hardware.nothings if each.module == taker and each.pops[token]])

    def _nothing(self, choices: Sequence[Nothing]) -> None:
        possible = [each for each in choices if all(self.machine.tokens[token] >= count for token, count in each.pops.items())]
        name, attributes = self.random.choice(possible).issue
        self.machine.step(name, attributes)
        self.operations.append((name, attributes))


def contents(random: np.random.Generator, name: str, before: Array) -> Array:
    """Random over the whole type, or small; micro-ops with indices that leave room for what is added to them."""
    limits = np.iinfo(before.dtype)
    if name == "uop":
        noise = random.integers(0, 1 << 32, before.shape, np.uint64) & (0xFFFFFFFF ^ (31 | 31 << 11 | 15 << 22) if random.integers(2) else 0)
        index = [random.integers(0, random.choice([4, 8, count]), before.shape) for count in (32, 32, 16)]
        return (noise.astype("<u4") | (index[0] | index[1] << 11 | index[2] << 22).astype("<u4")).astype(before.dtype)
    if random.integers(3) == 0:
        return random.choice(np.array([limits.min, limits.min + 1, 0, 1, limits.max - 1, limits.max], before.dtype), before.shape)
    return random.integers(limits.min, limits.max, before.shape, before.dtype, endpoint=True)


def attributes_of(instruction: Instruction, random: Random) -> dict[str, int]:
    """Values for the attributes, each as befits the field of the instruction word that it is or is part of."""
    op = next(field.value.value for field in instruction.encode if field.low == 0 and isinstance(field.value, Int))
    meaning, found = fields(op, random), {}
    for field in instruction.encode:
        if isinstance(field.value, Name):
            name, low = next((name, low) for name, (low, width) in vta.LAYOUTS[op].items() if low <= field.low < low + width)
            found[field.value.name] = meaning[name] >> field.low - low & (1 << field.high - field.low + 1) - 1
    return found


def token_attributes(instruction: Instruction, attributes: Mapping[str, int]) -> dict[str, int]:
    """Those that say what is popped and pushed."""
    used = {name for use in (*instruction.pops, *instruction.pushes) if use.condition is not None for name in names(use.condition)}
    return {name: attributes[name] for name in used}


def fields(op: int, random: Random) -> dict[str, int]:
    """A random value for each field of the layout of `op`, small enough to be often within the buffers."""
    found = {name: random.choice([0, 0, 1, 1, 2, 3, random.randrange(12)]) for name in vta.LAYOUTS[op]}
    found |= {name: int(random.random() < 0.3) for name in vta.COMMON}
    if op in (vta.LOAD, vta.STORE):
        size = {name: random.choice([1, 1, 2, 3, 4, random.randint(1, 12)]) for name in ("ysize", "xsize")}
        pads = {name: random.choice([0, 0, 1, 2, random.randrange(16)]) for name in vta.MOVE if "pad" in name}
        stride = random.choice([size["xsize"], random.randrange(12), random.randrange(64)])
        sram, dram = random.randrange(random.choice([1, 16, 32])), random.randrange(random.choice([4, 192, 1024]))
        return found | size | pads | {"sram": sram, "dram": dram, "xstride": stride}
    begin, count = random.randrange(1 << 13), random.choice([1, 1, 2, 3, random.randint(1, 32)])
    bounds = {name: random.choice([1, 1, 2, 3, random.randint(1, 6)]) for name in ("lp_0", "lp_1")}
    imm = random.choice([random.getrandbits(16), random.randrange(32), (1 << 16) - random.randrange(1, 32)])
    return found | bounds | {"uop_begin": begin, "uop_end": begin + count, "alu_op": 0, "imm": imm}


def model_differences(hardware: Hardware, stream: Stream, kind: type[Model] = Model) -> list[str]:
    """What the instruction words do otherwise on a model in Python."""
    model = kind(CONFIG, bytearray(stream.before["mem"].tobytes()))
    for name in BUFFERS:
        buffer = model.buffers()[name]
        buffer[...] = stream.before[name].view(buffer.dtype).reshape(buffer.shape)
    for word in hardware.words(stream):
        model.execute(word)
    found = {"mem": np.frombuffer(bytes(model.memory), np.uint8), **model.buffers()}
    finish = [] if model.finished == stream.finished else [f"seed {stream.seed}: finish is {model.finished}, after {stream.operations}"]
    return [*differences(stream, found), *finish]


def rtl_differences(hardware: Hardware, streams: Sequence[Stream], latency_seed: int) -> list[str]:
    """What the instruction words leave otherwise when the RTL executes them."""
    jobs = []
    for stream in streams:
        program = program_image(hardware.accelerator, [Command(*each) for each in stream.operations])
        jobs.append(Job(program, stream.before["mem"], {f"{name}.bin": stream.before[name] for name in BUFFERS}))
    with tempfile.TemporaryDirectory() as folder:
        results = run_batch(jobs, Path(folder), "small", latency_seed, RUNNER, CYCLES)
    found = [{"mem": result.memory, **{file.removesuffix(".bin"): array for file, array in result.state.items()}} for result in results]
    return [line for stream, left in zip(streams, found, strict=True) for line in differences(stream, left)]


def differences(stream: Stream, found: Mapping[str, Array]) -> Iterator[str]:
    for name, expected in stream.after.items():
        seen = found[name].view(expected.dtype).reshape(expected.shape)
        wrong = np.argwhere(seen != expected)
        if wrong.size:
            at = tuple(wrong[0])
            values = f"first {list(map(int, at))}: {seen[at]} where the oracle has {expected[at]}"
            yield f"seed {stream.seed}: {len(wrong)} elements of {name} differ, {values}, after {stream.operations}"
