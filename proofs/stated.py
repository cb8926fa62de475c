"""Small modules -> all that each does in one cycle, stated from what they are for: next registers and outputs by RTL name, over inputs and registers.

They are short to be read beside the tables in the README of the RTL; nothing here is taken from the reader of Verilog.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import z3

from proofs import pe
from proofs.meaning import variable
from proofs.replay import OneCycle
from proofs.solve import prove_equal

Stated = dict[str, z3.BitVecRef]
IDLE, ISSUING, WAITING = 0, 1, 2
LOADS, STORES, EXECUTES, CONFIG = (1, 2, 14), (3,), (4, 5, 6), 0  # funct
CONFIGURES = {"load": 1, "store": 2, "execute": 0}  # rs1[1:0] of a configuration
MIN, MAX, ADD = 0, 1, 2


def bit(condition: z3.BoolRef) -> z3.BitVecRef:
    return z3.If(condition, z3.BitVecVal(1, 1), z3.BitVecVal(0, 1))


def is_set(name: str) -> z3.BoolRef:
    return variable(name, 1) == 1


def after_reset(value: z3.BitVecRef, initial: int = 0) -> z3.BitVecRef:
    return z3.If(is_set("reset"), z3.BitVecVal(initial, value.size()), value)


def issue() -> Stated:
    """It keeps one command, offers it to the controller that executes it, and waits until none is busy; what nobody executes is skipped."""
    state, funct, rs1, rs2 = variable("state", 2), variable("funct", 7), variable("rs1", 64), variable("rs2", 64)
    of = {"load": LOADS, "store": STORES, "execute": EXECUTES}
    to = {n: z3.Or(*(funct == k for k in codes), z3.And(funct == CONFIG, z3.Extract(1, 0, rs1) == CONFIGURES[n])) for n, codes in of.items()}
    taken = z3.Or(z3.Not(z3.Or(*to.values())), *(z3.And(to[n], is_set(f"{n}_ready")) for n in of))
    accepted = z3.And(state == IDLE, is_set("cmd_valid"))
    following = z3.If(z3.Or(accepted, z3.And(state == ISSUING, z3.Not(taken))), z3.BitVecVal(ISSUING, 2), z3.BitVecVal(IDLE, 2))
    waits = z3.Or(z3.And(state == ISSUING, taken), z3.And(state == WAITING, z3.Or(*(is_set(f"{n}_busy") for n in of))))
    kept = {"funct": funct, "rs1": rs1, "rs2": rs2}
    return {
        "state": after_reset(z3.If(waits, z3.BitVecVal(WAITING, 2), following)),
        **{n: after_reset(z3.If(accepted, variable(f"cmd_{n}", v.size()), v)) for n, v in kept.items()},
        **{f"issue_{n}": v for n, v in kept.items()},
        **{f"{n}_valid": bit(z3.And(state == ISSUING, to[n])) for n in of},
        "cmd_ready": bit(state == IDLE), "busy": bit(state != IDLE),
    }  # fmt: skip


def tile() -> dict[tuple[int, int], Stated]:
    """A tile is one element."""
    registers = {"c1": 32, "c2": 32, "last_s": 1}
    inner = [(variable(n, w), variable(f"pe.{n}", w)) for n, w in registers.items()]
    moved = {mode: {n: z3.substitute(v, *inner) for n, v in pe.statement(*mode).items()} for mode in pe.MODES.values()}
    return {mode: {f"pe.{n}" if n in registers else n: v for n, v in each.items()} for mode, each in moved.items()}


def delay() -> Stated:
    """Of two cycles and 8 bits."""
    return {"stage[0].value": variable("in", 8), "stage[1].value": variable("stage[0].value", 8), "out": variable("stage[1].value", 8)}


def mac() -> Stated:
    """The product of the operands of the cycle before, with sign, in 17 bits."""
    a, b = variable("r_a", 8), variable("r_b", 8)
    return {"r_a": after_reset(variable("in_a", 8)), "r_b": after_reset(variable("in_b", 8)), "out_y": z3.SignExt(9, a) * z3.SignExt(9, b)}


def adder_pair(registered: bool) -> Stated:
    """A sum with sign and a bit more, at once or a cycle later."""
    total = z3.SignExt(1, variable("in_a", 17)) + z3.SignExt(1, variable("in_b", 17))
    return {"stage.r_y": after_reset(total), "out_y": variable("stage.r_y", 18)} if registered else {"out_y": total}


def alu_lane() -> Stated:
    """Minimum, maximum, sum, and shifts: to the right with the sign, to the left by -b, both modulo 32."""
    a, b, op = variable("a", 32), variable("b", 32), variable("op", 2)
    shifted = z3.If(is_set("shift_left"), a << (-b & 31), a >> (b & 31))
    return {"y": z3.If(op == MIN, z3.If(a < b, a, b), z3.If(op == MAX, z3.If(a < b, b, a), z3.If(op == ADD, a + b, shifted)))}


def affine_index() -> Stated:
    """Sums of factors: one of the outer loop, one of the inner loop, which begins anew with each step of the outer one."""
    outer, inner = variable("sum_o", 11), variable("sum_i", 11)
    clear, out, into = z3.Or(is_set("reset"), is_set("clear")), is_set("next_o"), is_set("next_i")
    zero = z3.BitVecVal(0, 11)
    return {
        "offset": outer + inner,
        "sum_o": z3.If(clear, zero, z3.If(out, outer + variable("factor_0", 11), outer)),
        "sum_i": z3.If(z3.Or(clear, out), zero, z3.If(into, inner + variable("factor_1", 11), inner)),
    }


def token_queue() -> Stated:
    """A count of 8 bits that wraps."""
    count, one = variable("count", 8), z3.BitVecVal(1, 8)
    change = z3.If(is_set("push"), one, 0 * one) - z3.If(is_set("pop"), one, 0 * one)
    return {"count": after_reset(count + change), "available": bit(count != 0)}


def instruction_control() -> Stated:
    """It starts when it is idle and its tokens are there, taking them, and gives others when its unit rests."""
    executing = variable("state", 1) == 1
    there = [z3.Or(z3.Not(is_set(f"pop_{side}")), is_set(f"{side}_available")) for side in ("prev", "next")]
    start, done = z3.And(z3.Not(executing), is_set("inst_valid"), *there), z3.And(executing, z3.Not(is_set("unit_busy")))
    return {
        "start": bit(start), "done": bit(done), "state": after_reset(bit(z3.Or(start, z3.And(executing, z3.Not(done))))),
        **{f"take_{side}": bit(z3.And(start, is_set(f"pop_{side}"))) for side in ("prev", "next")},
        **{f"give_{side}": bit(z3.And(done, is_set(f"push_{side}"))) for side in ("prev", "next")},
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Module:
    """Its own file and those of its parts; `stated` under each of some modes, which cover all inputs; `parameters` other than the default ones."""

    top: str
    files: tuple[str, ...]
    stated: Callable[[], Mapping[tuple[int, int], Stated]]
    parameters: Mapping[str, int] = field(default_factory=dict)

    def prove(self, found: OneCycle) -> None:
        """NotProved unless the cycle does what is stated, in every register and output."""
        for mode, stated in self.stated().items():
            assert stated.keys() == found.values.keys(), f"{self.top}: {sorted(stated.keys() ^ found.values.keys())}"
            for name, value in stated.items():
                prove_equal(f"{self.top} {name}", value, found.values[name], pe.in_mode(*mode) if mode else ())


def _alone(stated: Callable[[], Stated]) -> Callable[[], Mapping[tuple[int, ...], Stated]]:
    return lambda: {(): stated()}


GEMMINI = (
    Module("PE", ("PE.v", "MacUnit.v"), lambda: {mode: pe.statement(*mode) for mode in pe.MODES.values()}),
    Module("Tile", ("Tile.v", "PE.v", "MacUnit.v"), tile),
    Module("Issue", ("Issue.v",), _alone(issue)),
    Module("Delay", ("Delay.v",), _alone(delay), {"CYCLES": 2}),
)
VTA = (
    Module("MAC", ("MAC.v",), _alone(mac)),
    Module("AdderPair", ("AdderPair.v",), _alone(lambda: adder_pair(False))),
    Module("AdderPair", ("AdderPair.v",), _alone(lambda: adder_pair(True)), {"REGISTERED": 1}),
    Module("AluLane", ("AluLane.v",), _alone(alu_lane)),
    Module("AffineIndex", ("AffineIndex.v",), _alone(affine_index)),
    Module("TokenQueue", ("TokenQueue.v",), _alone(token_queue)),
    Module("InstructionControl", ("InstructionControl.v",), _alone(instruction_control)),
)

__all__ = ["GEMMINI", "VTA", "Module"]
