"""Kernels in bytes whose arithmetic wraps: sums, differences, limits, reversals, sums over columns and products of 16x16 tiles.

`composite(text)` is a sum of products such as "A*B + C"; `wrapping(seed)` a random graph, all of whose values count for the result.
"""

from __future__ import annotations

from random import Random

TILE = "s8[16,16]"
DOT = "lhs_contracting_dims={1}, rhs_contracting_dims={0}"
REDUCER = "add8 {\n  x = s8[] parameter(0)\n  y = s8[] parameter(1)\n  ROOT z = s8[] add(x, y)\n}\n\n"


def module(lines: list[str]) -> str:
    return "\n".join(["HloModule wrapping", "", f"{REDUCER}ENTRY main {{", *(f"  {line}" for line in lines[:-1]), f"  ROOT {lines[-1]}", "}", ""])


def composite(text: str) -> str:
    """Products from left to right, then sums from left to right."""
    letters = sorted(set(text) & set("ABCD"))
    lines = [f"{letter} = {TILE} parameter({number})" for number, letter in enumerate(letters)]

    def joined(terms: list[str], opcode: str, tail: str) -> str:
        result = terms[0]
        for term in terms[1:]:
            lines.append(f"v{len(lines)} = {TILE} {opcode}({result}, {term}){tail}")
            result = f"v{len(lines) - 1}"
        return result

    joined([joined(product.strip().split("*"), "dot", f", {DOT}") for product in text.split("+")], "add", "")
    return module(lines)


def wrapping(seed: int, size: int = 12) -> str:
    """The same text for the same seed."""
    random = Random(seed)
    lines: list[str] = []
    unused: list[str] = []
    values: list[str] = []

    def emit(shape: str, value: str) -> str:
        lines.append(f"v{len(lines)} = {shape} {value}")
        return f"v{len(lines) - 1}"

    def new(value: str) -> None:
        values.append(emit(TILE, value))
        unused.append(values[-1])

    def take() -> str:
        found = random.choice(values)
        if found in unused:
            unused.remove(found)
        return found

    def constant() -> str:
        return emit(TILE, f"broadcast({emit('s8[]', f'constant({random.randint(-32, 32)})')}), dimensions={{}}")

    for number in range(random.randint(1, 3)):
        new(f"parameter({number})")
    for _ in range(size):
        kind = random.choice(["add", "subtract", "negate", "minimum", "maximum", "clamp", "reverse", "reduce", "dot", "constant"])
        if kind == "constant":
            values.append(constant())
        elif kind == "negate":
            new(f"negate({take()})")
        elif kind == "reverse":
            new(f"reverse({take()}), dimensions={{{random.choice(['0', '1', '0,1'])}}}")
        elif kind == "clamp":
            new(f"clamp({constant()}, {take()}, {constant()})")
        elif kind == "reduce":
            axis = random.randint(0, 1)
            sums = emit("s8[16]", f"reduce({take()}, {emit('s8[]', 'constant(0)')}), dimensions={{{axis}}}, to_apply=add8")
            new(f"broadcast({sums}), dimensions={{{random.randint(0, 1)}}}")
        else:
            new(f"{kind}({take()}, {take()})" + (f", {DOT}" if kind == "dot" else ""))
    result = unused[0] if unused else values[-1]
    for each in unused[1:]:
        result = emit(TILE, f"add({result}, {each})")
    return module([*(line for line in lines if not line.startswith(f"{result} ")), next(line for line in lines if line.startswith(f"{result} "))])
