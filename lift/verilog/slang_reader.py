"""Source files to a `Netlist` by slang: parse, elaborate, convert each definition with its parameters once, flatten."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import pyslang
import pyslang.ast

from lift.errors import UserError
from lift.netlist.builder import Builder
from lift.netlist.hierarchy import flatten
from lift.netlist.model import Netlist
from lift.netlist.module import Module
from lift.verilog.needed import first_copies, needed, no_top, read_text
from lift.verilog.slang_compile import Request, compile_design
from lift.verilog.slang_modules import ModuleConverter
from lift.verilog.slang_source import SourceMap
from lift.verilog.slang_types import definition_key
from lift.verilog.sources import Sources


def read(sources: Sources, top: str, defines: Mapping[str, str], parameters: Mapping[str, int | str], black_boxes: Sequence[str]) -> Netlist:
    """See `lift.verilog.read`."""
    texts = [read_text(path) for path in sources.files]
    files, repeated = first_copies(needed(texts, top))
    for text in (t for t in texts if not t.is_text and (t in files or t.path in sources.named)):
        raise UserError(str(text.path), "the file is not text", "name Verilog sources only")
    files = [text for text in files if text.is_text]
    boxes = frozenset(black_boxes)
    compilation, source_map = compile_design(Request(files, sources.include, top, defines, parameters, boxes))
    if any(top in text.names for text in texts):
        source_map.check(compilation.getParseDiagnostics(), boxes)
    instance = _top(compilation, top, parameters)
    source_map.check(compilation.getAllDiagnostics(), boxes)
    builder = Builder()
    modules = _convert_all(instance, builder, source_map, boxes)
    source_map.check_duplicates(compilation.getAllDiagnostics(), {m.name for m in modules.values()} - repeated)
    return flatten(modules, definition_key(instance), builder)


def _convert_all(instance: pyslang.ast.InstanceSymbol, builder: Builder, source_map: SourceMap, black_boxes: frozenset[str]) -> dict[str, Module]:
    """Each definition and parameter combination below `instance`, by `definition_key`."""
    modules: dict[str, Module] = {}
    waiting = [instance]
    while waiting:
        symbol = waiting.pop()
        key = definition_key(symbol)
        if key not in modules:
            converter = ModuleConverter(symbol, builder, source_map, black_boxes)
            modules[key] = converter.convert()
            waiting += converter.children
    return modules


def _top(compilation: pyslang.ast.Compilation, top: str, parameters: Iterable[str]) -> pyslang.ast.InstanceSymbol:
    for instance in compilation.getRoot().topInstances:
        if instance.name == top and instance.isModule:
            _check_parameters(instance, parameters)
            return instance
    raise no_top(top, (d.name for d in compilation.getDefinitions() if _is_module(d)))


def _is_module(symbol: pyslang.ast.Symbol) -> bool:
    return isinstance(symbol, pyslang.ast.DefinitionSymbol) and symbol.definitionKind == pyslang.ast.DefinitionKind.Module


def _check_parameters(instance: pyslang.ast.InstanceSymbol, parameters: Iterable[str]) -> None:
    known = [p.name for p in instance.body.parameters if not getattr(p, "isLocalParam", False)]
    for name in parameters:
        if name not in known:
            raise UserError(None, f"module '{instance.name}' has no parameter '{name}'", f"its parameters are: {', '.join(known) or 'none'}")
