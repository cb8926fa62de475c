"""Which proofs go to one worker: those of a file, which share what they build, but for files that are too long for one."""

from __future__ import annotations

COMPUTES = ("-gemm", "-alu_")  # the half of the instructions of rtl/vta that takes as long as the others


def scope_of(identifier: str) -> str:
    """What a test has in common with those of its worker."""
    file, _, name = identifier.partition("::")
    if not file.endswith("proofs/test_vta_lifted.py"):
        return file
    return f"{file}::{'computes' if any(i in name for i in COMPUTES) else 'moves'}"
