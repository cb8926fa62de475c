"""Outputs that are declared to take over the memory of an input -> a plan that reads every byte of the input before it is overwritten."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from act.backend.classes import ClassGraph
from act.backend.plan import Place, Plan, Step, Tensor
from act.backend.views import View, byte_size, extent
from act.errors import UserError


def share(plan: Plan, graph: ClassGraph, aliases: Mapping[int, str], filename: str) -> None:
    """`aliases` gives the number of an output the name of an input.  Changes `plan`; `UserError` for what cannot be shared."""
    inputs = dict(plan.inputs)
    for number, name in aliases.items():
        if not 0 <= number < len(plan.outputs) or name not in inputs:
            known = f"out0 to out{len(plan.outputs) - 1} and {', '.join(inputs) or 'no input'}"
            raise UserError(filename, f"'out{number}' cannot take over the memory of '{name}': the kernel has {known}", "name an output and an input")
        output, source = plan.outputs[number], inputs[name]
        sizes = [byte_size(graph.shape(tensor.number)) for tensor in (output, source)]
        if sizes[0] != sizes[1] or source in plan.shared.values():
            why = "another output has it" if source in plan.shared.values() else f"it has {sizes[1]} bytes, and the output {sizes[0]}"
            raise UserError(filename, f"'out{number}' cannot take over the memory of '{name}': {why}", "share inputs and outputs one to one")
        plan.shared[output] = source
        _order(plan, graph, output, source)
    if _cyclic(plan):
        raise UserError(filename, "an output cannot take over the memory of an input: its parts are needed after they are overwritten", "do not share it")


def _order(plan: Plan, graph: ClassGraph, output: Tensor, source: Tensor) -> None:
    """Whatever reads a byte comes before what overwrites it."""
    readers = [(step, span) for step in plan.steps() for span in _read(step, graph, source)]
    for writer in output.writers:
        assert writer.target is not None
        low, high = _span(writer.target, writer.number, graph)
        writer.after += dict.fromkeys(step for step, (first, last) in readers if step is not writer and first < high and low < last)


def _read(step: Step, graph: ClassGraph, source: Tensor) -> Iterator[tuple[int, int]]:
    for operand, number in zip(step.operands, step.match.operands, strict=True):
        if isinstance(operand, Place) and operand.tensor is source:
            yield _span(operand, number, graph)


def _span(place: Place, number: int, graph: ClassGraph) -> tuple[int, int]:
    """The first byte of a place and the end of its bytes."""
    return extent(graph.shape(number), View(place.tensor.number, place.offset, place.strides))


def _cyclic(plan: Plan) -> bool:
    """Whether some step would have to come before itself."""
    state: dict[Step, bool] = {}
    pending = [(step, False) for step in plan.steps()]
    while pending:
        step, done = pending.pop()
        if done:
            state[step] = True
        elif step not in state:
            state[step] = False
            pending.append((step, True))
            for before in step.dependencies():
                if state.get(before) is False:
                    return True
                pending.append((before, False))
    return False
