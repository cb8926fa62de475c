"""Why no program exists: the operator and the memories at which the search ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from act.backend.analysis import exact_range, integral
from act.backend.classes import ClassGraph, ENode
from act.backend.extract import Extraction
from act.backend.needs import Need
from act.generator.model import Apply, InHost, Pattern, Selector, Splat
from act.hlo.dtypes import integer_range
from act.records import dataclass, field
from act.taidl.model import Accelerator, Int

MOVES = ("reshape", "slice", "broadcast", "transpose", "reverse", "parameter", "constant", "assemble")
SHOWN = 3


def explain(extraction: Extraction, root: Need, output: str, accelerator: Accelerator) -> str:
    """The message for an output that cannot be computed."""
    graph = extraction.ways.graph
    blocked = sorted(_Blocked(extraction).first(root.number), key=lambda number: (_opcode(graph, number) in MOVES, number))
    computed = [number for number in blocked if _opcode(graph, number) not in MOVES] or blocked
    lines = [*(_line(extraction, number) for number in computed[:SHOWN]), *_rows(graph, extraction.ways.selectors, root.number)]
    return "\n  ".join([f"{accelerator.name} has no program for '{output}'; the search ended at", *lines])


def _rows(graph: ClassGraph, selectors: Sequence[Selector], output: int) -> Iterator[str]:
    """The first of the inputs, or the output, whose rows are not those in which instructions read and write host memory."""
    inputs = [number for number, nodes in graph.classes.items() if any(node.opcode == "parameter" for node in nodes)]
    reads, writes = [operand for each in selectors for operand in each.operands], [each.result for each in selectors]
    for numbers, places, verb in ((inputs, reads, "read"), ([output], writes, "written")):
        for shape in map(graph.shape, numbers):
            sizes = [place.dims[-1] for place in places if isinstance(place.access, InHost) and place.dtype == shape.dtype and place.dims]
            found = [size.value for size in sizes if isinstance(size, Int)]
            if shape.dims and found and len(found) == len(sizes) and all(shape.dims[-1] % size for size in found):
                yield f"{shape.dtype} is {verb} in rows of {min(found)} elements, and {shape} has rows of {shape.dims[-1]}: pad them to a multiple"
                return


@dataclass(slots=True)
class _Blocked:
    """Classes that are in no memory (inputs and constants are; parts count with their whole), and from which classes they would come.

    Classes that only come from each other are one group (a strongly connected component, by Tarjan's algorithm); the first that comes
    from no other group is where the search ended.
    """

    extraction: Extraction
    _needs: dict[int, list[Need]] = field(default_factory=dict)
    _low: dict[int, int] = field(default_factory=dict)
    _stack: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        solved = {need.number for need in self.extraction.best} | self.extraction.ways.matcher.parts
        for need in self.extraction.expanded:
            if need.number not in solved and not self.extraction.ways.is_leaf(need.number):
                self._needs.setdefault(need.number, []).append(need)

    def first(self, root: int) -> list[int]:
        """The group where the search ended; `root` itself when it is in some memory, but not where it is needed."""
        return self._visit(root) if root in self._needs else [root]

    def _visit(self, number: int) -> list[int]:
        order = self._low[number] = len(self._low)
        self._stack.append(number)
        for source in self._sources(number):
            if source not in self._low:
                found = self._visit(source)
                if found:
                    return found
            self._low[number] = min(self._low[number], self._low[source])
        if self._low[number] != order:
            return []
        return self._stack[self._stack.index(number) :]

    def _sources(self, number: int) -> Iterator[int]:
        for need in self._needs[number]:
            for way in self.extraction.expanded[need]:
                yield from (part.number for part in way.parts if part.number != number and part.number in self._needs)


def _opcode(graph: ClassGraph, number: int) -> str:
    return graph.classes[number][0].opcode


def _line(extraction: Extraction, number: int) -> str:
    graph = extraction.ways.graph
    node = graph.classes[number][0]
    operands = ", ".join(str(graph.shape(child)) for child in node.children)
    opcode = "add" if node.opcode == "sum" else node.opcode
    buffers = dict.fromkeys(need.buffer for need in extraction.expanded if need.number == number)
    line = f"{opcode}({operands}) -> {node.shape}, which no instruction computes into {' or '.join(buffers)}"
    types = dict.fromkeys(each.dtype for selector in extraction.ways.selectors for each in (*selector.operands, selector.result))
    if node.shape.dtype not in types:
        return f"{line}: the instructions are for {', '.join(types)}"
    selectors = extraction.ways.selectors
    return line + (_wraps(graph, node) if _computes(selectors, node.opcode) and _saturates(selectors, node.shape.dtype) else "")


def _computes(selectors: Sequence[Selector], opcode: str) -> bool:
    """Whether instructions compute an operator, if in another type; negation is a product."""
    found = {part.opcode for each in selectors for part in parts_of(each.pattern) if isinstance(part, Apply)}
    return opcode in found or (opcode in ("negate", "subtract") and "dot" in found)


def _wraps(graph: ClassGraph, node: ENode) -> str:
    """Why arithmetic, or a conversion to fewer bits, is not one that saturates: those are equal where no value is cut."""
    types = [graph.shape(child) for child in node.children]
    if not node.children or not all(integral(kind.dtype) for kind in (node.shape, *types)):
        return ""
    ranges = [graph.ranges.get(child, integer_range(kind.dtype)) for child, kind in zip(node.children, types, strict=True)]
    found, (least, most) = exact_range(node.opcode, node.attributes, ranges, types), integer_range(node.shape.dtype)
    if found is None or (least <= found[0] and found[1] <= most):
        return ""
    wide = "" if node.opcode == "convert" else "compute in a wider type and "
    proof = f"it is not proved that all values stay within [{least}, {most}] (range found: [{found[0]}, {found[1]}])"
    return f": instructions saturate where the kernel wraps, and {proof}; {wide}clamp to [{least}, {most}] before the conversion to {node.shape.dtype}"


def _saturates(selectors: Sequence[Selector], dtype: str) -> bool:
    """Whether what instructions convert to an integer type is limited to its range."""
    return integral(dtype) and any(_is_saturation(part, dtype) for each in selectors for part in parts_of(each.pattern))


def parts_of(pattern: Pattern) -> Iterator[Pattern]:
    """A pattern with all that is inside of it."""
    yield pattern
    if isinstance(pattern, Apply):
        for child in pattern.children:
            yield from parts_of(child)


def _is_saturation(part: Pattern, dtype: str) -> bool:
    if not isinstance(part, Apply) or (part.opcode, part.dtype) != ("convert", dtype):
        return False
    (limited,) = part.children
    bounds = [each.value for each in limited.children[::2] if isinstance(each, Splat)] if isinstance(limited, Apply) and limited.opcode == "clamp" else []
    return bounds == [*integer_range(dtype)]
