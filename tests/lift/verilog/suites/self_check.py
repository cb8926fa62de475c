"""Assertions that a test prints about its own variables, such as `$display(":assert: (%0d == 5)", total)`, evaluated on the netlist.

Only variables that initial blocks set for good, in designs without inputs, have a value here: the last one, so that nothing may be assigned
after the first assertion.  The netlist knows no signs: a value may be read either way.
"""

from __future__ import annotations

import re
from itertools import product

from lift.netlist.model import Netlist

_ASSERTION = re.compile(r'\$display\(\s*":assert:([^"]*)"\s*((?:,[^;]*)?)\)\s*;')
_ASSIGNMENT = re.compile(r"[^=!<>]=[^=]|<=|\+\+|--")
_FORMAT = re.compile(r"%0?\d*[dbhx]")
_SAFE = re.compile(r"[\w\s()=!<>'\"+\-*/,\[\]]*")


def holds(netlist: Netlist, text: str) -> bool | None:
    """Whether all assertions in `text` hold, None if there are none that can be evaluated."""
    found = list(_ASSERTION.finditer(text))
    if not found or "function" in text or _ASSIGNMENT.search(_ASSERTION.sub("", text[found[0].start() :])):
        return None
    verdicts = [_holds(netlist, assertion[1], assertion[2]) for assertion in found]
    return None if None in verdicts else all(verdicts)


def _holds(netlist: Netlist, condition: str, arguments: str) -> bool | None:
    names = [name.strip() for name in arguments.split(",") if name.strip()]
    values = [_value(netlist, name) for name in names]
    formats = _FORMAT.findall(condition)
    if len(values) != len(formats) or not all(values):
        return None
    verdicts = [_evaluate(condition, formats, choice) for choice in product(*values)]
    return None if None in verdicts else any(verdicts)


def _evaluate(condition: str, formats: list[str], values: tuple[int, ...]) -> bool | None:
    for form, value in zip(formats, values, strict=True):
        shown = {"d": str(value), "b": f"{value:b}"}.get(form[-1], f"{value:x}")
        condition = condition.replace(form, shown, 1)
    if not _SAFE.fullmatch(condition):
        return None
    try:
        return bool(eval(condition.strip(), {"__builtins__": {}}))
    except (SyntaxError, NameError, TypeError):
        return None


def _value(netlist: Netlist, name: str) -> list[int]:
    """The value without and with a sign; none where it is not known."""
    if name.lstrip("-").isdigit():
        return [int(name)]
    node = netlist.wires.get(name)
    if node is None or node.op != "const" or node.xmask or not isinstance(node.attr, int):
        return []
    return [node.attr] if not node.attr >> (node.width - 1) else [node.attr, node.attr - (1 << node.width)]
