"""HLO text as data, its shapes, and what it computes."""

from act.hlo.model import Computation, Instruction, Module, Shape, TupleShape

__all__ = ["Computation", "Instruction", "Module", "Shape", "TupleShape"]
