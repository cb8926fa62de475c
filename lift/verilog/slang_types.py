"""slang's types to widths, ranges and element counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, cast

import pyslang
import pyslang.ast as ast

from lift.errors import UserError
from lift.netlist.model import Location


def array_dimensions(kind: ast.Type) -> tuple[list[tuple[int, int]], ast.Type]:
    """The [left:right] of each unpacked dimension, outermost first, and the type of a word."""
    dimensions: list[tuple[int, int]] = []
    while kind.isUnpackedArray and kind.canonicalType.hasFixedRange:
        kind = kind.canonicalType
        dimensions.append((kind.fixedRange.left, kind.fixedRange.right))
        kind = kind.arrayElementType
    return dimensions, kind


def is_flat(kind: ast.Type) -> bool:
    """Whether values of the type are a fixed number of bits."""
    canonical = kind.canonicalType
    if canonical.isFloating or canonical.isUnpackedUnion or canonical.isError:
        return False
    return canonical.isIntegral or (canonical.isFixedSize and bool(canonical.isBitstreamType()))


def width_of(kind: ast.Type) -> int:
    """The number of bits of a flat type; arrays and structures have their first element in the highest bits."""
    return kind.bitWidth if kind.isIntegral else kind.bitstreamWidth


def field_offset(kind: ast.Type, field: ast.FieldSymbol) -> int:
    """The lowest bit of a field of a structure."""
    canonical: Any = kind.canonicalType
    if canonical.isIntegral:
        return field.bitOffset
    fields = [member for member in canonical if isinstance(member, ast.FieldSymbol)]
    return sum(width_of(later.type) for later in fields if later.fieldIndex > field.fieldIndex)


def packed_range(kind: ast.Type) -> tuple[int, int, int]:
    """The [left:right] range of a packed type, or of an array inside a structure, and the width of its elements."""
    canonical = kind.canonicalType
    if canonical.isPackedArray or canonical.isUnpackedArray:
        return canonical.fixedRange.left, canonical.fixedRange.right, width_of(canonical.arrayElementType)
    if canonical.hasFixedRange:
        return canonical.fixedRange.left, canonical.fixedRange.right, 1
    return kind.bitWidth - 1, 0, 1


def integer_bits(value: pyslang.SVInt) -> tuple[int, int]:
    """(value, x mask) of a constant; a z digit has both bits set, an x digit only that of the mask."""
    ones = (1 << value.bitWidth) - 1
    if not value.hasUnknown:
        return int(value) & ones, 0
    digits = value.toString(pyslang.LiteralBase.Binary, False)
    bits, mask = 0, 0
    for digit in _pad(digits, value.bitWidth):
        bits = bits << 1 | (digit in "1z?")
        mask = mask << 1 | (digit in "xz?")
    return bits & ones, mask & ones


def _pad(digits: str, width: int) -> Iterator[str]:
    """slang leaves out equal leading digits."""
    digits = digits.replace("_", "").lower().lstrip("-")
    fill = digits[0] if digits[0] in "xz" else "0"
    yield from fill * (width - len(digits)) + digits


def definition_key(symbol: ast.InstanceSymbol) -> str:
    """The name of the definition with its parameters and the interfaces that it is connected with: equal keys are equal modules."""
    body = symbol.body
    values = [f"{p.name}={getattr(p, 'value', None) or p.targetType.type}" for p in body.parameters]
    for port in cast("Iterable[Any]", body.portList):
        if port.kind == ast.SymbolKind.InterfacePort:
            instance, modport = port.connection
            kind = definition_key(instance) if isinstance(instance, ast.InstanceSymbol) else "?"
            values.append(f"{port.name}={kind}.{modport.name if modport is not None else ''}")
    return f"{symbol.definition.name}({', '.join(values)})"


def interface_signals(port: Any, connection: tuple[Any, Any], location: Location) -> Iterator[tuple[str, Any]]:
    """The signals of an interface that is the port of a module, as the port's modport says, and their names: `bus.valid`."""
    instance, modport = connection
    if not isinstance(instance, ast.InstanceSymbol):
        raise UserError(str(location), f"unsupported: port '{port.name}', which is an array of interfaces, or is not connected", "use a port for each")
    if modport is None:
        problem = f"unsupported: port '{port.name}' is the interface '{instance.definition.name}' without a modport"
        raise UserError(str(location), problem, f"say which of its signals are inputs: '{instance.definition.name}.MODPORT {port.name}'")
    for signal in modport:
        if signal.kind != ast.SymbolKind.ModportPort:
            continue  # a function: calls of it are refused where they are
        if signal.internalSymbol is None:
            raise UserError(str(location), f"unsupported: '{signal.name}' of modport '{modport.name}' is an expression", "name a signal of the interface")
        yield f"{port.name}.{signal.name}", signal
