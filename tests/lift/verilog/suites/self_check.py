"""Assertions that a test prints about its own variables, such as `$display(":assert: (%0d == 5)", total)`, evaluated on the netlist.

Only variables that initial blocks set for good, in designs without inputs, have a value here.
"""

from __future__ import annotations

import re

from lift.netlist.model import Netlist

_ASSERTION = re.compile(r'\$display\(\s*":assert:([^"]*)"\s*((?:,[^;]*)?)\)\s*;')
_FORMAT = re.compile(r"%0?\d*[dbhx]")
_SAFE = re.compile(r"[\w\s()=!<>'\"+\-*/,\[\]]*")


def holds(netlist: Netlist, text: str) -> bool | None:
    """Whether all assertions in `text` hold, None if there are none that can be evaluated."""
    verdicts = [_holds(netlist, found[1], found[2]) for found in _ASSERTION.finditer(text)]
    return None if not verdicts or None in verdicts else all(verdicts)


def _holds(netlist: Netlist, condition: str, arguments: str) -> bool | None:
    names = [name.strip() for name in arguments.split(",") if name.strip()]
    values = [_value(netlist, name) for name in names]
    formats = _FORMAT.findall(condition)
    if None in values or len(values) != len(formats):
        return None
    for form, value in zip(formats, values, strict=True):
        assert value is not None
        shown = {"d": str(value), "b": f"{value:b}"}.get(form[-1], f"{value:x}")
        condition = condition.replace(form, shown, 1)
    if not _SAFE.fullmatch(condition):
        return None
    try:
        return bool(eval(condition, {"__builtins__": {}}))
    except (SyntaxError, NameError, TypeError):
        return None


def _value(netlist: Netlist, name: str) -> int | None:
    if name.lstrip("-").isdigit():
        return int(name)
    node = netlist.wires.get(name)
    return node.attr if node is not None and node.op == "const" and not node.xmask and isinstance(node.attr, int) else None
