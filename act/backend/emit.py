"""Steps with places -> a program: commands with all attributes, configuration before them, and the memory map."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from act.backend.allocate import Allocation, addresses
from act.backend.classes import ClassGraph
from act.backend.configure import Configurator, next_needs
from act.backend.constants import constant_bytes
from act.backend.ordering import Ordering
from act.backend.plan import Plan, Step, Tensor
from act.errors import UserError
from act.generator.finish import finisher
from act.generator.model import Rules
from act.program import Command, Program, Region
from act.records import dataclass
from act.taidl.encode import EncodeError, encode, expand
from act.taidl.expr import evaluate
from act.taidl.model import Accelerator


@dataclass(frozen=True, slots=True)
class Operation:
    """A step as it is issued: `name` with `attributes`; `step` is None for a configuration instruction."""

    name: str
    attributes: Mapping[str, int]
    step: Step | None = None


def operations(accelerator: Accelerator, rules: Rules, steps: Sequence[Step], allocation: Allocation) -> list[Operation]:
    """The steps with their addresses, and between them what they must come after and the configuration instructions; at the end the
    instruction that says that the program is done, if there is one."""
    configurator, ordering = Configurator(accelerator, rules.setters), Ordering(accelerator)
    following = next_needs([step.requirements for step in steps])
    result: list[Operation] = []
    for step, later in zip(steps, following, strict=True):
        for fence in ordering.before(step.match.selector.name):
            result.append(Operation(fence.name, fence.attributes))
            configurator.apply(accelerator.instructions[fence.name].sets, fence.attributes)
        for setting in configurator.before(step.requirements, later):
            result += [Operation(each.name, each.attributes) for each in (*ordering.before(setting.name), setting)]
        selector = step.match.selector
        attributes = {**dict(step.match.alpha), **addresses(step, allocation)}
        result.append(Operation(selector.name, attributes, step))
        configurator.apply(selector.sets, {**attributes, **_registers(step, configurator)})
    last = finisher(accelerator)
    return result if last is None else [*result, Operation(last.name, dict.fromkeys(last.attributes, 0))]


def _registers(step: Step, configurator: Configurator) -> dict[str, int]:
    """The values of the registers that the instruction names, as far as they are known."""
    alpha, found = dict(step.match.alpha), {}
    for use in step.match.selector.uses:
        if use.name is not None:
            value = configurator.state[use.state, None if use.index is None else evaluate(use.index, alpha)]
            if value is not None:
                found[use.name] = value
    return found


def commands(accelerator: Accelerator, issued: Sequence[Operation]) -> Iterator[Command]:
    """The real commands; the first part of a composite carries its name as a comment.  Every value is known to fit its field."""
    for operation in issued:
        parts = expand(accelerator, operation.name, operation.attributes)
        comment = "" if operation.name in accelerator.instructions else operation.name
        for name, attributes in parts:
            try:
                encode(accelerator, name, attributes)
            except EncodeError as error:
                raise UserError(None, f"the program needs a value that the encoding of {name} cannot hold: {error}") from None
            alpha = accelerator.instructions[name].alpha
            yield Command(
                name,
                {key: value for key, value in attributes.items() if key in alpha},
                {key: value for key, value in attributes.items() if key not in alpha},
                comment,
            )
            comment = ""


def program(
    accelerator: Accelerator,
    sha256: str,
    graph: ClassGraph,
    plan: Plan,
    allocation: Allocation,
    issued: Sequence[Operation],
    inputs: Sequence[tuple[str, Tensor]],
) -> Program:
    """The complete program; `inputs` are the parameters by name, in their order."""
    regions = [_region(graph, allocation, name, tensor) for name, tensor in inputs]
    for kind, prefix in (("constant", "c"), ("output", "out"), ("scratch", "t")):
        tensors = [tensor for tensor in plan.tensors if tensor.kind == kind]
        regions += [_region(graph, allocation, f"{prefix}{number}", tensor) for number, tensor in enumerate(tensors)]
    return Program(accelerator.name, sha256, dict(allocation.memory), tuple(regions), tuple(commands(accelerator, issued)))


def _region(graph: ClassGraph, allocation: Allocation, name: str, tensor: Tensor) -> Region:
    shape = graph.shape(tensor.number)
    data = constant_bytes(graph, tensor.number) if tensor.kind == "constant" else None
    return Region(tensor.kind, name, shape.dtype, shape.dims, tensor.buffer, allocation.address[tensor], data)
