"""Preprocessed text to pyverilog's syntax tree, module by module."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from lift.errors import UserError
from lift.verilog.pyverilog_grammar import ParseError, Parser, tree
from lift.verilog.pyverilog_text import SourceText, expand
from lift.verilog.sources import Sources

_TABLES = "pyverilog.vparser.parsetab"


def parse(sources: Sources, defines: dict[str, str]) -> dict[str, tuple[tree.ModuleDef, SourceText]]:
    """The module definitions of all files by name."""
    macros, modules = dict(defines), dict[str, tuple[tree.ModuleDef, SourceText]]()
    for path in sources.files:
        source = expand(path, macros, sources.include)
        for module in _modules(source):
            if module.name in modules:
                raise UserError(
                    str(source.at(module.lineno)), f"duplicate definition of '{module.name}'", "remove one, or name the files to read one by one"
                )
            modules[module.name] = (module, source)
    return modules


def _modules(source: SourceText) -> Sequence[tree.ModuleDef]:
    if not source.text.strip():
        return ()
    parser = _parser()
    parser.lexer.reset_lineno()
    try:
        parsed = parser.parse(source.text)
    except ParseError as error:
        raise _syntax_error(str(error), source) from None
    return [d for d in parsed.description.definitions if isinstance(d, tree.ModuleDef)]


def _syntax_error(text: str, source: SourceText) -> UserError:
    line = re.search(r"line:(\d+)", text)
    before = re.search(r'before: "(.*)"', text, re.DOTALL)
    at = source.at(int(line.group(1))) if line else source.at(len(source.origin))
    problem = f"syntax error before '{before.group(1)}'" if before else "syntax error"
    return UserError(str(at), problem, "the pyverilog reader knows Verilog-2005 only; the slang reader knows more")


@cache
def _parser() -> Any:
    """The parser.  Making its tables takes seconds, so they are kept in the user's cache."""
    folder = _cache_folder()
    _load_tables(folder / "parsetab.py")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Parser(str(folder))


def _load_tables(path: Path) -> None:
    """Make tables of an earlier run importable; the parser checks that they belong to its grammar."""
    spec = importlib.util.spec_from_file_location(_TABLES, path)
    if not path.is_file() or spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules[_TABLES] = module


def _cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(base) / "tensorlift" / "pyverilog"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    except OSError:
        pass  # a read-only home: no cache
    return Path(tempfile.mkdtemp(prefix="tensorlift-"))

