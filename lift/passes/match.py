"""Reading use-def chains: small questions about where a value comes from."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from lift.ir.operations import constant_value, width

MAC, SUM = "tensorlift.mac", "tensorlift.sum"
CASTS = frozenset("arith.extsi arith.extui arith.trunci".split())


def made_by(value: SSAValue, *names: str) -> Operation | None:
    """The operation that defines `value`, if it is one of `names`."""
    op = value.owner
    return op if getattr(op, "name", None) in names else None  # type: ignore[return-value]


def used_once(value: SSAValue) -> bool:
    return value.has_one_use()


def without_casts(value: SSAValue) -> SSAValue:
    """What is extended or truncated to give `value`."""
    while (op := made_by(value, *CASTS)) is not None:
        (value,) = op.operands
    return value


def without_extensions(value: SSAValue) -> tuple[SSAValue, bool | None]:
    """(what is extended to give `value`, signedness of the extension); an inner zero extension makes it unsigned, None is no extension."""
    signed = None
    while (op := made_by(value, "arith.extsi", "arith.extui")) is not None:
        (value,) = op.operands
        signed = op.name == "arith.extsi"
    return value, signed


def is_constant(value: SSAValue) -> bool:
    return constant_value(value) is not None


def negated(value: SSAValue) -> SSAValue | None:
    """The bit that `value` is the negation of."""
    flip = made_by(value, "arith.xori")
    return flip.operands[0] if flip is not None and width(value) == 1 and constant_value(flip.operands[1]) == 1 else None
