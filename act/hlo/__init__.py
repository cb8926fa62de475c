"""HLO text as data, its shapes, and what it computes."""

from act.hlo.model import Computation, Instruction, Module, Shape, TupleShape
from act.hlo.parse import parse_body, parse_module

__all__ = ["Computation", "Instruction", "Module", "Shape", "TupleShape", "parse_body", "parse_module"]
