"""One elaborated instance body of slang to a `Module`."""

from __future__ import annotations

from typing import Any

import pyslang
import pyslang.ast as ast

from lift.errors import UserError
from lift.netlist.builder import Builder
from lift.netlist.model import Location, Node
from lift.netlist.module import VIOLATED, Assign, Module, Process, Statement, Variable
from lift.verilog.slang_expressions import Expressions, is_genvar
from lift.verilog.slang_instances import Instances
from lift.verilog.slang_source import SourceMap
from lift.verilog.slang_statements import Statements
from lift.verilog.slang_subroutines import Subroutines
from lift.verilog.slang_types import array_dimensions, integer_bits, is_flat, width_of

_Kind = ast.SymbolKind
_IGNORED = frozenset(
    {
        _Kind.Port,
        _Kind.InterfacePort,
        _Kind.Modport,
        _Kind.DefParam,
        _Kind.Genvar,
        _Kind.StatementBlock,
        _Kind.Subroutine,
        _Kind.TypeAlias,
        _Kind.TransparentMember,
        _Kind.EmptyMember,
        _Kind.TypeParameter,
        _Kind.Specparam,
        _Kind.WildcardImport,
        _Kind.ExplicitImport,
        _Kind.ForwardingTypedef,
        _Kind.ElabSystemTask,
        _Kind.Property,
        _Kind.Sequence,
        _Kind.ClockingBlock,
        _Kind.LetDecl,
        _Kind.SpecifyBlock,
    }
)
_RESOLUTIONS = {"wand": "and", "triand": "and", "wor": "or", "trior": "or"}
_SUPPLIES = {"supply0": 0, "supply1": -1}


