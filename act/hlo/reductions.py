"""`reduce(..), to_apply=region` -> `reduce(..), kind=add`, where the region is one associative and commutative operator.

The computations that were only regions are dropped: nothing refers to them any more.
"""

from __future__ import annotations

from act.errors import UserError
from act.hlo.model import Computation, Instruction, Module
from act.hlo.opcodes import REDUCING, REDUCTIONS
from act.records import replace

ADVICE = f"the region of a reduction must be one of {', '.join(sorted(REDUCTIONS))} of its two parameters"


def resolve_reductions(module: Module) -> Module:
    """Every `reduce` and `reduce-window` gets the attribute `kind` in place of `to_apply`."""
    computations = {name: _resolve(computation, module) for name, computation in module.computations.items()}
    unused = _references(module, reduce=True) - _references(module, reduce=False) - {module.entry}
    return replace(module, computations={name: each for name, each in computations.items() if name not in unused})


def _references(module: Module, reduce: bool) -> set[str]:
    """The computations that reductions refer to, or those that anything else does."""
    instructions = [each for computation in module.computations.values() for each in computation]
    return {each.attributes["to_apply"] for each in instructions if "to_apply" in each.attributes and (each.opcode in REDUCING) == reduce}


def _resolve(computation: Computation, module: Module) -> Computation:
    return replace(computation, instructions=tuple(_with_kind(each, module) for each in computation))


def _with_kind(instruction: Instruction, module: Module) -> Instruction:
    if instruction.opcode not in REDUCING:
        return instruction
    name = instruction.attributes["to_apply"]
    kind = _kind(name, module)
    if kind is None:
        raise UserError(f"{module.filename}:{instruction.line}", f"the region '{name}' of '{instruction.name}' is not supported", ADVICE)
    others = {key: value for key, value in instruction.attributes.items() if key != "to_apply"}
    return replace(instruction, attributes=others | {"kind": kind})


def _kind(name: str, module: Module) -> str | None:
    """The operator of a region; an operator's own name stands for it where no computation has that name."""
    region = module.computations.get(name)
    if region is None:
        return name if name in REDUCTIONS else None
    root = region.result
    operands = {operand: region[operand] for operand in root.operands}
    plain = len(region.instructions) == 3 and len(operands) == 2 and all(each.opcode == "parameter" for each in operands.values())
    return root.opcode if plain and root.opcode in REDUCTIONS else None
