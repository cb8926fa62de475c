"""Directories, files and file lists to the list of source files and include directories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lift.errors import UserError

SUFFIXES = (".v", ".sv")


HEADERS = (".vh", ".svh", ".h", ".inc")
_NOT_VERILOG = (".cc", ".cpp", ".c", ".h", ".o", ".a", ".so", ".vhd", ".vhdl")


@dataclass(frozen=True, slots=True)
class Sources:
    """Source files in reading order, each once; `include` are the directories searched for `include files; `defines` the macros that file
    lists define; `named` those of the files that were named and not only found in a directory."""

    files: tuple[Path, ...]
    include: tuple[Path, ...]
    defines: Mapping[str, str] = field(default_factory=dict)
    named: frozenset[Path] = frozenset()


@dataclass(slots=True)
class _Collected:
    files: list[Path] = field(default_factory=list)
    include: list[Path] = field(default_factory=list)
    defines: dict[str, str] = field(default_factory=dict)
    named: set[Path] = field(default_factory=set)
    open: list[Path] = field(default_factory=list)


def collect(paths: Sequence[Path], file_lists: Sequence[Path] = ()) -> Sources:
    """The Verilog files in and below `paths` and those that `file_lists` name.  Raises `UserError` when there are none."""
    found = _Collected()
    for path in map(Path, paths):
        if path.is_dir():
            found.files += _files(path)
            found.include += [path, *_header_folders(path)]
        elif path.exists():
            found.files.append(path)
            found.include.append(path.parent)
            found.named.add(path)
        else:
            raise UserError(str(path), "no such file or directory", "check the path")
    for file_list in file_lists:
        _read_list(Path(file_list), found)
    if not found.files:
        raise UserError(None, "no source files given", "name a directory, files or a file list")
    files, include = dict.fromkeys(found.files), dict.fromkeys(found.include)
    return Sources(tuple(files), tuple(include), found.defines, frozenset(found.named))


def _files(path: Path) -> list[Path]:
    found = sorted(p for p in path.rglob("*") if p.suffix in SUFFIXES and p.is_file())
    if not found:
        raise UserError(str(path), "the directory has no .v or .sv file", "name a directory with Verilog sources")
    return found


def _header_folders(path: Path) -> list[Path]:
    return sorted({p.parent for p in path.rglob("*") if p.suffix in HEADERS and p.is_file()} - {path})


def _read_list(path: Path, found: _Collected) -> None:
    """Entries are relative to the list; // and # begin comments."""
    if not path.is_file():
        raise UserError(str(path), "no such file list", "check the path")
    if path in found.open:
        raise UserError(str(path), "the file list names itself", "remove the entry")
    found.open.append(path)
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        words = line.split("//")[0].split("#")[0].split()
        while words:
            _entry(path, f"{path}:{number}", words, found)
    found.open.pop()


def _entry(path: Path, at: str, words: list[str], found: _Collected) -> None:
    """Take one entry from the beginning of `words`: a file, or an option as Verilog tools have it."""
    entry = words.pop(0)
    option, value = entry, ""
    if entry[:2] in ("-f", "-F", "-v", "-y", "-I", "-D"):
        option, value = entry[:2], entry[2:] or (words.pop(0) if words else "")
    match option:
        case "-f" | "-F":
            _read_list(path.parent / value, found)
        case "-y":
            _exists(path.parent / value, at, value)
            found.files += _files(path.parent / value)
        case "-I":
            found.include.append(path.parent / value)
        case "-D":
            _define(value, found)
        case _ if entry.startswith("+incdir+"):
            found.include += [path.parent / part for part in entry.removeprefix("+incdir+").split("+") if part]
        case _ if entry.startswith("+define+"):
            for part in entry.removeprefix("+define+").split("+"):
                _define(part, found)
        case _ if entry.startswith("+libext+"):
            pass  # every .v and .sv file of a -y folder is looked at
        case _ if entry.startswith(("-", "+")) and option != "-v":
            raise UserError(at, f"unsupported entry '{entry}'", "use file names, -f, -v, -y, -I, -D, +incdir+, +define+ and +libext+")
        case _:
            name = value or entry
            _exists(path.parent / name, at, name)
            if not name.endswith(_NOT_VERILOG):
                found.files.append(path.parent / name)
                found.named.add(path.parent / name)


def _define(text: str, found: _Collected) -> None:
    name, _, value = text.partition("=")
    found.defines[name] = value or "1"


def _exists(path: Path, at: str, name: str) -> None:
    if not path.exists():
        raise UserError(at, f"no such file '{name}'", "names are relative to the list")
