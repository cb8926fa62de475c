"""The eight passes, in the order in which they run."""

from lift.passes.a1_canon_bitmanip import CanonBitmanip
from lift.passes.a2_narrow_types import NarrowTypes
from lift.passes.b3_detect_mac import DetectMac
from lift.passes.b4_specialize_control import SpecializeControl
from lift.passes.b5_detect_clamp import DetectClamp
from lift.passes.base import LiftPass, PassReport
from lift.passes.c6_reconstruct_loops import ReconstructLoops
from lift.passes.c7_lift_to_linalg import LiftToLinalg
from lift.passes.d8_emit_taidl_metadata import EmitTaidlMetadata
from lift.passes.run import run_passes

PASSES: tuple[type[LiftPass], ...] = (
    CanonBitmanip,
    NarrowTypes,
    DetectMac,
    SpecializeControl,
    DetectClamp,
    ReconstructLoops,
    LiftToLinalg,
    EmitTaidlMetadata,
)

__all__ = ["PASSES", "LiftPass", "PassReport", "run_passes"]
