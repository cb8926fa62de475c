"""The bit-level intermediate representation of update functions."""

from lift.ir.build import build
from lift.ir.evaluate import evaluate
from lift.ir.operations import context, functions

__all__ = ["build", "context", "evaluate", "functions"]
