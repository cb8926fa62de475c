"""HLO text -> e-graph, and e-nodes -> HLO again, so that what a rule proposes can be evaluated like any kernel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from act.backend.classes import ClassGraph, ENode, Rule
from act.backend.egraph import EGraph
from act.hlo import Computation, Instruction, Shape, flatten, parse_module

Child = int | ENode


def computation(parameters: str, *lines: str) -> Computation:
    """`parameters` as `a:s8[2,3] b:s8[3]`; the last of the lines is the root."""
    declared = [f"{name} = {shape} parameter({number})" for number, (name, shape) in enumerate(each.split(":") for each in parameters.split())]
    return flatten(parse_module("\n".join(["ENTRY main {", *declared, *lines, "}"]))).main


def graph_of(kernel: Computation) -> tuple[EGraph, int]:
    """One class per instruction, and that of the root."""
    graph = EGraph()
    known: dict[str, int] = {}
    for each in kernel:
        assert isinstance(each.shape, Shape)
        known[each.name] = graph.make(each.opcode, each.key, each.shape, [known[operand] for operand in each.operands])
    return graph, known[kernel.root]


def frozen(kernel: Computation) -> ClassGraph:
    graph, root = graph_of(kernel)
    graph.rebuild()
    return graph.freeze([root])


def proposals(graph: ClassGraph, rules: tuple[Rule, ...]) -> Iterator[tuple[Rule, ENode, Child]]:
    """Everything that the rules say of any node, once."""
    for _, node in graph:
        for rule in rules:
            if node.opcode in rule.opcodes:
                yield from ((rule, node, found) for found in rule.apply(graph, node))


@dataclass(slots=True)
class Extraction:
    """Terms of a frozen graph as computations over the parameters; of each class the node of least depth is taken."""

    graph: ClassGraph
    _depths: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        before = -1
        while before != len(self._depths) or self._improve():
            before = len(self._depths)
            self._improve()

    def _improve(self) -> bool:
        changed = False
        for number, node in self.graph:
            if all(child in self._depths for child in node.children):
                depth = 1 + max((self._depths[child] for child in node.children), default=0)
                if depth < self._depths.get(number, depth + 1):
                    self._depths[number], changed = depth, True
        return changed

    def of(self, root: Child, parameters: tuple[Instruction, ...]) -> Computation:
        emitted: dict[Child, Instruction] = {}
        name = self._emit(root, emitted)
        others = [each for each in parameters if each not in emitted.values()]
        return Computation("main", (*others, *emitted.values()), name)

    def _emit(self, child: Child, emitted: dict[Child, Instruction]) -> str:
        if child in emitted:
            return emitted[child].name
        node = child if isinstance(child, ENode) else self._best(child)
        operands = tuple(self._emit(each, emitted) for each in node.children)
        name = f"v{len(emitted)}"
        for position, operand in enumerate(operands[1:-1] if node.opcode == "sum" else ()):
            partial = f"{name}.{position}"
            emitted[ENode("partial", (("name", partial),), node.shape)] = Instruction(partial, node.shape, "add", (operands[0], operand))
            operands = (partial, *operands[1:])
        if node.opcode == "sum":
            operands = (operands[0], operands[-1])
        if node.opcode == "parameter":
            name = f"p{node.attribute('number')}"
        emitted[child] = Instruction(name, node.shape, "add" if node.opcode == "sum" else node.opcode, operands, dict(node.attributes))
        return name

    def _best(self, number: int) -> ENode:
        def depth(node: ENode) -> int:
            return 1 + max((self._depths.get(child, 10**6) for child in node.children), default=0)

        return min(self.graph.classes[number], key=depth)


def inputs(kernel: Computation) -> tuple[Instruction, ...]:
    """The parameters under the names that `Extraction` gives them."""
    return tuple(Instruction(f"p{each.attributes['number']}", each.shape, "parameter", (), each.attributes) for each in kernel.parameters)
