"""Directories, files and file lists to the list of source files and include directories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lift.errors import UserError

SUFFIXES = (".v", ".sv")


@dataclass(frozen=True, slots=True)
class Sources:
    """Source files in reading order, each once; `include` are the directories searched for `include files."""

    files: tuple[Path, ...]
    include: tuple[Path, ...]


def collect(paths: Sequence[Path], file_lists: Sequence[Path] = ()) -> Sources:
    """The Verilog files in and below `paths` and those that `file_lists` name.  Raises `UserError` when there are none."""
    files: list[Path] = []
    include: list[Path] = []
    for path in paths:
        found = list(_files(Path(path)))
        include.append(Path(path) if Path(path).is_dir() else Path(path).parent)
        files += found
    for file_list in file_lists:
        _read_list(Path(file_list), files, include)
    if not files:
        raise UserError(None, "no source files given", "name a directory, files or a file list")
    return Sources(tuple(dict.fromkeys(files)), tuple(dict.fromkeys(include)))


def _files(path: Path) -> Iterable[Path]:
    if not path.exists():
        raise UserError(str(path), "no such file or directory", "check the path")
    if path.is_file():
        return [path]
    found = sorted(p for p in path.rglob("*") if p.suffix in SUFFIXES and p.is_file())
    if not found:
        raise UserError(str(path), "the directory has no .v or .sv file", "name a directory with Verilog sources")
    return found


def _read_list(path: Path, files: list[Path], include: list[Path]) -> None:
    """One file name a line, relative to the list; `+incdir+DIR` adds an include directory, // and # begin comments."""
    if not path.is_file():
        raise UserError(str(path), "no such file list", "check the path")
    for number, line in enumerate(path.read_text().splitlines(), 1):
        entry = line.split("//")[0].split("#")[0].strip()
        if entry.startswith("+incdir+"):
            include += [path.parent / part for part in entry.removeprefix("+incdir+").split("+") if part]
        elif entry.startswith(("-", "+")):
            raise UserError(f"{path}:{number}", f"unsupported entry '{entry}'", "use file names and +incdir+ only")
        elif entry:
            if not (path.parent / entry).is_file():
                raise UserError(f"{path}:{number}", f"no such file '{entry}'", "names are relative to the list")
            files.append(path.parent / entry)
