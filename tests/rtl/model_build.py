"""Verilog modules -> an executable model: Verilator's C++ and a generated harness, compiled and cached by content."""

from __future__ import annotations

import fcntl
import hashlib
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
CACHE = REPOSITORY / "build" / "simulation"
HARNESS = Path(__file__).with_name("harness.cpp")
RUNTIME_SOURCES = ("verilated.cpp", "verilated_threads.cpp")
PORT = re.compile(r"VL_(IN|OUT)(?:8|16|64|W)?\(&(\w+),(\d+),(\d+)")


@dataclass(frozen=True, slots=True)
class Port:
    """A port of the top module; `width` in bits."""

    name: str
    width: int
    is_input: bool


@dataclass(frozen=True, slots=True)
class Model:
    """A compiled model: the program to run and the ports in the order of its port numbers."""

    program: Path
    ports: tuple[Port, ...]


def build(folder: Path, top: str, parameters: Mapping[str, int]) -> Model:
    """Build module `top` of `folder` (one module per file). Warnings of Verilator's -Wall are errors.

    Raises RuntimeError with the tool's output when Verilator or the C++ compiler refuse.
    """
    sources = _sources(folder, top)
    place = CACHE / f"{top}-{_digest(sources, parameters)}"
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(place.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / "simulation").exists():
            _compile(folder, top, parameters, place)
    return Model(place / "simulation", _ports(place))


def _sources(folder: Path, top: str) -> list[Path]:
    """The file of `top` and of every module named in it, transitively."""
    known = {path.stem: path for path in folder.glob("*.v")}
    found, pending = {}, [top]
    while pending:
        name = pending.pop()
        found[name] = known[name]
        words = set(re.findall(r"\w+", known[name].read_text()))
        pending += sorted((words & known.keys()) - found.keys() - set(pending))
    return sorted(found.values())


def _digest(sources: list[Path], parameters: Mapping[str, int]) -> str:
    digest = hashlib.sha256(repr(sorted(parameters.items())).encode())
    for path in [*sources, HARNESS, Path(__file__)]:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _compile(folder: Path, top: str, parameters: Mapping[str, int], place: Path) -> None:
    work = place.with_suffix(".tmp")
    shutil.rmtree(work, ignore_errors=True)
    overrides = [f"-G{name}={value}" for name, value in parameters.items()]
    _run("verilator", "--cc", "-Wall", "--x-assign", "unique", "--x-initial", "unique", "--prefix", "Model",
         "--top-module", top, "-Mdir", work, "-y", folder, *overrides, folder / f"{top}.v")
    table = "".join(f"PORT({port.name})\n" for port in _ports(work))
    (work / "ports.inc").write_text(table)
    # One translation unit without optimisation: compiling takes far longer than the short runs here.
    (work / "all.cpp").write_text("".join(f'#include "{path.name}"\n' for path in sorted(work.glob("Model*.cpp"))))
    include = Path(_run("verilator", "--getenv", "VERILATOR_ROOT").strip()) / "include"
    _run("g++", "-O0", "-std=c++17", "-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TRACE=0", f"-I{work}", f"-I{include}",
         f"-I{include}/vltstd", work / "all.cpp", HARNESS, *_runtime(include), "-pthread",
         "-o", work / "simulation")
    shutil.rmtree(place, ignore_errors=True)
    work.rename(place)


def _runtime(include: Path) -> list[Path]:
    """Verilator's runtime as objects, compiled once for all models."""
    objects = [CACHE / f"{Path(name).stem}.o" for name in RUNTIME_SOURCES]
    with open(CACHE / "runtime.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for source, target in zip(RUNTIME_SOURCES, objects, strict=True):
            if not target.exists():
                _run("g++", "-O1", "-std=c++17", f"-I{include}", f"-I{include}/vltstd", "-c", include / source,
                     "-o", target.with_suffix(".tmp.o"))
                target.with_suffix(".tmp.o").rename(target)
    return objects


def _ports(place: Path) -> tuple[Port, ...]:
    text = (place / "Model.h").read_text()
    return tuple(Port(m[2], int(m[3]) - int(m[4]) + 1, m[1] == "IN") for m in PORT.finditer(text))


def _run(*command: object) -> str:
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if result.returncode:
        raise RuntimeError(f"{command[0]} failed:\n{result.stdout}{result.stderr}")
    return result.stdout
