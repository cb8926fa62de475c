"""A module -> its saturated graph, and the best ways to compute the outputs.

First with the few rules that write the kernel in the operators of the accelerator and with one order for each sum; that is fast and mostly
enough.  Only a kernel that has no program so is looked at again with every rule, every order, and data moved in single rows and columns.
"""

from __future__ import annotations

from collections.abc import Sequence

from act.backend import modular, normalise, products, vectors
from act.backend.alike import one_of_each
from act.backend.analysis import integral
from act.backend.classes import Attributes, ClassGraph, Rule
from act.backend.dense import CONSTANTS, dense_tiles, move_is_product
from act.backend.dots import PLAIN_DOT
from act.backend.egraph import EGraph
from act.backend.extract import BudgetExhausted, Extraction
from act.backend.failure import explain, parts_of
from act.backend.lower import Lowering
from act.backend.matching import Matcher
from act.backend.memo import by_identity
from act.backend.needs import Need, StoreNeed, Way, Ways
from act.backend.prepare import prepared
from act.backend.registers import Registers
from act.backend.saturate import MOST_NEW, saturate
from act.backend.solutions import solutions_of
from act.backend.views import row_major
from act.backend.widening import COMPARISONS, CONVERSIONS, computes_wide, widens_by_products
from act.errors import UserError
from act.generator.model import Apply, OnChip, Pattern, Rules, Selector, Splat
from act.hlo.dtypes import integer_range, width
from act.hlo.flatten import flatten
from act.hlo.model import Module
from act.records import dataclass
from act.taidl.model import Accelerator

ADVICE = "rewrite the kernel with operators that the instruction set has, or describe more of its instructions"
THOROUGH = 4
"""A kernel that is looked at again with all rules and moves has this part of the budget for needs: each step takes longer, and few such are needed."""

