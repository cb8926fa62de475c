"""Facts of a mode, bounds of its loops and ranges of its operands -> `when` and `use` clauses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from act.taidl import Binary, Expr, Int, Name, Unary, Use
from lift.assemble import choices
from lift.assemble.draft import Draft, Piece
from lift.assemble.errors import Impossible, NoTemplate
from lift.assemble.guards import conjuncts
from lift.assemble.integers import Polynomial, Reading, to_expr, to_term
from lift.assemble.leaves import Leaves, Part, conjunction_parts, field_part
from lift.unroll import terms
from lift.unroll.solver import Verdict, implied
from lift.unroll.terms import Term

_BLOCKS = (1, 2, 4, 8, 16, 32, 64, 128)  # elements that one iteration of a loop over blocks may move


def conditions(draft: Draft, leaves: Leaves, pieces: list[Piece], assumed: list[Term]) -> tuple[tuple[Expr, ...], tuple[Use, ...]]:
    """What must hold for the case to apply, and for its ranges to be what they are.  Impossible when it never does."""
    when = [e for condition in draft.mode.domain for e in _limits(condition, leaves, pieces)]
    when += [e for piece in pieces for e in _ranges(piece, leaves)]
    when += [truth(c, True, leaves) for c in assumed]
    fixed, rest = conjunction_parts((*draft.mode.facts, *draft.case.choice), leaves.words)
    uses: list[Use] = []
    later: list[tuple[Term, bool]] = []
    for atom, holds in rest:
        use = _register_clause(atom, holds, draft)
        if use is not None:
            uses.append(use)
        elif atom.op == "eq" and field_part(atom.args[0], leaves.words) is not None:
            later.append((atom, holds))
        else:
            when.append(truth(atom, holds, leaves))
    # Last, when all fields have their names: the bits without one are zero, or the least value that no other case has.
    leaves.spare.update(_spare(later, leaves, {*draft.fixed, *fixed, *leaves.fields}))
    when += [_word_clause(a, h, leaves, {**draft.fixed, **fixed, **leaves.spare}) or truth(a, h, leaves) for a, h in later]
    if Int(0) in when:
        raise Impossible("a mode that no command selects")
    return tuple(w for w in dict.fromkeys(when) if w != Int(1)), tuple(uses)


def _spare(atoms: list[tuple[Term, bool]], leaves: Leaves, known: Iterable[Part]) -> dict[Part, int]:
    """For bits that must not be 0, nor other constants, and that nothing else names: the least value that they may be."""
    others: dict[Part, set[int]] = {}
    for atom, holds in atoms:
        part = field_part(atom.args[0], leaves.words)
        if part is not None and not holds and atom.args[1].is_const:
            others.setdefault(part, set()).add(int(atom.args[1].attr or 0))
    parts = [*known, *others]
    alone = [p for p in others if sum(_overlap(p, q) for q in parts) == 1 and 0 in others[p] and len(others[p]) < 1 << p[2]]
    return {p: next(v for v in range(1 << p[2]) if v not in others[p]) for p in alone}


def _overlap(a: Part, b: Part) -> bool:
    return a[0] == b[0] and a[1] < b[1] + b[2] and b[1] < a[1] + a[2]


def _ranges(piece: Piece, leaves: Leaves) -> list[Expr]:
    """Ranges fit the hardware's, operands that are padded fit what they are padded to."""
    found = [(to_expr(a.extent, leaves.expr), a.size) for a in piece.ranges.axes if a.size is not None]
    axes = {name: axis for axis, name in leaves.axes.items()}
    sizes = piece.body.sizes
    found += [(i.extent, sizes[axes[i.name]]) for r in piece.body.operands.reads for i in r.slice.indices if axes.get(i.name) in sizes]
    limits: list[Expr] = [Binary("<=", e, Int(size)) for e, size in found if not isinstance(e, Int)]
    return limits + [truth(c, True, leaves) for c in piece.ranges.conditions]


def _limits(condition: Term, leaves: Leaves, pieces: list[Piece]) -> list[Expr]:
    """1 <= count <= limit of a loop, in terms of the range that the loop became part of."""
    parts = conjuncts(condition)
    most = next((p for p in parts if p.op == "ule" and p.args[1].is_const), None)
    zero = None if most is None else terms.equal(most.args[0], terms.const(0, most.args[0].width))
    if most is None or len(parts) != 2 or not any(p.op == "not" and p.args[0] is zero for p in parts):
        return [truth(p, True, leaves) for p in parts]
    count, limit = most.args[0], int(most.args[1].attr or 0)
    for piece in pieces:
        for axis in piece.ranges.axes:
            size = _block_size(count, axis.extent, piece.ranges.reading)
            if size:
                extent = to_expr(axis.extent, leaves.expr)
                return [Binary("<=", Int(1), extent), Binary("<=", extent, Int(limit * size))]
    extent = to_expr(Reading().limited(count, limit), leaves.expr)
    return [Binary("<=", Int(1), extent), Binary("<=", extent, Int(limit))]


