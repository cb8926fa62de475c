"""Terms to Z3: is a set of conditions satisfiable, does one follow from others.  Limits are Z3 resource limits, never seconds."""

from __future__ import annotations

from enum import Enum
from typing import Any

import z3

from lift.unroll import terms
from lift.unroll.limits import EFFORT_A_STEP, QUESTION_STEPS
from lift.unroll.relevance import canonical, connected
from lift.unroll.terms import Term

RLIMIT = 4_000_000


class Verdict(Enum):
    """The answer of the solver to "does it hold for all values"."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


class Translator:
    """Terms as Z3 bit-vectors (1-bit terms too); a memory is an uninterpreted function of its address."""

    def __init__(self) -> None:
        self._done: dict[Term, Any] = {}
        self._memories: dict[tuple[str, int, int], Any] = {}

    def value(self, root: Term) -> Any:
        for term in terms.walk_until(root, self._done):
            self._done[term] = self._translate(term, [self._done[a] for a in term.args])
        return self._done[root]

    def holds(self, condition: Term) -> Any:
        """A 1-bit term as a Z3 Boolean."""
        return self.value(condition) == z3.BitVecVal(1, 1)

    def _translate(self, term: Term, args: list[Any]) -> Any:
        w = term.width
        match term.op:
            case "const": return z3.BitVecVal(term.attr, w)
            case "sym": return z3.BitVec(f"{term.attr}#{term.serial}", w)
            case "load": return self._memory(str(term.attr), args[0].size(), w)(args[0])
            case "add": return args[0] + args[1]
            case "sub": return args[0] - args[1]
            case "mul": return args[0] * args[1]
            case "and": return args[0] & args[1]
            case "or": return args[0] | args[1]
            case "xor": return args[0] ^ args[1]
            case "not": return ~args[0]
            case "neg": return -args[0]
            case "udiv": return z3.UDiv(args[0], args[1])
            case "urem": return z3.URem(args[0], args[1])
            case "sdiv": return args[0] / args[1]
            case "srem": return z3.SRem(args[0], args[1])
            case "shl" | "lshr" | "ashr": return _shift(term.op, *args)
            case "eq": return _bit(args[0] == args[1])
            case "ult": return _bit(z3.ULT(*args))
            case "ule": return _bit(z3.ULE(*args))
            case "slt": return _bit(args[0] < args[1])
            case "sle": return _bit(args[0] <= args[1])
            case "redor": return z3.BVRedOr(args[0])
            case "redand": return z3.BVRedAnd(args[0])
            case "redxor": return _parity(args[0])
            case "mux": return z3.If(args[0] == z3.BitVecVal(1, 1), args[1], args[2])
            case "concat": return z3.Concat(*args)
            case "extract": return z3.Extract(int(term.attr or 0) + w - 1, int(term.attr or 0), args[0])
            case "zext": return z3.ZeroExt(w - args[0].size(), args[0])
            case "sext": return z3.SignExt(w - args[0].size(), args[0])
        raise AssertionError(f"no translation of operator {term.op}")

    def _memory(self, name: str, address_width: int, width: int) -> Any:
        key = (name, address_width, width)
        if key not in self._memories:
            self._memories[key] = z3.Function(f"{name}@{address_width}", z3.BitVecSort(address_width), z3.BitVecSort(width))
        return self._memories[key]


def _bit(condition: Any) -> Any:
    return z3.If(condition, z3.BitVecVal(1, 1), z3.BitVecVal(0, 1))


def _parity(value: Any) -> Any:
    bits: list[Any] = [z3.Extract(i, i, value) for i in range(value.size())]
    result = bits[0]
    for bit in bits[1:]:
        result = result ^ bit
    return result


def _shift(op: str, value: Any, amount: Any) -> Any:
    """Shift at the wider of the two widths, so that an amount that does not fit shifts everything out."""
    width = max(value.size(), amount.size())
    extend = z3.SignExt if op == "ashr" else z3.ZeroExt
    wide = extend(width - value.size(), value)
    by = z3.ZeroExt(width - amount.size(), amount)
    shifted = {"shl": lambda: wide << by, "lshr": lambda: z3.LShR(wide, by), "ashr": lambda: wide >> by}[op]()
    return z3.Extract(value.size() - 1, 0, shifted)


def _solver(rlimit: int) -> Any:
    solver = z3.SolverFor("QF_UFBV")
    solver.set("rlimit", rlimit)
    return solver


def satisfiable(conditions: list[Term], rlimit: int = RLIMIT) -> bool:
    """False only when Z3 proves that the 1-bit terms cannot hold together."""
    return _unsat(canonical(conditions), rlimit) is not Verdict.PROVED


def implied(conditions: list[Term], conclusion: Term, rlimit: int = RLIMIT) -> Verdict:
    """Does `conclusion` hold wherever all of `conditions` do?  Conditions that share no symbol with it, directly or through others, are
    left out: what follows without them follows with them."""
    if conclusion.is_const and conclusion.attr:
        return Verdict.PROVED
    refuting = terms.negate(conclusion)
    return _unsat(canonical([refuting, *connected(conditions, refuting)]), rlimit)


_effort = 0


def effort() -> int:
    """What the questions so far have cost, in steps (`lift.unroll.budget`); one whose answer is remembered costs what it did at first, so that the
    same questions cost the same."""
    return _effort


def _used(solver: Any) -> int:
    """The resource units that everything in this process has taken so far: Z3 counts on from one solver to the next."""
    return next((int(v) for name, v in solver.statistics() if name == "rlimit count"), 0)


_answers: dict[tuple[frozenset[Term], int], tuple[Verdict, int]] = {}
_translator = Translator()  # conditions are asked again and again, with one more


def known() -> tuple[dict[Any, Any], ...]:
    """What is remembered here about terms, for `lift.unroll.forget`."""
    return (_answers,)


def forget() -> None:
    """Translate anew what is asked from now on."""
    global _translator
    _translator = Translator()


def _unsat(conditions: frozenset[Term], rlimit: int) -> Verdict:
    """PROVED when the conditions cannot hold together; answers are remembered, as the modes of an instruction ask the same questions."""
    global _effort
    key = (conditions, rlimit)
    if key not in _answers:
        solver = _solver(rlimit)
        solver.add(*(_translator.holds(c) for c in sorted(conditions, key=lambda t: t.serial)))
        before = _used(solver)
        answer = solver.check()
        verdict = Verdict.PROVED if answer == z3.unsat else Verdict.REFUTED if answer == z3.sat else Verdict.UNKNOWN
        _answers[key] = verdict, QUESTION_STEPS + (_used(solver) - before) // EFFORT_A_STEP
    verdict, cost = _answers[key]
    _effort += cost
    return verdict
