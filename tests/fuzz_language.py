"""The selectors of an instruction set -> the element types and operators of the kernels that it can express."""

from __future__ import annotations

from dataclasses import dataclass

from act.generator.model import Apply, InHost, Leaf, Pattern, Rules
from act.hlo.dtypes import is_float, is_integer, width
from act.rewrites import RULES, vocabulary
from act.rewrites.model import Expressible


@dataclass(frozen=True, slots=True)
class Language:
    """`loaded` are the narrow element types, `computed` those of results of products and sums; `inputs` and `outputs` are in host memory."""

    loaded: tuple[str, ...]
    computed: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    operators: frozenset[str]


def language(rules: Rules) -> Language:
    """What kernels may contain: operators of instructions, and those that rules turn into such."""
    known = Expressible(RULES, vocabulary(rules.selectors))
    operators = {name.partition(":")[0] for name in known.found if ":pred" not in name} | {"add" if "sum" in known else "sum"}
    types = {dtype: None for selector in rules.selectors for dtype in _types(selector.pattern)}
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
