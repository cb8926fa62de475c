"""What the proofs were made with: the solver's version and limits, Python, yosys where it is installed."""

from __future__ import annotations

import platform
import shutil
import subprocess
from importlib.metadata import version

from lift.prove import bitwuzla
from lift.prove.lemmas import DEFAULT_RLIMIT
from proofs.solve import RLIMIT


def versions() -> dict[str, str | int]:
    found: dict[str, str | int] = {"python": platform.python_version(), "z3": version("z3-solver"), "rlimit": RLIMIT, "rlimit of lemmas": DEFAULT_RLIMIT}
    if bitwuzla.is_installed():
        found["bitwuzla"] = bitwuzla.identity()[1]
    if shutil.which("yosys"):
        found["yosys"] = subprocess.run(["yosys", "-V"], capture_output=True, text=True, check=True).stdout.split(" (")[0].strip()
    return found


__all__ = ["versions"]
