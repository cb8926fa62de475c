"""Tokens -> shapes, constants and attribute values.

A raw attribute value is a string (a name), a number, a symbolic integer, a tuple of values (braces), for slices and paddings a tuple of
triples, and for a window a dict of such values.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import dropwhile, takewhile

from act.hlo.dtypes import integer_range, is_dtype, is_float
from act.hlo.layouts import Layout
from act.hlo.lex import Cursor, Token
from act.hlo.literals import quick_literal
from act.hlo.model import Dimension, Shape, TupleShape, Value

Expression = Callable[[str, str], Dimension]  # back-quoted text, location -> symbolic integer

ELIDED = "the constant is elided ('{...}'); print the module with large constants"


class Values:
    """Reads values at a cursor; without `expression`, back-quoted text is an error."""

    def __init__(self, cursor: Cursor, expression: Expression | None) -> None:
        self.cursor, self.expression = cursor, expression
        self.layout = Layout()
        """That of the shape that was read last."""

    def quoted(self, token: Token) -> Dimension:
        if self.expression is None:
            self.cursor.error("a back-quoted expression outside of a TAIDL body", at=token)
        return self.expression(token.text.strip("`"), self.cursor.location(token))

    def integer(self, what: str) -> Dimension:
        token = self.cursor.token
        if token.kind == "expression":
            return self.quoted(self.cursor.next())
        try:
            value = int(token.text)
        except ValueError:
            self.cursor.error(f"expected {what}, found '{token.text}'")
        self.cursor.next()
        return value

    def shape(self) -> Shape | TupleShape:
        if self.cursor.accept("("):
            return self._tuple_shape()
        token = self.cursor.kind("name", "a shape such as s8[16,16]")
        if not is_dtype(token.text):
            self.cursor.error(f"'{token.text}' is not an element type", "use pred, s1..s64, u1..u64, f16, bf16, f32 or f64", token)
        self.cursor.expect("[", "after the element type")
        shape = Shape(token.text, self._list("]", "a dimension"))
        if any(isinstance(size, int) and size < 0 for size in shape.dims):
            self.cursor.error(f"negative dimension in {shape}", at=token)
        self.layout = self._layout(shape.rank)
        return shape

    def _tuple_shape(self) -> TupleShape:
        elements = []
        while not self.cursor.accept(")"):
            elements.append(self.shape())
            if not self.cursor.at(")"):
                self.cursor.expect(",", "between the elements of a tuple")
        return TupleShape(tuple(elements))

    def _layout(self, rank: int) -> Layout:
        """`{1,0:T(8,128)}` directly after the dimensions.  A brace after a space is not a layout: it opens a body."""
        cursor = self.cursor
        if not (cursor.at("{") and cursor.follows_directly):
            return Layout()
        start, first = cursor.token, cursor.position + 1
        self.skip_balanced()
        inside = cursor.tokens[first : cursor.position - 1]
        order = [int(token.text) for token in takewhile(lambda token: token.text != ":", inside) if token.text.isdigit()]
        if inside and sorted(order) != list(range(rank)):
            cursor.error(f"the layout {list(order)} is no order of {rank} dimension(s)", at=start)
        tiles = "".join(token.text for token in dropwhile(lambda token: token.text != ":", inside))
        return Layout(tuple(reversed(order)), tiles[1:])

    def _list(self, close: str, what: str) -> tuple[Dimension, ...]:
        values = []
        while not self.cursor.accept(close):
            values.append(self.integer(what))
            if not self.cursor.at(close):
                self.cursor.expect(",", f"or '{close}' in a list")
        return tuple(values)

    def skip_balanced(self) -> None:
        """One token, or everything up to the brace that closes the one here."""
        depth = 0
        while True:
            token = self.cursor.next()
            depth += (token.text in "{([") - (token.text in "})]") if token.kind == "mark" else 0
            if token.kind == "end":
                self.cursor.error("expected a closing brace, found the end of the text")
            if depth <= 0:
                return

    def literal(self, shape: Shape) -> Value:
        """The value between the parentheses of `constant(...)`, checked against the shape."""
        token = self.cursor.token
        if token.kind == "literal":
            value = quick_literal(token.text, shape.dtype, shape.dims) if all(isinstance(size, int) for size in shape.dims) and shape.dims else None
            if value is not None:
                self.cursor.next()
                return value
            self.cursor.look_closer()
        return self._literal(shape.dtype, shape.dims)

    def _literal(self, dtype: str, dims: tuple[Dimension, ...]) -> Value:
        cursor = self.cursor
        if not dims:
            return self._scalar(dtype)
        if isinstance(dims[0], int) and 0 in dims and cursor.at("{"):
            self.skip_balanced()
            return _empty(dims)
        cursor.expect("{", f"to open a constant with dimensions {list(dims)}")
        if cursor.at("..."):
            cursor.error(ELIDED)
        values = []
        while not cursor.accept("}"):
            values.append(self._literal(dtype, dims[1:]))
            if not cursor.at("}"):
                cursor.expect(",", "between the elements of a constant")
        if len(values) != dims[0]:
            cursor.error(f"expected {dims[0]} elements in this dimension of the constant, found {len(values)}")
        return tuple(values)

    def _scalar(self, dtype: str) -> Value:
        token = self.cursor.next()
        if token.kind == "expression":
            return self.quoted(token)
        text = {"true": "1", "false": "0"}.get(token.text, token.text) if dtype == "pred" else token.text
        try:
            if is_float(dtype):
                value = float(text)
                return math.nan if value != value else value
            value = int(text)
        except ValueError:
            self.cursor.error(f"expected a value of type {dtype}, found '{token.text}'", ELIDED if token.text == "{" else None, token)
        low, high = integer_range(dtype)
        if not low <= value <= high:
            self.cursor.error(f"the constant {value} is not in the range {low}..{high} of {dtype}", at=token)
        return bool(value) if dtype == "pred" else value

    def attribute(self) -> Value:
        """A name, number, string, padding, or braces with such values or slices."""
        cursor, token = self.cursor, self.cursor.token
        match token.kind:
            case "padding":
                return self._padding(cursor.next())
            case "sizes":
                return self._sizes(cursor.next())
            case "labels":
                return cursor.next().text
            case "expression" | "number":
                return self.integer("an integer")
            case "name" | "string":
                return cursor.next().text.lstrip("%")
        if cursor.accept("{"):
            return self._braces()
        cursor.error(f"expected the value of an attribute, found '{token.text}'")

    def _braces(self) -> tuple[Value, ...]:
        values = []
        while not self.cursor.accept("}"):
            values.append(self._range() if self.cursor.accept("[") else self.attribute())
            if not self.cursor.at("}"):
                self.cursor.expect(",", "or '}' in a list")
        return tuple(values)

    def _range(self) -> tuple[Dimension, Dimension, Dimension]:
        start = self.integer("the start of a slice")
        self.cursor.expect(":", "in a slice [start:limit]")
        limit = self.integer("the limit of a slice")
        stride = self.integer("the stride of a slice") if self.cursor.accept(":") else 1
        self.cursor.expect("]", "after a slice [start:limit:stride]")
        return start, limit, stride

    def named(self) -> dict[str, Value]:
        """Values by name, in braces, with or without commas between them: `{size=3x3 stride=2x2}`, `{rows=`n`, cols=16}`."""
        found: dict[str, Value] = {}
        self.cursor.expect("{", "to open a list of named values")
        while not self.cursor.accept("}"):
            name = self.cursor.kind("name", "a name such as size").text
            self.cursor.expect("=", f"after '{name}'")
            found[name] = self.attribute()
            self.cursor.accept(",")
        return found

    def _padding(self, token: Token) -> tuple[Value, ...]:
        """`low_high_interior` for each dimension, joined by `x`; quantities may be back-quoted."""
        text, quoted = self._unquoted(token)
        groups = ([_quantity(part, quoted) for part in group.split("_")] for group in text.split("x"))
        return tuple((*values, 0)[:3] for values in groups)

    def _sizes(self, token: Token) -> tuple[Value, ...]:
        """Quantities joined by `x`."""
        text, quoted = self._unquoted(token)
        return tuple(_quantity(part, quoted) for part in text.split("x"))

    def _unquoted(self, token: Token) -> tuple[str, dict[str, Dimension]]:
        """The text with `@1` and so on for what is back-quoted, and what that is."""
        parts, quoted = token.text.split("`"), {}
        for index in range(1, len(parts), 2):
            quoted[f"@{index}"] = self.quoted(Token("expression", parts[index], token.start, token.end))
            parts[index] = f"@{index}"
        return "".join(parts), quoted


def _quantity(text: str, quoted: dict[str, Dimension]) -> Dimension:
    return quoted[text] if text in quoted else int(text)


def _empty(dims: tuple[Dimension, ...]) -> Value:
    return tuple(_empty(dims[1:]) for _ in range(dims[0])) if dims else 0