EACH = 12
"""Parts of the budget for each node that all rules together add to a graph."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """A lowered module: its saturated graph, the names and classes of its inputs, and the names of its outputs; made by `rules`, and
    to be matched in a `thorough` way or not."""

    filename: str
    graph: ClassGraph
    live: EGraph
    inputs: tuple[tuple[str, int], ...]
    outputs: tuple[str, ...]
    rules: tuple[Rule, ...]
    thorough: bool


def lower(rules: Rules, module: Module, budget: int, thorough: bool = False) -> Kernel:
    """The e-graph of a module, cut into tiles and saturated."""
    graph, rewriting = EGraph(), rewrites(rules, thorough)
    computation, names = prepared(rules, flatten(module).main)
    types = dict.fromkeys(each.dtype for selector in rules.selectors for each in (*selector.operands, selector.result))
    lowering = Lowering(computation, graph, rules.tiles, module.filename, budget, types)
    parameters = [(each.name, lowering.parameter(each.name)) for each in computation.parameters]
    roots = [lowering.output(name) for name in computation.outputs]
    frozen = saturate(graph, roots, rewriting, reach=2 if thorough else 1, most=min(MOST_NEW, budget // EACH) if thorough else MOST_NEW)
    inputs = tuple((name, graph.find(number)) for name, number in parameters)
    return Kernel(module.filename, frozen, graph, inputs, names, rewriting, thorough)


def extract(accelerator: Accelerator, rules: Rules, kernel: Kernel, budget: int, host: str) -> Extraction:
    """The best ways to compute all outputs in memory `host`; `UserError` when one of them cannot be computed."""
    matcher = Matcher(kernel.graph, kernel.thorough, plain_products(rules.selectors), solutions_of(rules.selectors).trimmed())
    needs = [StoreNeed(number, host, row_major(kernel.graph.shape(number))) for number in kernel.graph.roots]
    known: dict[Need, list[Way]] = {}
    selectors = one_of_each(accelerator, rules.selectors)
    for split in (False, True):
        ways = Ways(matcher, selectors, Registers(accelerator), known if split else None)
        extraction = Extraction(ways, -(-budget // THOROUGH) if kernel.thorough else budget, dict(known))
        try:
            extraction.solve(needs)
        except BudgetExhausted:
            reason = f"no program was found with these rules within a budget of {budget} steps"
            raise UserError(kernel.filename, reason, "give a larger --budget") from None
        missing = [(need, name) for need, name in zip(needs, kernel.outputs, strict=True) if need not in extraction.best]
        if not missing:
            return extraction
        known = {need: extraction.expanded[need] for need in extraction.best}
    raise UserError(kernel.filename, explain(extraction, *missing[0], accelerator), ADVICE)


@by_identity
def rewrites(rules: Rules, thorough: bool) -> tuple[Rule, ...]:
    """The rules that matter for an accelerator; unless `thorough`, those that bring a kernel into its operators only."""
    if computes_modulo(rules.selectors):
        rectified = modular.RECTIFIED if rectifies(rules.selectors) else ()
        few = (*normalise.LIGHT, *products.LIGHT, *modular.PRODUCTS, *rectified)
    else:
        few = (*normalise.RULES, *products.RULES, *modular.MOVED)
    few = (*few, *map(modular.dot_of_transposed, transposed_products(rules.selectors)))
    if limits_to_one_side(rules.selectors):
        few = (*few, *normalise.APART)
    dense = dense_tiles(rules.selectors)
    if dense and computes_modulo(rules.selectors):
        few = (*few, *CONSTANTS, move_is_product(dense))
    if computes_wide(rules.selectors):
        few = (*few, *COMPARISONS, *(CONVERSIONS if widens_by_products(rules.selectors) else ()))
    if works_on_vectors(rules.selectors):
        few = (*few, *vectors.RULES)
    if not computes_modulo(rules.selectors) and rectifies_to_bytes(rules.selectors):
        few = (*few, *products.EXTREMES)
    if not thorough:
        return few
    from act.rewrites import for_vocabulary, vocabulary  # takes a while, and is mostly not needed

    every = (*few, *normalise.RULES, *products.RULES, *for_vocabulary(vocabulary(rules.selectors)))
    return tuple({each.name: each for each in every}.values())


def computes_modulo(selectors: Sequence[Selector]) -> bool:
    """Whether sums of bytes stay in some memory with what wraps around gone."""
    return any(width(each.result.dtype) == 8 and integral(each.result.dtype) and _adds(each.pattern) for each in selectors)


def works_on_vectors(selectors: Sequence[Selector]) -> bool:
    """Whether some instruction computes tensors of rank 1."""
    return any(len(each.result.dims) == 1 and isinstance(each.pattern, Apply) for each in selectors)


def _adds(pattern: Pattern) -> bool:
    return isinstance(pattern, Apply) and pattern.opcode == "sum"


def rectifies(selectors: Sequence[Selector]) -> bool:
    """Whether some instruction limits wide integers to 0 from below, and does nothing else to them but convert them."""
    return any(_rectified(part) for each in selectors for part in parts_of(each.pattern))


def rectifies_to_bytes(selectors: Sequence[Selector]) -> bool:
    """Whether some instruction limits integers from 0 to the greatest signed byte, and no other compares two tensors."""
    parts = [part for each in selectors for part in parts_of(each.pattern) if isinstance(part, Apply)]
    compared = [part for part in parts if part.opcode in ("maximum", "minimum", "compare") and not any(isinstance(child, Splat) for child in part.children)]
    limits = [[bound.value for bound in part.children[::2] if isinstance(bound, Splat)] for part in parts if part.opcode == "clamp"]
    return [0, integer_range("s8")[1]] in limits and not compared


def transposed_products(selectors: Sequence[Selector]) -> list[Attributes]:
    """The dimension numbers of products of matrices, other than those of rows with columns."""
    dots = [part for each in selectors for part in parts_of(each.pattern) if isinstance(part, Apply) and part.opcode == "dot" and len(part.dims) == 2]
    found = dict.fromkeys(part.attributes for part in dots if all(len(child.dims) == 2 for child in part.children))
    return [each for each in found if each != PLAIN_DOT and not any(dict(each)[f"{side}_batch_dims"] for side in ("lhs", "rhs"))]


def limits_to_one_side(selectors: Sequence[Selector]) -> bool:
    """Whether some instruction limits integers from below, or from above, by a constant that it is given."""
    return any(_one_sided(part) for each in selectors for part in parts_of(each.pattern))


def _one_sided(part: Pattern) -> bool:
    if not isinstance(part, Apply) or part.opcode != "clamp" or not integral(part.dtype):
        return False
    given = [isinstance(bound, Splat) and not isinstance(bound.value, int) for bound in part.children[::2]]
    ends = [isinstance(bound, Splat) and bound.value == end for bound, end in zip(part.children[::2], integer_range(part.dtype), strict=True)]
    return (given[0] and ends[1]) or (ends[0] and given[1])


def _rectified(part: Pattern) -> bool:
    if not isinstance(part, Apply) or part.opcode != "clamp" or part.dtype != modular.WIDE:
        return False
    limits = [bound.value for bound in part.children[::2] if isinstance(bound, Splat)]
    return limits == [0, integer_range(part.dtype)[1]]


@by_identity
def plain_products(selectors: Sequence[Selector]) -> frozenset[Pattern]:
    """The patterns of instructions that leave what they compute on chip."""
    return frozenset(each.pattern for each in selectors if isinstance(each.result.access, OnChip))
