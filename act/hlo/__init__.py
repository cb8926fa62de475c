"""HLO text as data, its shapes, and what it computes.

`act.hlo.evaluate` is not imported here: compiling needs no numpy.
"""

from typing import TYPE_CHECKING

from act.hlo.flatten import flatten
from act.hlo.infer import check_computation, check_module, infer, shape_errors
from act.hlo.instantiate import instantiate
from act.lazy import names_of

if TYPE_CHECKING:
    from act.hlo.model import Computation, Instruction, Module, Shape, TupleShape
    from act.hlo.parse import parse_body, parse_module
    from act.hlo.print import print_body, print_module

__getattr__ = names_of(
    __name__,
    {
        "model": "Computation Instruction Module Shape TupleShape",
        "parse": "parse_body parse_module",
        "print": "print_body print_module",
    },
)

__all__ = [
    "Computation",
    "Instruction",
    "Module",
    "Shape",
    "TupleShape",
    "check_computation",
    "check_module",
    "flatten",
    "infer",
    "instantiate",
    "parse_body",
    "parse_module",
    "print_body",
    "print_module",
    "shape_errors",
]
