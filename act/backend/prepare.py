"""A flat HLO computation -> one of operators that lowering can cut into tiles and that instructions have, before anything is cut.

The order matters: what is known when a kernel is compiled first; then what turns convolutions and windows into products and slices; then what
brings the operands of products to the form in which machines take them; and at last the form of outputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from act.backend.copies import computes_copies, copies_as_limits
from act.backend.failure import parts_of
from act.backend.fold import fold_constants
from act.backend.memo import by_identity
from act.backend.outer import multiplies_matrices_only
from act.backend.reductions import reductions_as_products
from act.backend.terms import multiplies_elements_only, products_as_terms
from act.backend.wide_results import gives_bytes_only, wide_results_as_bytes
from act.backend.zero_points import multiplies_bytes, products_without_zero_points, unsigned_as_signed
from act.generator.model import Apply, Rules, Selector
from act.hlo.model import Computation


def prepared(rules: Rules, computation: Computation) -> tuple[Computation, tuple[str, ...]]:
    """The computation, and the names of its outputs as the kernel has them."""
    selectors = rules.selectors
    bytewise = multiplies_bytes(selectors)
    computation = _where(fold_constants(computation), ["select", "dynamic-slice", "dynamic-update-slice"], "masks", "choices_as_pieces")
    if bytewise:
        computation = unsigned_as_signed(computation)
    if multiplies_matrices_only(selectors):
        computation = _where(computation, ["multiply"], "outer", "multiples_as_products")
    computation = _where(computation, ["dot"], "outer", "products_over_a_dimension")
    computation = _where(computation, ["transpose", "convolution"], "outward", "transposes_after_arithmetic")
    computation = _where(computation, ["convolution"], "convolutions", "convolutions_as_products")
    computation = _where(computation, ["pad", "reduce-window"], "gaps", "gaps_as_edges")
    computation = _where(computation, ["reduce-window"], "windows", "windows_as_slices")
    computation = _where(reductions_as_products(computation, reduced_by(selectors), rules.tiles.columns), ["convert"], "inward", "moves_before_conversions")
    if multiplies_elements_only(selectors):
        computation = products_as_terms(computation)
    if bytewise:
        computation = products_without_zero_points(computation)
    names = computation.outputs
    if computes_copies(selectors):
        computation = copies_as_limits(computation)
    if gives_bytes_only(selectors):
        computation = wide_results_as_bytes(computation, rules.tiles)
    return computation, names


@by_identity
def reduced_by(selectors: Sequence[Selector]) -> frozenset[tuple[str, str, tuple[int, ...]]]:
    """The reductions that instructions do, see reductions.py."""
    parts = [part for each in selectors for part in parts_of(each.pattern) if isinstance(part, Apply) and part.opcode == "reduce"]
    found = [(dict(part.attributes), part.dtype, len(part.children[0].dims)) for part in parts]
    return frozenset((given["kind"], dtype, tuple(axis - rank for axis in given["dimensions"])) for given, dtype, rank in found)


def _where(computation: Computation, opcodes: Sequence[str], module: str, name: str) -> Computation:
    """A pass that is for some operators, where there are any; it is imported only there."""
    if not any(each.opcode in opcodes for each in computation):
        return computation
    return getattr(import_module(f"act.backend.{module}"), name)(computation)
