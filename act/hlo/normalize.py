"""Raw attributes of one instruction -> the normalised ones that model.py lists; what is unknown or missing is an error."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from act.errors import UserError
from act.hlo.model import Value
from act.hlo.opcodes import DIRECTIONS
from act.hlo.windows import WindowError, read_labels, read_window

# Attributes that do not change a value; the text of these is passed over, whatever it is.
IGNORED = frozenset(
    """metadata frontend_attributes backend_config operand_precision result_accuracy origin original_value statistics kind algorithm sharding
    control-predecessors outer_dimension_partitions output_to_operand_aliasing indices_are_sorted unique_indices parameter_replication
    execution_thread async_execution_thread schedule_group_id""".split()
)
DOT = ("lhs_contracting_dims", "rhs_contracting_dims", "lhs_batch_dims", "rhs_batch_dims")

Raw = Mapping[str, Value]
Fail = Callable[[str], UserError]


def normalize(opcode: str, raw: Raw, fail: Fail) -> dict[str, Value]:
    """`fail(problem)` makes the located error.  Reductions keep `to_apply` until the computations are known."""
    read = _READERS.get(opcode, _none)
    known = _NAMES.get(opcode, ())
    for name in raw:
        if name not in known:
            raise fail(f"{opcode} has an unknown attribute '{name}'")
    try:
        return read(raw, fail)
    except WindowError as error:
        raise fail(str(error)) from None


def _none(raw: Raw, fail: Fail) -> dict[str, Value]:
    return {}


def _get(raw: Raw, name: str, fail: Fail) -> Value:
    if name not in raw:
        raise fail(f"the attribute '{name}' is missing")
    return raw[name]


def _list(raw: Raw, name: str, fail: Fail) -> tuple[Value, ...]:
    value = _get(raw, name, fail)
    if not isinstance(value, tuple) or any(isinstance(item, (tuple, str)) for item in value):
        raise fail(f"'{name}' must be a list of integers in braces")
    return value


def _dimensions(raw: Raw, fail: Fail) -> dict[str, Value]:
    return {"dimensions": _list(raw, "dimensions", fail)}


def _reduce(raw: Raw, fail: Fail) -> dict[str, Value]:
    return {"dimensions": tuple(sorted(_list(raw, "dimensions", fail))), "to_apply": _get(raw, "to_apply", fail)}


def _reverse(raw: Raw, fail: Fail) -> dict[str, Value]:
    return {"dimensions": tuple(sorted(_list(raw, "dimensions", fail)))}


def _concatenate(raw: Raw, fail: Fail) -> dict[str, Value]:
    dimensions = _list(raw, "dimensions", fail)
    if len(dimensions) != 1:
        raise fail("concatenate needs exactly one dimension")
    return {"dimension": dimensions[0]}


def _slice(raw: Raw, fail: Fail) -> dict[str, Value]:
    return _transposed(_get(raw, "slice", fail), ("start", "limit", "stride"), "slice={[start:limit:stride], ...}", fail)


def _pad(raw: Raw, fail: Fail) -> dict[str, Value]:
    return _transposed(raw.get("padding", ()), ("low", "high", "interior"), "padding=low_high_interior x ...", fail)


def _transposed(triples: Value, names: tuple[str, ...], form: str, fail: Fail) -> dict[str, Value]:
    if not isinstance(triples, tuple) or any(not isinstance(triple, tuple) or len(triple) != 3 for triple in triples):
        raise fail(f"expected {form}")
    return {name: tuple(triple[index] for triple in triples) for index, name in enumerate(names)}


def _dot(raw: Raw, fail: Fail) -> dict[str, Value]:
    return {name: _list(raw, name, fail) if name in raw else () for name in DOT}


def _compare(raw: Raw, fail: Fail) -> dict[str, Value]:
    direction = _get(raw, "direction", fail)
    if direction not in DIRECTIONS:
        raise fail(f"the direction of a comparison is one of {' '.join(DIRECTIONS)}, not {direction}")
    order = raw.get("type")
    if order not in (None, "FLOAT", "SIGNED", "UNSIGNED", "TOTALORDER"):
        raise fail(f"the type of a comparison is FLOAT, TOTALORDER, SIGNED or UNSIGNED, not {order}")
    return {"direction": direction} | ({"order": "TOTAL"} if order == "TOTALORDER" else {})


def _window(raw: Raw, fail: Fail) -> Raw:
    window = raw.get("window", {})
    if not isinstance(window, dict):
        raise fail("expected window={size=3x3 stride=... pad=...}")
    return window


def _reduce_window(raw: Raw, fail: Fail) -> dict[str, Value]:
    window = read_window(_window(raw, fail))
    if any(window.pop("reversal")):
        raise fail("the window of a reduce-window has no rhs_reversal")
    return window | {"to_apply": _get(raw, "to_apply", fail)}


def _call(raw: Raw, fail: Fail) -> dict[str, Value]:
    """`bind`, in the body of an instruction: values of the attributes of the one that is called."""
    bind = raw.get("bind", {})
    return {**_scalar("to_apply", "to_apply")(raw, fail), **({"bind": tuple(sorted(bind.items()))} if isinstance(bind, dict) and bind else {})}


def _convolution(raw: Raw, fail: Fail) -> dict[str, Value]:
    groups = {name: raw.get(name, 1) for name in ("feature_group_count", "batch_group_count")}
    return {**read_window(_window(raw, fail)), **read_labels(str(_get(raw, "dim_labels", fail))), **groups}


def _dynamic_slice(raw: Raw, fail: Fail) -> dict[str, Value]:
    return {"sizes": _list(raw, "dynamic_slice_sizes", fail)}


def _scalar(name: str, key: str) -> Callable[[Raw, Fail], dict[str, Value]]:
    def read(raw: Raw, fail: Fail) -> dict[str, Value]:
        value = _get(raw, name, fail)
        if isinstance(value, tuple):
            raise fail(f"'{name}' must be one value, not a list")
        return {key: value}

    return read


_NAMES: dict[str, tuple[str, ...]] = {
    "iota": ("iota_dimension",),
    "broadcast": ("dimensions",),
    "transpose": ("dimensions",),
    "reverse": ("dimensions",),
    "concatenate": ("dimensions",),
    "slice": ("slice",),
    "pad": ("padding",),
    "dot": DOT,
    "reduce": ("dimensions", "to_apply"),
    "compare": ("direction", "type"),
    "reduce-window": ("window", "to_apply"),
    "convolution": ("window", "dim_labels", "feature_group_count", "batch_group_count"),
    "dynamic-slice": ("dynamic_slice_sizes",),
    "reduce-precision": ("exponent_bits", "mantissa_bits"),
    "get-tuple-element": ("index",),
    "call": ("to_apply", "bind"),
    "fusion": ("calls",),
}
_READERS: dict[str, Callable[[Raw, Fail], dict[str, Value]]] = {
    "iota": _scalar("iota_dimension", "dimension"),
    "broadcast": _dimensions,
    "transpose": _dimensions,
    "reverse": _reverse,
    "concatenate": _concatenate,
    "slice": _slice,
    "pad": _pad,
    "dot": _dot,
    "reduce": _reduce,
    "compare": _compare,
    "reduce-window": _reduce_window,
    "convolution": _convolution,
    "dynamic-slice": _dynamic_slice,
    "reduce-precision": lambda raw, fail: {name: _get(raw, name, fail) for name in ("exponent_bits", "mantissa_bits")},
    "get-tuple-element": _scalar("index", "index"),
    "call": _call,
    "fusion": _scalar("calls", "to_apply"),
}