class ModuleConverter(Instances):
    """Converts the body of `instance`; afterwards `children` are its instances of other modules."""

    def __init__(self, instance: ast.InstanceSymbol, builder: Builder, source_map: SourceMap, black_boxes: frozenset[str]) -> None:
        self._body, self._b, self._source, self._black_boxes = instance.body, builder, source_map, black_boxes
        self._prefix = instance.body.hierarchicalPath + "."
        self._module = Module(instance.definition.name, source_map.at(instance.definition.location))
        self._subroutines = Subroutines(builder, source_map, self._module, self.local, self._path)
        self._expressions = Expressions(builder, source_map, self)
        self._statements = Statements(builder, source_map, self, self._expressions)
        self._subroutines.expressions, self._subroutines.statements = self._expressions, self._statements
        self._names: dict[ast.Symbol, str] = {}
        self._declared: list[Process] = []
        self.children: list[ast.InstanceSymbol] = []

    def convert(self) -> Module:
        """The whole module."""
        for port in self._body.portList:
            self.port(port)
        self.interfaces(self._body)
        self._members(self._body)
        for port in self._body.portList:
            self.inside_of_port(port)
        self._module.initials[:0] = self._declared
        return self._module

    # Names

    def local(self, symbol: ast.Symbol, item: Any) -> str:
        """See `Names`; a name of another module is refused."""
        name = self._names.get(symbol)
        if name is None:
            name = self._names[symbol] = self._new_name(symbol, item)
        return name

    def below(self, symbol: ast.Symbol) -> str | None:
        """See `Names`."""
        if symbol in self._names:
            return None
        scope = symbol.parentScope
        owner = scope.containingInstance if scope is not None else None
        inside = owner is not None and owner.hierarchicalPath.startswith(self._prefix) and symbol.hierarchicalPath.startswith(self._prefix)
        return self._path(symbol) if inside else None

    def violation(self, at: Location) -> str:
        """See `Names`."""
        name = f"{VIOLATED}{at.line}:{at.column}"
        self._module.variables[name] = Variable(name, 1, at)
        return name

    def temporary(self, width: int, location: Location, function: str | None) -> str:
        """See `Names`."""
        name = f"{function}.{len(self._module.variables)}" if function else f"${len(self._module.variables)}"
        self._module.variables[name] = Variable(name, width, location, local=True)
        return name

    def call(self, expression: ast.CallExpression, arguments: list[Node]) -> Node:
        """See `Names`."""
        return self._subroutines.call(expression, arguments)

    def task(self, expression: ast.CallExpression) -> tuple[Statement, ...]:
        """See `Names`."""
        return self._subroutines.task(expression)

    def _path(self, symbol: ast.Symbol) -> str:
        """The name of a symbol of this module or of a package."""
        return symbol.hierarchicalPath.removeprefix(self._prefix)

    def _new_name(self, symbol: ast.Symbol, item: Any) -> str:
        scope, path = symbol.parentScope, symbol.hierarchicalPath
        if "." in path.partition("::")[2]:  # inside a function of a package
            self._variable(symbol, path, local=True)
            return path
        owner = scope.containingInstance if scope is not None else None
        if owner is None or owner.hierarchicalPath + "." != self._prefix or not path.startswith(self._prefix):
            raise self._source.unsupported(item, f"'{path}' of another module", "pass it through a port")
        name = path.removeprefix(self._prefix)
        outside = self._body.lookupName(name)  # blocks without a name do not show in paths
        if outside is not None and outside != symbol:
            name = f"{name}${len(self._names)}"
        if name not in self._module.variables:
            self._variable(symbol, name, local=True)
        return name

    def _variable(self, symbol: Any, name: str, local: bool = False) -> None:
        dimensions, word = array_dimensions(symbol.type)
        if not is_flat(word):
            raise UserError(str(self._source.at(symbol.location)), f"unsupported: '{name}' has type '{symbol.type}'", "use vectors")
        depth, base = (1, 0) if dimensions else (0, 0)
        for left, right in dimensions:
            depth *= abs(left - right) + 1
        if len(dimensions) == 1:
            base = min(dimensions[0])
        location = self._source.at(symbol.location)
        self._module.variables[name] = Variable(name, width_of(word), location, depth, base, local)

    # Members

    def _members(self, scope: Any) -> None:
        for member in scope:
            match member.kind:
                case _Kind.Net | _Kind.Variable:
                    self._declaration(member)
                case _Kind.Parameter:
                    self._parameter(member)
                case _Kind.ContinuousAssign:
                    self._plain(member, member.assignment)
                    self._module.assigns.append(self._statements.assignment(member.assignment))
                case _Kind.ProceduralBlock:
                    self._process(member)
                case _Kind.Instance:
                    self.instance(member)
                case _Kind.PrimitiveInstance:
                    self.gate(member)
                case _Kind.InstanceArray:
                    self._members(member.elements)
                case _Kind.GenerateBlock:
                    if not member.isUninstantiated:
                        self._members(member)
                case _Kind.GenerateBlockArray:
                    self._members(member.entries)
                case _Kind.UninstantiatedDef:
                    problem = f"black box '{member.definitionName}' is not declared"
                    raise UserError(str(self._source.at(member.location)), problem, "add an empty module with its ports")
                case kind if kind in _IGNORED:
                    pass
                case kind:
                    raise UserError(str(self._source.at(member.location)), f"unsupported: {kind.name} '{member.name}'", None)

    def _plain(self, member: Any, item: Any) -> None:
        if member.delay is not None:
            raise self._source.unsupported(item, "a delay in an assignment", "remove it")
        if _has_strength(member):
            raise self._source.unsupported(item, "a drive strength", "remove it")

    def _declaration(self, symbol: Any) -> None:
        name = self._path(symbol)
        self._names[symbol] = name
        self._variable(symbol, name)
        if symbol.kind == _Kind.Net:
            self._net(symbol, name)
        if symbol.initializer is None:
            return
        location = self._source.at(symbol.location)
        assign = Assign(self._expressions.whole(symbol, symbol), self._expressions.expression(symbol.initializer), location)
        if symbol.kind == _Kind.Net:
            self._module.assigns.append(assign)
        else:
            self._declared.append(Process((assign,), (), location))

    def _net(self, symbol: Any, name: str) -> None:
        kind, location = symbol.netType.name, self._source.at(symbol.location)
        if symbol.delay is not None:
            raise UserError(str(location), f"unsupported: a delay of net '{name}'", "remove it")
        if kind in _RESOLUTIONS:
            self._module.resolutions[name] = _RESOLUTIONS[kind]
        elif kind in _SUPPLIES:
            targets = self._expressions.whole(symbol, symbol)
            value = self._b.const(_SUPPLIES[kind], sum(t.width for t in targets))
            self._module.assigns.append(Assign(targets, value, location))
        elif kind not in ("wire", "tri", "uwire", "logic"):
            raise UserError(str(location), f"unsupported: net type '{kind}'", "use wire")

    def _parameter(self, symbol: ast.ParameterSymbol) -> None:
        value = symbol.value.value
        if isinstance(value, pyslang.SVInt) and not value.hasUnknown and not is_genvar(symbol):
            self._module.parameters[self._path(symbol)] = integer_bits(value)[0]

    def _process(self, block: ast.ProceduralBlockSymbol) -> None:
        match block.procedureKind:
            case ast.ProceduralBlockKind.Initial:
                process = self._statements.process(block)
                if process.body:
                    self._module.initials.append(process)
            case ast.ProceduralBlockKind.Final:
                pass
            case _:
                process = self._statements.process(block)
                if process.body:
                    self._module.processes.append(process)


def _has_strength(member: Any) -> bool:
    try:
        return any(strength is not None for strength in member.driveStrength)
    except TypeError:  # pyslang cannot convert the ones that there are
        return True
