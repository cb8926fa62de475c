"""Places of all values -> the words of tables from which instructions take their addresses, and the instructions that load them.

Every word is a sum of addresses, each in its bits.  Equal words are one.  The words that fit a table are one tensor of constants in host
memory, which is loaded before the first instruction that needs one of them; where the table is full the next ones take its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from act.backend.allocate import Allocation, addresses, alignment_of
from act.backend.cells import cells_of
from act.backend.classes import ClassGraph
from act.backend.emit import Operation
from act.backend.homes import Home
from act.backend.needs import OnChipNeed, Way, Ways
from act.backend.plan import Place, Plan, Step, Tensor
from act.backend.views import byte_size
from act.errors import UserError
from act.generator.blocks import with_matrices
from act.generator.macros import without_steps
from act.generator.model import OnChip, TableWord
from act.hlo.model import Shape
from act.records import dataclass, field
from act.taidl.expr import evaluate, lookups, names
from act.taidl.model import Accelerator, Binary, Buffer, Choice, Expr, Instruction, Int, Lookup, Part, Slice, Unary


class WrongWords(AssertionError):
    """An instruction would find other addresses in a table than those that were planned."""


@dataclass(slots=True)
class Microcode:
    """Adds words to `steps`; classes of constants to the graph of `ways`, tensors to `plan`, places to `allocation`."""

    ways: Ways
    host: str
    plan: Plan
    allocation: Allocation
    steps: Sequence[Step]
    filename: str
    _slots: dict[str, dict[int, int]] = field(default_factory=dict)

    def with_words(self) -> list[Step]:
        """The steps, and those that load words before them."""
        found: list[Step] = []
        waiting: list[Step] = []
        for step in self.steps:
            if step.match.selector.words and not self._fits(step):
                found += [*self._loads(), *waiting]
                waiting = []
                self._fits(step)
            waiting.append(step)
        return [*found, *self._loads(), *waiting]

    def _fits(self, step: Step) -> bool:
        """Gives the words of a step places in the tables; False when there are none."""
        values = addresses(step, self.allocation)
        places = {}
        for word in step.match.selector.words:
            slots = self._slots.setdefault(word.table, {})
            value = word_of(word, values)
            if value not in slots and len(slots) >= self.ways.registers.accelerator.buffers[word.table].access[0]:
                return False
            places[word.slot] = slots.setdefault(value, len(slots))
        self.allocation.slots[step] = places
        return True

    def _loads(self) -> list[Step]:
        """The steps that load the words found up to now; the tables are empty then."""
        steps = [step for table, slots in self._slots.items() for step in self._load(table, list(slots), 0)]
        self._slots.clear()
        return steps

    def _load(self, table: str, words: Sequence[int], first: int) -> Iterator[Step]:
        """As many words at once as an instruction takes."""
        count = len(words)
        while count:
            step = self._loaded(table, tuple(words[:count]), first)
            if step is not None:
                yield step
                yield from self._load(table, words[count:], first + count)
                return
            count -= 1
        if words:
            raise UserError(self.filename, f"no instruction loads words from host memory into {table}", "describe the instruction that does")

    def _loaded(self, table: str, words: tuple[int, ...], first: int) -> Step | None:
        buffer = self.ways.registers.accelerator.buffers[table]
        shape = Shape(buffer.element, (len(words),))
        number = self.ways.matcher.constant(words, shape)
        for way in self.ways.of(OnChipNeed(number, table, (0,))):
            step = self._step(way, shape)
            if step is not None and self._placed(step, buffer.access, first):
                return step
        return None

    def _step(self, way: Way, shape: Shape) -> Step | None:
        if way.match is None or len(way.views) != 1 or way.views[0] is None or way.views[0].base != way.need.number:
            return None
        tensor = Tensor("constant", way.need.number, self.host)
        return Step(way.need.number, way.match, way.requirements, [Place(tensor, way.views[0].offset, way.views[0].strides)])

    def _placed(self, step: Step, limits: tuple[int, ...], first: int) -> bool:
        """Gives the words their place in host memory and in the table."""
        access, (place,) = step.match.selector.result.access, step.operands
        assert isinstance(access, OnChip) and isinstance(place, Place)
        size = byte_size(self.ways.graph.shape(step.number))
        alignment = alignment_of([step])
        start = -(-max(self.allocation.memory.get(self.host, 0), alignment) // alignment) * alignment
        self.allocation.home[step] = Home(access.buffer, limits, (self.ways.graph.shape(step.number).dims[0],), 0, 0, at=(first,))
        self.allocation.offset = {**self.allocation.offset, step: (0,)}
        self.allocation.address[place.tensor] = start
        self.allocation.memory[self.host] = start + size
        self.plan.tensors.append(place.tensor)
        return True


def word_of(word: TableWord, values: Mapping[str, int]) -> int:
    """The word that says these addresses."""
    total = 0
    for each in word.fields:
        value = values[each.attribute]
        if not 0 <= value < 1 << each.width:
            advice = "make the kernel smaller, or the memories no larger than its words can say"
            raise UserError(None, f"address {value} does not fit {each.width} bits of a word of {word.table}", advice)
        total |= value << each.shift
    return total


def check_words(accelerator: Accelerator, target: Accelerator, graph: ClassGraph, issued: Sequence[Operation]) -> None:
    """Follows what is in the tables through the program: every address that an instruction computes from a word, by the slices of the TAIDL
    file, is the one that was planned.  Raises `WrongWords`."""
    contents: dict[str, dict[int, int]] = {}
    accelerator, buffers = with_matrices(accelerator), target.buffers
    for operation in issued:
        composite = target.composites.get(operation.name)
        planned = composite.operation if composite else target.instructions[operation.name]
        if operation.step is not None and operation.step.match.selector.words and composite is not None:
            _check_addresses(accelerator, planned, composite.parts[0], operation.attributes, contents)
            if accelerator.instructions[composite.parts[0].instruction].steps:
                _check_apart(buffers, planned, operation.attributes)
        if operation.step is not None and len(planned.writes) == 1 and len(planned.writes[0].slice.coordinates) == 1:
            _follow(planned.writes[0].slice, operation.attributes, graph, operation.step.number, contents)


def _check_apart(buffers: Mapping[str, Buffer], planned: Instruction, attributes: Mapping[str, int]) -> None:
    """A macro works row by row: no row may be read that another one has written."""
    written = [*(each.slice for each in planned.writes), *planned.clobbers]

    def cells(piece: Slice) -> set[int]:
        runs = cells_of(piece, buffers[piece.buffer].access + buffers[piece.buffer].unit).runs(attributes)
        return {cell for start, length in runs for cell in range(start, start + length)}

    for read in planned.reads:
        for piece in (each for each in written if each.buffer == read.slice.buffer and each != read.slice):
            if cells(read.slice) & cells(piece):
                raise WrongWords(f"{planned.name}: it reads rows of {piece.buffer} that it writes")


def _follow(piece: Slice, attributes: Mapping[str, int], graph: ClassGraph, number: int, contents: dict[str, dict[int, int]]) -> None:
    """What is written to a memory of single elements; nothing is known of what is no constant."""
    table, value = contents.setdefault(piece.buffer, {}), next(graph.nodes(number, "constant"), None)
    if value is None or len(piece.indices) != 1 or not isinstance(value.attribute("value"), tuple):
        table.clear()
        return
    for place, word in enumerate(value.attribute("value")):
        table[evaluate(piece.coordinates[0], {**attributes, piece.indices[0].name: place})] = word


def _check_addresses(
    accelerator: Accelerator, planned: Instruction, part: Part, attributes: Mapping[str, int], contents: Mapping[str, Mapping[int, int]]
) -> None:
    values = {**attributes, **{name: evaluate(value, attributes) for name, value in part.arguments.items()}}
    real = _executed(accelerator, part.instruction, values)
    pairs = zip((*real.reads, *real.writes), _same_order(real, planned), strict=True)
    for access, piece in pairs:
        known = {**values, **{index.name: 0 for index in piece.indices}}
        for coordinate, plan in zip(access.slice.coordinates, piece.coordinates, strict=True):
            if lookups(coordinate) and evaluate(_with_contents(coordinate, known, contents), known) != evaluate(plan, known):
                raise WrongWords(f"{part.instruction}: another address of {piece.buffer}")


def _executed(accelerator: Accelerator, name: str, values: Mapping[str, int]) -> Instruction:
    """The instruction, or the step of a macro that is done with these values of its attributes."""
    for form in without_steps(accelerator, accelerator.instructions[name]):
        given = all(values[attribute] == evaluate(value, values) for attribute, value in form.given.items())
        if given and all(evaluate(each, values) for each in form.operation.when if names(each) <= values.keys() and not lookups(each)):
            return form.operation
    raise WrongWords(f"{name} does nothing with {values}")


def _same_order(real: Instruction, planned: Instruction) -> Iterator[Slice]:
    """The slices of what was planned, in the order of those of the instruction."""
    yield from (read.slice for read in planned.reads)
    written = [planned.writes[0].slice, *planned.clobbers[len(real.clobbers) :]]
    for write in real.writes:
        which = next(number for number, piece in enumerate(written) if piece.buffer == write.slice.buffer)
        yield written.pop(which)


def _with_contents(expr: Expr, values: Mapping[str, int], contents: Mapping[str, Mapping[int, int]]) -> Expr:
    match expr:
        case Lookup(buffer, (index,)):
            place = evaluate(_with_contents(index, values, contents), values)
            if place not in contents.get(buffer, {}):
                raise WrongWords(f"a word of {buffer} is read that was not loaded")
            return Int(contents[buffer][place])
        case Binary(op, left, right):
            return Binary(op, _with_contents(left, values, contents), _with_contents(right, values, contents))
        case Unary(op, operand):
            return Unary(op, _with_contents(operand, values, contents))
        case Choice(condition, then, otherwise):
            return Choice(*(_with_contents(each, values, contents) for each in (condition, then, otherwise)))
    return expr
