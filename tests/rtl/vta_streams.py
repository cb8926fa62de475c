"""Random VTA instruction streams whose result does not depend on timing: tokens order whatever two modules must not do together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

import vta_instructions as vta
from vta_image import Case
from vta_instructions import encode
from vta_model import Config

NEIGHBOURS = {"load": ("compute",), "compute": ("load", "store"), "store": ("compute",)}
PUSH = {("load", "compute"): "push_next", ("compute", "load"): "push_prev", ("compute", "store"): "push_next", ("store", "compute"): "push_prev"}
POP = {("load", "compute"): "pop_prev", ("compute", "load"): "pop_next", ("compute", "store"): "pop_prev", ("store", "compute"): "pop_next"}


@dataclass(frozen=True, slots=True)
class Step:
    """An instruction with the module that executes it and what it does: load, move (a load by compute), gemm, alu, store, finish."""

    module: str
    kind: str
    word: int


def share_a_buffer(one: Step, other: Step) -> bool:
    """Whether two steps of different modules touch the same buffer; their memory must lie apart."""
    return {one.kind, other.kind} in ({"load", "gemm"}, {"gemm", "store"}, {"alu", "store"})


def always(_one: Step, _other: Step) -> bool:
    return True


def with_tokens(steps: Sequence[Step], conflict: Callable[[Step, Step], bool]) -> list[int]:
    """The words in order; a step waits for a token of the last step before it, in a neighbouring module, that it is in conflict with."""
    bits: list[set[str]] = [set() for _ in steps]
    synchronised = dict.fromkeys(PUSH, -1)
    for number, step in enumerate(steps):
        for giver in NEIGHBOURS[step.module]:
            pair = (giver, step.module)
            earlier = [k for k in range(synchronised[pair] + 1, number) if steps[k].module == giver and conflict(steps[k], step)]
            if earlier:
                bits[earlier[-1]].add(PUSH[pair])
                bits[number].add(POP[pair])
                synchronised[pair] = earlier[-1]
    return [step.word | sum(1 << vta.COMMON[name][0] for name in names) for step, names in zip(steps, bits, strict=True)]


def joined(steps: Sequence[Step]) -> list[Step]:
    """Load and store have no queue between them: a compute instruction that does nothing goes in between."""
    nothing = Step("compute", "nothing", encode(vta.LOAD, id=vta.UOP))
    result: list[Step] = []
    for step in steps:
        if result and {result[-1].module, step.module} == {"load", "store"}:
            result.append(nothing)
        result.append(step)
    return result


def element_bytes(kind: int, config: Config) -> int:
    return {vta.UOP: 4, vta.INP: config.block_in, vta.WGT: config.block_in * config.block_out, vta.ACC: 4 * config.block_out, vta.OUT: config.block_out}[kind]


def random_load(rng: Random, config: Config, kind: int, end: int) -> int:
    """From the first `end` bytes of the memory. Sizes of 0 and every pad occur."""
    size, stride = [rng.choice([0, 1, 1, 2, 3, 4]) for _ in range(2)], rng.choice([0, 1, 5, rng.randrange(12)])
    stride = 1 if kind == vta.WGT else stride
    pads = tuple(rng.choice([0, 0, 0, 1, 2, rng.randrange(16) if rng.random() < 0.1 else 3]) for _ in range(4))
    last = end // element_bytes(kind, config) - 3 * stride - 4
    return vta.load(kind, rng.randrange(1 << 15), rng.randrange(last + 1), *size, stride, pads)


def random_store(rng: Random, config: Config, begin: int, end: int) -> int:
    """Within bytes begin to end of the memory; the pads, which mean nothing, and the id are random."""
    first, last = (edge // element_bytes(vta.OUT, config) for edge in (begin, end))
    ysize, xsize, xstride = rng.randrange(4), rng.randrange(5), rng.randrange(8)
    first = rng.randrange(first, last - 3 * xstride - 5)
    noise = rng.getrandbits(16) << 112 | rng.getrandbits(3) << 7
    return vta.encode(vta.STORE, sram=rng.randrange(1 << 16), dram=first, ysize=ysize, xsize=xsize, xstride=xstride) | noise


def random_loop(rng: Random) -> dict[str, int]:
    begin = rng.randrange(1 << 13)
    return {"uop_begin": begin, "uop_end": (begin + rng.randint(1, 4)) % (1 << 14), "lp_0": rng.randint(1, 3), "lp_1": rng.randint(1, 3)}


def random_gemm(rng: Random) -> int:
    factors = {name: rng.getrandbits(vta.GEMM_FIELDS[name][1]) for name in ("acc_0", "acc_1", "inp_0", "inp_1", "wgt_0", "wgt_1")}
    return encode(vta.GEMM, reset=int(rng.random() < 0.15), **random_loop(rng), **factors)


def random_alu(rng: Random) -> int:
    factors = {name: rng.getrandbits(11) for name in ("dst_0", "dst_1", "src_0", "src_1")}
    imm = rng.choice([rng.getrandbits(16), rng.randrange(32), (1 << 16) - rng.randrange(1, 32)])
    return encode(vta.ALU, alu_op=rng.randrange(4), use_imm=rng.getrandbits(1), imm=imm, **random_loop(rng), **factors)


def random_unknown(rng: Random) -> int:
    """An instruction that no module knows, with random bits everywhere else."""
    noise = rng.getrandbits(128)
    match rng.randrange(3):
        case 0: return noise & ~0x387 | rng.randint(4, 7) << 7
        case 1: return noise & ~7 | rng.randint(5, 7)
        case _: return noise & ~(7 | 7 << 108) | vta.ALU | rng.randint(4, 7) << 108


def random_step(rng: Random, config: Config, half: int) -> Step:
    match rng.choices(["load", "move", "gemm", "alu", "store", "finish"], [4, 2, 4, 4, 3, 0.2])[0]:
        case "load": return Step("load", "load", random_load(rng, config, rng.choice([vta.INP, vta.WGT]), half))
        case "move": return Step("compute", "move", random_load(rng, config, rng.choice([vta.UOP, vta.ACC]), half))
        case "gemm": return Step("compute", "gemm", random_gemm(rng))
        case "alu": return Step("compute", "alu", random_alu(rng))
        case "store": return Step("store", "store", random_store(rng, config, half, 2 * half))
        case _: return Step("compute", "finish", vta.finish())


def fill(config: Config, half: int) -> list[Step]:
    """The buffers filled: the first 32 elements of each, which is all of a small one, so that nothing depends on what was there."""
    kinds = {vta.UOP: "move", vta.ACC: "move", vta.INP: "load", vta.WGT: "load"}
    loads = [Step("compute" if what == "move" else "load", what, vta.load(kind, 0, 0, 1, min(32, half // element_bytes(kind, config)), 0))
             for kind, what in kinds.items()]
    return [*loads, Step("compute", "alu", vta.alu(vta.ADD, (0, 1), (32, 1), dst=(1, 0), src=(1, 0), imm=0))]


def random_stream(rng: Random, config: Config, length: int, half: int = 4096) -> Case:
    """A memory of random bytes, loads from its lower half and stores to its upper half: modules overlap wherever they share no buffer."""
    steps = [*fill(config, half), *(random_step(rng, config, half) for _ in range(length))]
    return Case(with_unknown(with_tokens(steps, share_a_buffer), rng), rng.randbytes(2 * half))


def random_ordered_stream(rng: Random, config: Config, length: int, size: int = 2048) -> Case:
    """Loads and stores anywhere in the memory, one module at a time."""
    steps = [*fill(config, size), *(random_step(rng, config, size) for _ in range(length))]
    moved = [Step("store", "store", random_store(rng, config, 0, size)) if step.kind == "store" else step for step in steps]
    return Case(with_unknown(with_tokens(joined(moved), always), rng), rng.randbytes(size))


def with_unknown(program: list[int], rng: Random) -> list[int]:
    """The program with instructions that no module knows at random places."""
    for _ in range(len(program) // 10):
        program.insert(rng.randrange(len(program) + 1), random_unknown(rng))
    return program
