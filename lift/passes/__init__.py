"""The eight passes, in the order in which they run."""

from lift.passes.a1_canon_bitmanip import CanonBitmanip
from lift.passes.a2_narrow_types import NarrowTypes
from lift.passes.b3_detect_mac import DetectMac
from lift.passes.base import LiftPass, PassReport

PASSES: tuple[type[LiftPass], ...] = (CanonBitmanip, NarrowTypes, DetectMac)

__all__ = ["PASSES", "LiftPass", "PassReport"]
