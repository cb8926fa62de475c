"""The load and store controllers step by step: which requests they make, in which order, and that they stop; by induction over cycles, without the unroller.

The position of a request is block * rows + row.  A command begins at position 0, each answer moves on by one, and the last position leads back to rest: so
there are rows * blocks requests, each at its stated address.  This is what the loops of the lifted functions say.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import z3

from proofs import dma
from proofs.designs import RTL, cycle, netlist
from proofs.meaning import variable
from proofs.solve import prove, prove_equal, satisfiable

WAITING, REQUEST, RESPONSE = 0, 1, 2
POOLING, POOLED = 3, 4  # of the store controller: a request for a pixel of a window, and its answer; not spoken of here
MVOUT = {"mvout": 3}
MVIN = {"mvin": (2, 0), "mvin2": (1, 1), "mvin3": (14, 2)}  # funct, bank

COMMAND = {"rs1": variable("cmd_rs1", 64), "rs2": variable("cmd_rs2", 64), "funct": variable("cmd_funct", 7), "valid": variable("cmd_valid", 1)}
ROWS, COLS, VADDR, LOCAL = variable("rows", 16), variable("cols", 16), variable("vaddr", 40), variable("local_row", 14)
block_counter = variable("block_counter", 2)
RUNNING = variable("reset", 1) == 0

controllers = pytest.mark.parametrize("unit", ["LoadController", "StoreController"], ids=lambda unit: f"gemmini-{unit}-step")
sizes = pytest.mark.parametrize("dim", [4, 16], ids=lambda dim: f"DIM{dim}")


class Controller:
    """Next states and outputs by RTL name; `row` is the row counter."""

    def __init__(self, unit: str, dim: int, folder: Path = RTL) -> None:
        one = cycle(netlist(unit, folder, DIM=dim))
        self.subject = one.subject
        self.after = {name: self.subject.values[name] for name in one.registers}
        self.out = {name: self.subject.values[name] for name in one.outputs}
        self.row, self.dim, self.unit = variable("row_counter", dim.bit_length() - 1), dim, unit
        self.state = variable("control_state", self.after["control_state"].size())
        self.pools = unit == "StoreController"

    @property
    def plain(self) -> list[z3.BoolRef]:
        """Rows are moved, not pooled."""
        return [variable("pool_stride", 2) == 0, z3.ULE(self.state, RESPONSE)] if self.pools else []

    def rests(self, state: z3.BitVecRef) -> z3.BoolRef:
        """No rows are being moved."""
        return z3.Or(state == WAITING, z3.UGE(state, POOLING)) if self.pools else state == WAITING

    @property
    def blocks(self) -> z3.BitVecRef:
        """ceil(cols / DIM), 32 bits."""
        return z3.UDiv(wide(COLS) + (self.dim - 1), z3.BitVecVal(self.dim, 32))

    @property
    def under_way(self) -> list[z3.BoolRef]:
        """A command within bounds, at one of its positions."""
        bounds = [z3.UGE(ROWS, 1), z3.ULE(ROWS, self.dim), z3.UGE(COLS, 1), z3.ULE(COLS, 4 * self.dim)]
        return [*bounds, z3.ULT(wide(self.row), wide(ROWS)), z3.ULT(wide(block_counter), self.blocks), RUNNING]

    def position(self, row: z3.BitVecRef, block: z3.BitVecRef) -> z3.BitVecRef:
        return wide(block) * wide(ROWS) + wide(row)


def wide(value: z3.BitVecRef) -> z3.BitVecRef:
    return z3.ZeroExt(32 - value.size(), value)


_made: dict[tuple[str, int], Controller] = {}


@pytest.fixture
def controller(unit: str, dim: int) -> Controller:
    if (unit, dim) not in _made:
        _made[unit, dim] = Controller(unit, dim)
    return _made[unit, dim]


@sizes
@controllers
def test_it_rests_at_position_0(controller: Controller) -> None:
    """Invariant: at rest both counters are 0; reset establishes it and every cycle keeps it."""
    following = controller.after["control_state"]
    at_rest = z3.Implies(controller.rests(controller.state), z3.And(controller.row == 0, block_counter == 0))
    after = z3.Implies(controller.rests(following), z3.And(controller.after["row_counter"] == 0, controller.after["block_counter"] == 0))
    prove("after reset", z3.And(following == WAITING, after), [variable("reset", 1) == 1])
    most = POOLED if controller.pools else RESPONSE
    prove("every cycle", z3.And(after, z3.ULE(following, most)), [at_rest, z3.ULE(controller.state, most)])


@sizes
@controllers
def test_a_command_begins_a_request_with_its_operands(controller: Controller) -> None:
    functs = MVOUT.values() if controller.unit == "StoreController" else [f for f, _ in MVIN.values()]
    for funct in functs:
        taken = [controller.state == WAITING, COMMAND["valid"] == 1, COMMAND["funct"] == funct, RUNNING, *controller.plain]
        prove(f"funct {funct} is taken", z3.And(controller.after["control_state"] == REQUEST, controller.out["cmd_ready"] == 1), taken)
        for name, low, bits in (("rows", 48, 16), ("cols", 32, 16), ("local_row", 0, 14)):
            prove_equal(f"{name} of funct {funct}", z3.Extract(low + bits - 1, low, COMMAND["rs2"]), controller.after[name], taken)
        prove_equal(f"vaddr of funct {funct}", z3.Extract(39, 0, COMMAND["rs1"]), controller.after["vaddr"], taken)
        prove_equal(f"is_acc_addr of funct {funct}", z3.Extract(31, 31, COMMAND["rs2"]), controller.after["is_acc_addr"], taken)


@sizes
@controllers
def test_no_other_command_begins_one(controller: Controller) -> None:
    functs = MVOUT.values() if controller.unit == "StoreController" else [f for f, _ in MVIN.values()]
    others = [COMMAND["funct"] != funct for funct in functs]
    prove("it stays at rest", controller.after["control_state"] == WAITING, [controller.state == WAITING, RUNNING, *others])


@sizes
@pytest.mark.parametrize("unit", ["LoadController"], ids=["gemmini-LoadController-step"])
@pytest.mark.parametrize("instruction", MVIN)
def test_each_mvin_uses_its_bank(controller: Controller, instruction: str) -> None:
    funct, bank = MVIN[instruction]
    taken = [controller.state == WAITING, COMMAND["valid"] == 1, COMMAND["funct"] == funct, RUNNING]
    prove(f"bank of {instruction}", controller.after["load_id"] == bank, taken)
    prove("zero fill", (controller.after["all_zeros"] == 1) == (COMMAND["rs1"] == 0), taken)
    prove_equal("accumulate", z3.Extract(30, 30, COMMAND["rs2"]), controller.after["accumulate"], taken)


@sizes
@controllers
def test_nothing_moves_until_it_is_accepted_and_answered(controller: Controller) -> None:
    ready, answered = variable("dma_req_ready", 1), variable("dma_resp_valid", 1)
    held = {"row_counter": controller.row, "block_counter": block_counter, "rows": ROWS, "cols": COLS}
    kept = [controller.after[name] == value for name, value in held.items()]
    for state, moves, following in ((REQUEST, ready, RESPONSE), (RESPONSE, answered, None)):
        prove("it waits", z3.And(*kept, controller.after["control_state"] == state), [controller.state == state, moves == 0, RUNNING])
        if following is not None:
            prove("it is accepted", z3.And(*kept, controller.after["control_state"] == following), [controller.state == state, moves == 1, RUNNING])
    asks = z3.Or(controller.state == REQUEST, controller.state == POOLING) if controller.pools else controller.state == REQUEST
    prove("a request is offered exactly in its state", (controller.out["dma_req_valid"] == 1) == asks)


@sizes
@controllers
def test_each_answer_moves_on_by_one_position_and_the_last_ends(controller: Controller) -> None:
    answered = [*controller.under_way, controller.state == RESPONSE, variable("dma_resp_valid", 1) == 1]
    satisfiable("a command under way", answered)
    here = controller.position(controller.row, block_counter)
    there = controller.position(controller.after["row_counter"], controller.after["block_counter"])
    is_last = here == controller.blocks * wide(ROWS) - 1
    within = z3.And(z3.ULT(wide(controller.after["row_counter"]), wide(ROWS)), z3.ULT(wide(controller.after["block_counter"]), controller.blocks))
    prove("another position", z3.And(there == here + 1, within, controller.after["control_state"] == REQUEST), [*answered, z3.Not(is_last)])
    prove("the end", controller.after["control_state"] == WAITING, [*answered, is_last])


@sizes
@controllers
def test_each_request_is_at_its_stated_address(controller: Controller) -> None:
    """Base + row * stride + block * DIM * element bytes in memory; row + block * block stride locally."""
    if controller.unit == "LoadController":
        for _, bank in MVIN.values():
            stride, step, narrow = variable(f"strides_{bank}", 40), variable(f"block_strides_{bank}", 14), variable(f"shrinks_{bank}", 1)
            full = z3.And(variable("is_acc_addr", 1) == 1, narrow == 0)
            _prove_addresses(controller, stride, step, full, [variable("load_id", 2) == bank])
    else:
        full = variable("read_full_acc_row", 1) == 1
        _prove_addresses(controller, variable("stride", 32), z3.BitVecVal(controller.dim, 14), full, controller.plain)


def _prove_addresses(controller: Controller, stride: z3.BitVecRef, step: z3.BitVecRef, full: z3.BoolRef, chosen: list[z3.BoolRef]) -> None:
    for block in range(4):  # one query per block, so that no product of two variables but row * stride remains
        under = [*chosen, block_counter == block]
        size = z3.If(full, z3.BitVecVal(4 * controller.dim, 40), z3.BitVecVal(controller.dim, 40))
        memory = VADDR + dma.resize(controller.row, 40) * dma.resize(stride, 40) + block * size
        prove_equal(f"memory address, block {block}", memory, controller.out["dma_req_vaddr"], under)
        prove_equal(f"local row, block {block}", LOCAL + dma.resize(controller.row, 14) + block * step, controller.out["dma_req_data"], under)
