"""A module -> its saturated graph, and the best ways to compute the outputs.

First with the few rules that write the kernel in the operators of the accelerator and with one order for each sum; that is fast and mostly
enough.  Only a kernel that has no program so is looked at again with every rule, every order, and data moved in single rows and columns.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from act.backend import float_products, modular, normalise, products, vectors
from act.backend.alike import one_of_each
from act.backend.analysis import integral
from act.backend.classes import Attributes, ClassGraph, Rule
from act.backend.dense import CONSTANTS, dense_tiles, move_is_product
from act.backend.dots import PLAIN_DOT
from act.backend.egraph import EGraph
from act.backend.extract import BudgetExhausted, Extraction
from act.backend.failure import explain, parts_of
from act.backend.loads import in_loads, short_loads
from act.backend.lower import Lowering
from act.backend.matching import Matcher
from act.backend.memo import by_identity
from act.backend.needs import Need, StoreNeed, Ways
from act.backend.prepare import prepared
from act.backend.registers import Registers
from act.backend.saturate import MOST_NEW, saturate
from act.backend.solutions import solutions_of
from act.backend.views import row_major
from act.backend.widening import COMPARISONS, CONVERSIONS, computes_wide, widens_by_products
from act.errors import UserError
from act.generator.model import Apply, OnChip, Pattern, Rules, Selector, Splat
from act.hlo.dtypes import integer_range, is_float, width
from act.hlo.flatten import flatten
from act.hlo.model import Module
from act.records import dataclass, field, replace
from act.taidl.model import Accelerator

ADVICE = "rewrite the kernel with operators that the instruction set has, or describe more of its instructions"
THOROUGH = 4
"""A kernel that is looked at again with all rules and moves has this part of the budget for needs: each step takes longer, and few such are needed."""

EACH = 12
"""Parts of the budget for each node that all rules together add to a graph."""

OF_SUMS = ("sum_of_sums", "difference_is_sum", "reversal_is_product")
"""Rules whose proposals in a narrow type lead nowhere on a machine that computes those in 32 bits: they are made of the wide ones as well."""

WIDE = 32


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


def extract(accelerator: Accelerator, rules: Rules, kernel: Kernel, budget: int, host: str) -> tuple[Kernel, Extraction]:
    """The best ways to compute all outputs in memory `host`, and the kernel with what was added to its graph to find them; `UserError` when
    one of them cannot be computed."""
    selectors = one_of_each(accelerator, rules.selectors)
    found = _Selection(accelerator, rules, selectors, kernel, budget, host)
    missing = found.missing()
    if missing and (more := _with_low_bytes(rules, kernel)) is not None:
        found = _Selection(accelerator, rules, selectors, more, budget, host)
        missing = found.missing()
    if missing:
        missing = found.missing(split=True)
    if missing:
        raise UserError(kernel.filename, explain(found.extraction, *missing[0], accelerator), ADVICE)
    return found.kernel, found.extraction


def _with_low_bytes(rules: Rules, kernel: Kernel) -> Kernel | None:
    """The kernel with low bytes as products; None where there are none."""
    from act.backend.low_bytes import stores_wide, with_low_bytes  # mostly not needed

    if computes_modulo(rules.selectors) or not stores_wide(rules.selectors):
        return None
    graph = with_low_bytes(kernel.live, kernel.graph, rules.tiles)
    return graph and replace(kernel, graph=graph, inputs=tuple((name, kernel.live.find(number)) for name, number in kernel.inputs))


@dataclass(slots=True)
class _Selection:
    """The search for ways on the graph of one kernel."""

    accelerator: Accelerator
    rules: Rules
    selectors: Sequence[Selector]
    kernel: Kernel
    budget: int
    host: str
    extraction: Extraction = field(init=False)
    _matcher: Matcher = field(init=False)

    def __post_init__(self) -> None:
        given = self.rules.selectors
        self._matcher = Matcher(self.kernel.graph, self.kernel.thorough, plain_products(given), solutions_of(given).trimmed())

    def missing(self, split: bool = False) -> list[tuple[Need, str]]:
        """The outputs that cannot be computed, or (`split`) not even where data is moved row by row."""
        needs = [StoreNeed(number, self.host, row_major(self.kernel.graph.shape(number))) for number in self.kernel.graph.roots]
        known = {need: self.extraction.expanded[need] for need in self.extraction.best} if split else {}
        ways = Ways(self._matcher, self.selectors, Registers(self.accelerator), known if split else None)
        self.extraction = Extraction(ways, -(-self.budget // THOROUGH) if self.kernel.thorough else self.budget, dict(known))
        try:
            self.extraction.solve(needs)
        except BudgetExhausted:
            reason = f"no program was found with these rules within a budget of {self.budget} steps"
            raise UserError(self.kernel.filename, reason, "give a larger --budget") from None
        return [(need, name) for need, name in zip(needs, self.kernel.outputs, strict=True) if need not in self.extraction.best]


@by_identity
def rewrites(rules: Rules, thorough: bool) -> tuple[Rule, ...]:
    """The rules that matter for an accelerator; unless `thorough`, those that bring a kernel into its operators only."""
    if computes_modulo(rules.selectors):
        rectified = modular.RECTIFIED if rectifies(rules.selectors) else ()
        few = (*normalise.LIGHT, *products.LIGHT, *modular.PRODUCTS, *rectified)
    else:
        added = sums_in(rules.selectors)
        few = tuple(_where_added(added, each) for each in (*normalise.RULES, *products.RULES, *modular.MOVED))
    few = (*few, *map(modular.dot_of_transposed, transposed_products(rules.selectors)))
    if limits_to_one_side(rules.selectors):
        few = (*few, *normalise.APART)
    dense = dense_tiles(rules.selectors)
    if dense and computes_modulo(rules.selectors):
        few = (*few, *CONSTANTS, move_is_product(dense))
    few = (*few, *_of_float_products(rules.selectors))
    if computes_wide(rules.selectors):
        few = (*few, *COMPARISONS, *(CONVERSIONS if widens_by_products(rules.selectors) else ()))
    if works_on_vectors(rules.selectors):
        few = (*few, *vectors.RULES)
    if multiplies_vectors(rules.selectors):
        few = (*few, *vectors.OUTER)
    if short := short_loads(rules.selectors):
        few = (*few, in_loads(short))
    if not computes_modulo(rules.selectors) and rectifies_to_bytes(rules.selectors):
        few = (*few, *products.EXTREMES)
    if not thorough:
        return few
    from act.rewrites import for_vocabulary, vocabulary  # takes a while, and is mostly not needed

    if widens_by_products(rules.selectors):
        few = (*few, *CONVERSIONS)
    every = (*few, *normalise.RULES, *products.RULES, *for_vocabulary(vocabulary(rules.selectors)))
    return tuple({each.name: each for each in every}.values())


def _of_float_products(selectors: Sequence[Selector]) -> Iterator[Rule]:
    parts = [part for each in selectors for part in parts_of(each.pattern) if isinstance(part, Apply) and is_float(part.dtype)]
    if any(part.opcode == "dot" and part.dtype == float_products.SINGLE for part in parts):
        yield from float_products.ROUNDED
    if any(part.opcode == "add" and any(isinstance(child, Apply) and child.opcode == "dot" for child in part.children) for part in parts):
        yield from float_products.ONTO_ZERO


def sums_in(selectors: Sequence[Selector]) -> frozenset[str]:
    """The types in which instructions add."""
    return frozenset(part.dtype for each in selectors for part in parts_of(each.pattern) if _adds(part))


def _where_added(dtypes: Container[str], rule: Rule) -> Rule:
    """The rule, if it is of sums, for types in which instructions add and for wide ones only."""
    if rule.name not in OF_SUMS:
        return rule
    return replace(rule, apply=lambda graph, node: rule.apply(graph, node) if node.shape.dtype in dtypes or width(node.shape.dtype) >= WIDE else ())


def computes_modulo(selectors: Sequence[Selector]) -> bool:
    """Whether sums of bytes stay in some memory with what wraps around gone."""
    return any(width(each.result.dtype) == 8 and integral(each.result.dtype) and _adds(each.pattern) for each in selectors)


def works_on_vectors(selectors: Sequence[Selector]) -> bool:
    """Whether some instruction computes tensors of rank 1."""
    return any(len(each.result.dims) == 1 and isinstance(each.pattern, Apply) for each in selectors)


def multiplies_vectors(selectors: Sequence[Selector]) -> bool:
    """Whether some instruction multiplies a column with a row."""
    dots = (part for each in selectors for part in parts_of(each.pattern) if isinstance(part, Apply) and part.opcode == "dot")
    return any(not dict(part.attributes)["lhs_contracting_dims"] for part in dots)


def _adds(pattern: Pattern) -> bool:
    return isinstance(pattern, Apply) and pattern.opcode == "sum"


def rectifies(selectors: Sequence[Selector]) -> bool:
    """Whether some instruction limits wide integers to 0 from below, and does nothing else to them but convert them."""
    return any(_rectified(part) for each in selectors for part in parts_of(each.pattern))


def rectifies_to_bytes(selectors: Sequence[Selector]) -> bool:
    """Whether some instruction limits integers from 0 to the greatest signed byte, and no other compares two tensors."""
    parts = [part for each in selectors for part in parts_of(each.pattern) if isinstance(part, Apply)]
    compared = any(_compares(_unconverted(each.pattern)) for each in selectors)
    limits = [[bound.value for bound in part.children[::2] if isinstance(bound, Splat)] for part in parts if part.opcode == "clamp"]
    return [0, integer_range("s8")[1]] in limits and not compared


def _compares(pattern: Pattern) -> bool:
    """Does an instruction give the greater or the lesser of two tensors, or say which it is?"""
    if not isinstance(pattern, Apply):
        return False
    if pattern.opcode == "select":
        condition, *branches = pattern.children
        return isinstance(condition, Apply) and condition.opcode == "compare" and all(branch in condition.children for branch in branches)
    return pattern.opcode in ("maximum", "minimum", "compare") and not any(isinstance(child, Splat) for child in pattern.children)


def _unconverted(pattern: Pattern) -> Pattern:
    """What an instruction computes but for the type of the result."""
    while isinstance(pattern, Apply) and pattern.opcode in ("convert", "bitcast-convert"):
        pattern = pattern.children[0]
    return pattern


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
