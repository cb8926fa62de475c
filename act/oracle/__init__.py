"""The oracle: executes programs on the machine that a TAIDL file describes."""

from act.oracle.execute import Executor
from act.oracle.machine import Machine, MachineError

__all__ = ["Executor", "Machine", "MachineError"]
