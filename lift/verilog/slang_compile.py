"""Source files to slang's elaborated design.

Each file is a compilation unit of its own.  A file that is no SystemVerilog is read as Verilog-2005, which has fewer keywords.  Where the
units do not stand alone, because a macro comes from another file, all are one unit, those that only define macros first.  Black boxes with
the ports of a memory are replaced by models.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyslang
import pyslang.ast as ast
import pyslang.parsing as parsing
import pyslang.syntax as syntax

from lift.verilog.memory_models import memory_model
from lift.verilog.needed import Text
from lift.verilog.slang_source import SourceMap, code

_Flags = ast.CompilationFlags
_ALLOWED = (_Flags.AllowUnnamedGenerate, _Flags.AllowUseBeforeDeclare, _Flags.AllowTopLevelIfacePorts)  # as other tools do
_OTHER_UNIT = frozenset({"UnknownDirective", "UnknownMacro"})


@dataclass(frozen=True, slots=True)
class Request:
    """What to compile; see `lift.verilog.read`."""

    files: Sequence[Text]
    include: Sequence[Path]
    top: str
    defines: Mapping[str, str]
    parameters: Mapping[str, int | str]
    black_boxes: frozenset[str]


def compile_design(request: Request) -> tuple[ast.Compilation, SourceMap]:
    """The design, not yet checked for errors."""
    manager = pyslang.SourceManager()
    manager.setDisableProximatePaths(True)
    trees = _parse(request, manager)
    compilation = _elaborate(request, trees)
    models = [syntax.SyntaxTree.fromText(text, manager, name, name) for name, text in _models(compilation, request).items()]
    if models:
        trees = [*trees, *models]
        compilation = _elaborate(request, trees)
    return compilation, SourceMap(manager, compilation, trees)


def _elaborate(request: Request, trees: Sequence[syntax.SyntaxTree]) -> ast.Compilation:
    options = ast.CompilationOptions()
    options.topModules = {request.top}
    options.paramOverrides = [f"{name}={value}" for name, value in request.parameters.items()]
    options.flags = ast.CompilationFlags(int(options.flags) | sum(map(int, _ALLOWED)))
    compilation = ast.Compilation(pyslang.Bag([options]))
    for tree in trees:
        compilation.addSyntaxTree(tree)
    return compilation


def _parse(request: Request, manager: pyslang.SourceManager) -> list[syntax.SyntaxTree]:
    bag = _options(request)
    trees = [_tree(text.path, manager, bag, request) for text in request.files]
    codes = {code(d) for tree in trees for d in tree.diagnostics if d.isError()}
    if not codes & _OTHER_UNIT or len(trees) == 1:
        return trees
    ordered = sorted(request.files, key=lambda text: bool(text.names))
    together = syntax.SyntaxTree.fromFiles([str(text.path) for text in ordered], manager, bag)
    return [together] if _errors(together) < sum(map(_errors, trees)) else trees


def _tree(path: Path, manager: pyslang.SourceManager, bag: pyslang.Bag, request: Request) -> syntax.SyntaxTree:
    tree = syntax.SyntaxTree.fromFile(str(path), manager, bag)
    if path.suffix != ".v" or not _errors(tree):
        return tree
    old = syntax.SyntaxTree.fromFile(str(path), manager, _options(request, pyslang.LanguageVersion.v1364_2005))
    return old if not _errors(old) else tree


def _errors(tree: syntax.SyntaxTree) -> int:
    return sum(d.isError() for d in tree.diagnostics)


def _options(request: Request, version: pyslang.LanguageVersion = pyslang.LanguageVersion.v1800_2017) -> pyslang.Bag:
    preprocessor = parsing.PreprocessorOptions()
    preprocessor.predefines = [f"{name}={value}" if value != "" else name for name, value in request.defines.items()]
    preprocessor.additionalIncludePaths = list(request.include)
    preprocessor.languageVersion = version
    return pyslang.Bag([preprocessor])


def _models(compilation: ast.Compilation, request: Request) -> dict[str, str]:
    """Text for each undeclared definition that is a memory."""
    found: dict[str, str] = {}
    seen: set[str] = set()
    for instance in compilation.getRoot().topInstances:
        for box in _undeclared(instance.body, seen):
            if box.definitionName not in request.black_boxes and box.definitionName not in found:
                widths = {n: c.expr.type.bitWidth for n, c in zip(box.portNames, box.portConnections, strict=True) if hasattr(c, "expr")}
                model = memory_model(box.definitionName, widths) if len(widths) == len(box.portNames) else None
                if model is not None:
                    found[box.definitionName] = model
    return found


def _undeclared(scope: Any, seen: set[str]) -> Iterator[Any]:
    for member in scope:
        match member.kind:
            case ast.SymbolKind.UninstantiatedDef:
                yield member
            case ast.SymbolKind.Instance if member.isModule and member.definition.name not in seen:
                seen.add(member.definition.name)
                yield from _undeclared(member.body, seen)
            case ast.SymbolKind.GenerateBlock if not member.isUninstantiated:
                yield from _undeclared(member, seen)
            case ast.SymbolKind.GenerateBlockArray:
                yield from _undeclared(member.entries, seen)
            case ast.SymbolKind.InstanceArray:
                yield from _undeclared(member.elements, seen)
