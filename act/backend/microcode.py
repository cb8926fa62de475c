"""Places of all values -> the words of tables from which instructions take their addresses, and the instructions that load them.

Every word is a sum of addresses, each in its bits.  Equal words are one.  The words that fit a table are one tensor of constants in host
memory, which is loaded before the first instruction that needs one of them; where the table is full the next ones take its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from act.backend.allocate import Allocation, addresses, alignment_of
from act.backend.homes import Home
from act.backend.needs import OnChipNeed, Way, Ways
from act.backend.plan import Place, Plan, Step, Tensor
from act.backend.views import byte_size
from act.errors import UserError
from act.generator.model import OnChip, TableWord
from act.hlo.model import Shape
from act.records import dataclass, field


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
