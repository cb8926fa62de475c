"""Lifted functions to a TAIDL accelerator."""

from lift.assemble.accelerator import Assembly, assemble

__all__ = ["Assembly", "assemble"]
