"""The published spelling of semantics -> HLO text, line by line.

| published                                        | HLO                                                              |
|--------------------------------------------------|------------------------------------------------------------------|
| `bitcast_convert`, `dynamic_update_slice`, ...   | the same with hyphens; `exp` is `exponential`                    |
| `x = T[..] reduce_add(a), dimensions={1}`        | `x.init = T[] constant(0)` and a `reduce` with `to_apply=add`    |
| `x = T[..] select_lt(a, b, c, d)`                | `x.less = pred[..] compare(a, b), direction=LT` and a `select`   |
| `%c = T[1] constant(v)`, with `legacy`           | a scalar, where it is only broadcast                             |
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_LINE = re.compile(
    r"(?P<root>ROOT\s+)?(?P<name>%?[\w.-]+)\s*=\s*(?P<dtype>\w+)\[(?P<dims>[^\]]*)\]\s*(?P<opcode>[\w-]+)\((?P<operands>.*?)\)(?P<rest>.*)$", re.DOTALL
)
_ENTRY = re.compile(r"ENTRY\s+%?[\w.-]+[^{]*\{(.*)\}", re.DOTALL)
_NAMES = {"exp": "exponential", "bitcast_convert": "bitcast-convert", "dynamic_update_slice": "dynamic-update-slice", "dynamic_slice": "dynamic-slice"}
_INITIAL = {"add": "0", "mul": "1", "max": "-inf", "min": "inf"}
_KINDS = {"add": "add", "mul": "multiply", "max": "maximum", "min": "minimum"}


def body_text(text: str, legacy: bool = False) -> str:
    """What stands between the braces of `ENTRY name { ... }`, or all of `text`, as HLO, one instruction a line."""
    entry = _ENTRY.search(text)
    statements = [part.strip() for part in (entry[1] if entry else text).split(";")]
    lines = [line for part in statements if part for line in _line(part)]
    return "\n".join(_scalars(lines) if legacy else lines)


def first_statement(text: str) -> int:
    """How many lines stand before the first statement."""
    entry = _ENTRY.search(text)
    start = entry.start(1) if entry else 0
    return text[: start + len(text[start:]) - len(text[start:].lstrip())].count("\n")


def _line(text: str) -> Iterator[str]:
    match = _LINE.match(text)
    if match is None:
        yield text
        return
    name, shape, operands = match["name"], f"{match['dtype']}[{match['dims']}]", match["operands"]
    head, rest, opcode = f"{match['root'] or ''}{name} = {shape}", match["rest"], match["opcode"]
    kind = opcode.removeprefix("reduce_")
    if opcode.startswith("reduce_") and kind in _KINDS:
        yield f"{name}.init = {match['dtype']}[] constant({_initial(kind, match['dtype'])})"
        yield f"{head} reduce({operands}, {name}.init){rest}, to_apply={_KINDS[kind]}"
    elif opcode == "select_lt":
        a, b, *chosen = (operand.strip() for operand in operands.split(","))
        yield f"{name}.less = pred[{match['dims']}] compare({a}, {b}), direction=LT"
        yield f"{head} select({name}.less, {', '.join(chosen)}){rest}"
    else:
        yield f"{head} {_NAMES.get(opcode, opcode)}({operands}){rest}"


def _initial(kind: str, dtype: str) -> str:
    from act.hlo.dtypes import integer_range, is_float, is_integer

    if is_float(dtype) or kind in ("add", "mul") or not is_integer(dtype):
        return _INITIAL[kind]
    return str(integer_range(dtype)[kind == "min"])


def _scalars(lines: list[str]) -> list[str]:
    """Constants of one element without braces, used only where all dimensions are broadcast ones, lose their dimension."""
    found = [match for line in lines if (match := _LINE.match(line)) is not None]
    for match in found:
        plain = match["opcode"] == "constant" and match["dims"].strip() == "1" and "{" not in match["operands"]
        users = [each for each in found if match["name"] in re.findall(r"%?[\w.-]+", each["operands"])]
        if plain and users and all(each["opcode"] == "broadcast" and re.search(r"dimensions=\{\s*\}", each["rest"]) for each in users):
            lines = [line.replace(f"{match['dtype']}[{match['dims']}]", f"{match['dtype']}[]", 1) if line == match.string else line for line in lines]
    return lines
