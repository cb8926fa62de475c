"""Modules of `tests`, which is no installed package, for scripts that use the generators there."""

from __future__ import annotations

import importlib
import sys
import types
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "tests"


def from_tests(name: str) -> types.ModuleType:
    """`tests.NAME` of this repository, whatever other package of that name there may be."""
    if FOLDER not in [Path(place) for place in getattr(sys.modules.get("tests"), "__path__", ())]:
        tests = types.ModuleType("tests")
        tests.__path__ = [str(FOLDER)]
        sys.modules["tests"] = tests
    return importlib.import_module(f"tests.{name}")
