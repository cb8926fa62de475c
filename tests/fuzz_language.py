"""The selectors of an instruction set -> the element types and operators of the kernels that it can express; and which have a program alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from act.backend.compile import Backend, compile_module
from act.errors import UserError
from act.generator.model import Apply, InHost, Leaf, Pattern, Rules
from act.hlo import parse_module
from act.hlo.dtypes import integer_range, is_float, is_integer, width
from act.rewrites import RULES, vocabulary
from act.rewrites.model import Expressible


@dataclass(frozen=True, slots=True)
class Language:
    """`loaded` are the narrow element types, `computed` those of results of products and sums; `inputs` and `outputs` are in host memory.
    `alone`: operators in types that have a program, see `tried`; nothing is known when there are none."""

    loaded: tuple[str, ...]
    computed: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    operators: frozenset[str]
    alone: frozenset[tuple[str, str]] = frozenset()


def language(rules: Rules) -> Language:
    """What kernels may contain: operators of instructions, and those that rules turn into such."""
    known = Expressible(RULES, vocabulary(rules.selectors))
    operators = {name.partition(":")[0] for name in known.found if ":pred" not in name} | {"add" if "sum" in known else "sum"}
    types = {dtype: None for selector in rules.selectors for dtype in _types(selector.pattern)}
    if "sum" in operators and "negate" in operators:
        operators.add("subtract")
    loaded = [dtype for dtype in types if is_float(dtype) or (is_integer(dtype) and width(dtype) <= 16)]
    computed = [dtype for dtype in types if dtype not in loaded] or loaded
    read = [operand.dtype for each in rules.selectors for operand in each.operands if isinstance(operand.access, InHost)]
    written = [each.result.dtype for each in rules.selectors if isinstance(each.result.access, InHost)]
    inputs, outputs = (tuple(dict.fromkeys(each)) for each in (read or loaded, written or loaded))
    return Language(tuple(loaded or computed), tuple(computed), inputs, outputs, frozenset(operators))


def _types(pattern: Pattern) -> list[str]:
    match pattern:
        case Leaf(_, dtype, _): return [dtype]
        case Apply(_, _, dtype, _, children): return [dtype, *(each for child in children for each in _types(child))]
    return []


BUDGET = 5000
"""Of the compiler, for one operator."""


def tried(backend: Backend, known: Language) -> Language:
    """With what has a program alone: `add` in `s8`, `add:constant` with one value everywhere, `reduce:add` over rows, and so on."""
    dtypes = dict.fromkeys((*known.loaded, *known.computed))
    found = ((name, dtype) for dtype in dtypes for name, body in _alone(known, dtype) if _compiles(backend, body))
    return replace(known, alone=frozenset(found))


def _alone(known: Language, dtype: str) -> Iterator[tuple[str, str]]:
    """Bodies of small kernels."""
    a, b = (f"{name} = {dtype}[5,7] parameter({number})" for number, name in enumerate("ab"))
    fixed = f"k = {dtype}[] constant(3)\nc = {dtype}[5,7] broadcast(k), dimensions={{}}"
    narrow, wide, start = known.loaded[0], known.computed[0], f"z = {dtype}[] constant(0)"
    for name in ("add", "subtract", "multiply", "maximum", "minimum", "and", "or", "xor"):
        yield name, f"{a}\n{b}\nROOT r = {dtype}[5,7] {name}(a, b)"
        yield f"{name}:constant", f"{a}\n{fixed}\nROOT r = {dtype}[5,7] {name}(a, c)"
    yield "shift-left:constant", f"{a}\n{fixed}\nROOT r = {dtype}[5,7] shift-left(a, c)"
    for name in ("negate", "abs", "not", "exponential", "sign"):
        yield name, f"{a}\nROOT r = {dtype}[5,7] {name}(a)"
    yield "clamp", f"{a}\nl = {dtype}[] constant(-5)\nh = {dtype}[] constant(100)\nROOT r = {dtype}[5,7] clamp(l, a, h)"
    yield "saturate", _saturation(wide, dtype)
    yield "convert", f"a = {wide if dtype == narrow else narrow}[5,7] parameter(0)\nROOT r = {dtype}[5,7] convert(a)"
    for kind in ("add", "maximum", "minimum"):
        yield f"reduce:{kind}", f"{a}\n{start}\nROOT r = {dtype}[7] reduce(a, z), dimensions={{0}}, to_apply={kind}"
    yield "pad:interior", f"{a}\n{start}\nROOT r = {dtype}[9,7] pad(a, z), padding=0_0_1x0_0"
    rows, columns = f"a = {narrow}[5,7] parameter(0)", f"b = {narrow}[7,3] parameter(1)"
    yield "dot", f"{rows}\n{columns}\nROOT r = {dtype}[5,3] dot(a, b), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}"
    rows, columns = f"a = {dtype}[5] parameter(0)", f"b = {dtype}[3] parameter(1)"
    yield "dot:outer", f"{rows}\n{columns}\nROOT r = {wide}[5,3] dot(a, b), lhs_contracting_dims={{}}, rhs_contracting_dims={{}}"


def _saturation(wide: str, narrow: str) -> str:
    """A limited sum of products in fewer bits."""
    low, high = (0, 0) if is_float(narrow) else integer_range(narrow)
    bounds = f"l = {wide}[] constant({low})\nh = {wide}[] constant({high})"
    return f"a = {wide}[5,7] parameter(0)\n{bounds}\nc = {wide}[5,7] clamp(l, a, h)\nROOT r = {narrow}[5,7] convert(c)"


def _compiles(backend: Backend, body: str) -> bool:
    try:
        compile_module(backend, parse_module("\n".join(["ENTRY main {", body, "}"])), budget=BUDGET)
    except UserError:
        return False
    return True