def _block_size(count: Term, extent: Polynomial, reading: Reading) -> int:
    """The block size for which `count` is the number of blocks of `extent`, 0 if there is none."""
    if not 0 <= reading.range(extent)[1] < 1 << count.width - 1:
        return 0
    wanted = to_term(extent, count.width)
    some = terms.negate(terms.equal(wanted, terms.const(0, count.width)))
    for size in _BLOCKS:
        rounded = terms.apply("add", count.width, (wanted, terms.const(size - 1, count.width)))
        blocks = terms.apply("lshr", count.width, (rounded, terms.const(size.bit_length() - 1, count.width)))
        exact = terms.equal(count, blocks)
        if implied([some], exact) is Verdict.PROVED:
            return size
    return 0


def _register_clause(atom: Term, holds: bool, draft: Draft) -> Use | None:
    """A register, or member of an array, that must equal a constant."""
    value, subject = (int(holds), atom) if atom.width == 1 and atom.op in ("sym", "load") else (None, atom)
    if atom.op == "eq" and holds and atom.args[1].is_const:
        value, subject = int(atom.args[1].attr or 0), atom.args[0]
    names = draft.layout.registers.names
    if value is None or subject.op not in ("sym", "load") or subject.attr not in names:
        return None
    if subject.op == "load" and not subject.args[0].is_const:
        raise NoTemplate("a mode that depends on a register with a computed number", subject)
    index = Int(int(subject.args[0].attr or 0)) if subject.op == "load" else None
    return Use(names[str(subject.attr)][0], index, equals=Int(value))


def _word_clause(atom: Term, holds: bool, leaves: Leaves, fixed: Mapping[Part, int]) -> Expr | None:
    """slice == constant or != constant, for a slice of a word whose fields are named already: unnamed bits are zero."""
    part = field_part(atom.args[0], leaves.words)
    if part is None or not atom.args[1].is_const:
        return None
    constant, total, covered = int(atom.args[1].attr or 0), Int(0), 0
    pieces: dict[Part, Expr] = {**{p: Int(v) for p, v in fixed.items()}, **{p: Name(n) for p, n in leaves.fields.items()}}
    for (word, low, width), value in sorted(pieces.items(), key=lambda e: e[0]):
        if word == part[0] and low >= part[1] and low + width <= part[1] + part[2]:
            shift = low - part[1]
            covered |= ((1 << width) - 1) << shift
            total = _sum(total, value, shift)
        elif word == part[0] and low < part[1] + part[2] and part[1] < low + width:
            return None
    if constant & ~covered:
        return Int(int(not holds))
    if isinstance(total, Int):
        return Int(int((total.value == constant) == holds))
    return Binary("==" if holds else "!=", total, Int(constant))


def _sum(total: Expr, value: Expr, shift: int) -> Expr:
    if isinstance(value, Int) and isinstance(total, Int):
        return Int(total.value + (value.value << shift))
    shifted = Binary("*", value, Int(1 << shift)) if shift else value
    return shifted if total == Int(0) else Binary("+", total, shifted)


def truth(condition: Term, holds: bool, leaves: Leaves) -> Expr:
    """A 1-bit term as an expression."""
    match condition.op:
        case "const":
            return Int(int(bool(condition.attr) == holds))
        case "not":
            return truth(condition.args[0], not holds, leaves)
        case "eq" | "ult" | "ule":
            a, b = (to_expr(Reading().exact(x), leaves.expr) for x in condition.args)
            op = {"eq": ("!=", "=="), "ult": (">=", "<"), "ule": (">", "<=")}[condition.op][holds]
            return Binary(op, a, b)  # type: ignore[arg-type]
        case "slt" | "sle" | "and" | "or" | "xor" | "redor" | "redand":
            found = choices.condition(condition, leaves.number)
            return found if holds else Unary("not", found)
        case _ if condition.width == 1:
            return Binary("==", leaves.expr(condition), Int(int(holds)))
    raise NoTemplate(f"no expression for a condition with the operator {condition.op}", condition)
