"""The published import path of the Python form: `from taidl import Accelerator`."""

from act.taidl import Accelerator
from act.taidl import Buffer as DataModel
from act.taidl.builder import InstructionBuilder as Instruction

__all__ = ["Accelerator", "DataModel", "Instruction"]
