"""Where an exploration is given up: the instruction, or the branch of it, is then opaque and says which limit it met."""

from __future__ import annotations

MAX_CYCLES = 4096
OFTEN = 64  # cycles without a decision, after which it is asked whether anything but counters moves
SOON = 8  # cycles in which a machine that does nothing more comes to rest
MAX_WRITES = 512  # to memories and channels
REGISTERS_A_WRITE = 16  # of the design
MAX_PATHS = 256
MAX_STRETCHES = 400  # of one branch that is explored apart
MAX_TOTAL = 3000  # of all
MAX_APART = 4  # decisions down to which each branch has that limit to itself
FORK_RLIMIT = 300_000  # of the question whether a branch is possible; where Z3 does not say, it is taken to be
INSTRUCTION_STEPS = 3_000_000  # of one execution of an instruction; about a minute, but counted (lift.unroll.budget)
UNIT_STEPS = 24_000_000  # of all executions of all instructions
STEPS_A_REGISTER = 2_000  # more, for each register of the design; twice as many for the unit
PIECE_STEPS = QUESTION_STEPS = 400  # what a piece of path and a question to Z3 count as at least
EFFORT_A_STEP = 25  # resource units of Z3
CYCLES_A_REGISTER = 50  # registers of which a cycle counts as one step more
MAX_REMEMBERED = 60_000_000  # words of memory for values that were computed before, of one design
MAX_ROUNDS = 8  # of putting facts into a value, each of which may show it to be about another one
MAX_CONDITION = 300  # terms in what an assertion says of a cycle; larger ones are not used
MAX_DEPTH = 4  # loops in loops
NARROW = 2  # bits of a counter whose few values are gone through one by one where its loop cannot be summarised


def writes(registers: int) -> int:
    """How many writes outside loops an instruction of a design with so many registers may do."""
    return max(MAX_WRITES, registers // REGISTERS_A_WRITE)
