"""The attribute `taidl.specialize` of a function and the options of B4 -> its modes: values of scalar arguments, by their RTL names.

    {act = 1}                               one mode; the function keeps its name
    [{act = 0}, {act = 1, dataflow = 0}]    one function for each
    {act = [0, 1], dataflow = [0, 1]}       one for each combination
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, MemRefType, StringAttr
from xdsl.ir import Attribute, SSAValue

from lift.errors import UserError
from lift.ir.build import symbol_name
from lift.ir.operations import width

SPECIALIZE = "taidl.specialize"
MAX_MODES = 256
Mode = dict[str, int]


def modes(function: func.FuncOp, fixed: Sequence[str], each: Sequence[str]) -> tuple[list[Mode], bool]:
    """(the modes, whether the functions are named after them); `fixed` are NAME=VALUE, `each` names of arguments that take all their values, and
    both only count where there is such an argument.  Raises UserError for names of no scalar argument and for values that do not fit."""
    arguments = scalars(function)
    wanted = _options(fixed, arguments) | {n: list(range(1 << min(width(arguments[n]), 9))) for n in each if n in arguments}
    attribute = function.attributes.get(SPECIALIZE)
    _check_size(function, [*wanted.values(), *([[0] * len(attribute)] if isinstance(attribute, ArrayAttr) else [])])
    found = [a | b for a in _expanded(wanted) for b in _read(function, attribute)]
    for mode in found:
        _check(function, mode, arguments)
    _check_size(function, [[0] * len(found)])
    return found, len(found) > 1 or isinstance(attribute, ArrayAttr)


def mode_name(mode: Mapping[str, int]) -> str:
    return "__".join(f"{symbol_name(name)}_{value}" for name, value in mode.items())


def scalars(function: func.FuncOp) -> dict[str, SSAValue]:
    """The arguments that a mode may fix."""
    return {argument_name(function, a): a for a in function.args if not isinstance(a.type, MemRefType)}


def argument_name(function: func.FuncOp, argument: SSAValue) -> str:
    """Its RTL name, or its name in the text."""
    attributes = function.arg_attrs.data[argument.index].data if function.arg_attrs is not None else {}  # type: ignore[attr-defined]
    name = attributes.get("rtl.name")
    return name.data if isinstance(name, StringAttr) else argument.name_hint or ""


def _expanded(values: Mapping[str, Sequence[int]]) -> list[Mode]:
    return [dict(zip(values, chosen, strict=True)) for chosen in product(*values.values())]


def _options(fixed: Sequence[str], arguments: Mapping[str, SSAValue]) -> dict[str, list[int]]:
    """Several values of one name are several modes."""
    found: dict[str, list[int]] = {}
    for text in fixed:
        name, _, value = text.partition("=")
        try:
            number = int(value, 0)
        except ValueError as error:
            raise UserError(None, f"expected NAME=VALUE in `set`, found {text!r}", None) from error
        if name in arguments:
            found.setdefault(name, []).append(number)
    return found


def _read(function: func.FuncOp, attribute: Attribute | None) -> list[Mode]:
    match attribute:
        case None:
            return [{}]
        case ArrayAttr():
            return [mode for entry in attribute for mode in _read(function, entry)]
        case DictionaryAttr():
            return _expanded({name: _numbers(function, name, value) for name, value in attribute.data.items()})
    raise UserError(f"@{function.sym_name.data}", f"{SPECIALIZE} is neither a dictionary nor a list of dictionaries", "write {NAME = VALUE}")


def _numbers(function: func.FuncOp, name: str, value: Attribute) -> list[int]:
    entries = value.data if isinstance(value, ArrayAttr) else (value,)
    if not all(isinstance(entry, IntegerAttr) for entry in entries):
        raise UserError(f"@{function.sym_name.data}", f"{SPECIALIZE} gives {name!r} what is no integer", "write {NAME = VALUE} or {NAME = [VALUE, VALUE]}")
    return [entry.value.data for entry in entries]  # type: ignore[attr-defined]


def _check(function: func.FuncOp, mode: Mode, arguments: Mapping[str, SSAValue]) -> None:
    for name, value in mode.items():
        if name not in arguments:
            raise UserError(f"@{function.sym_name.data}", f"{SPECIALIZE} names {name!r}, which is no scalar argument", f"arguments: {', '.join(arguments)}")
        bits = width(arguments[name])
        if not -(1 << (bits - 1)) <= value < 1 << bits:
            raise UserError(f"@{function.sym_name.data}", f"{name} = {value} does not fit its {bits} bits", f"give a value from 0 to {(1 << bits) - 1}")


def _check_size(function: func.FuncOp, values: Sequence[Sequence[int]]) -> None:
    count = 1
    for entries in values:
        count *= len(entries)
    if count > MAX_MODES:
        raise UserError(f"@{function.sym_name.data}", f"more than {MAX_MODES} modes", "fix fewer or narrower arguments")
