"""Generate constructs to the items that they stand for, with the names of their blocks (IEEE 1364-2005, 12.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from lift.errors import UserError
from lift.netlist.builder import Builder
from lift.verilog.pyverilog_expressions import Expressions
from lift.verilog.pyverilog_grammar import InlineFor, tree
from lift.verilog.pyverilog_scope import Constant, GenerateVariable, Scope

MAXIMUM_TURNS = 1 << 14


class Generate:
    """`elaborate(items, scope)` enters the items of a block."""

    def __init__(self, builder: Builder, expressions: Expressions, elaborate: Callable[[list[Any], Scope], None]) -> None:
        self._b, self._expressions, self._elaborate = builder, expressions, elaborate

    def loop(self, item: Any, scope: Scope) -> None:
        """A generate loop: one block for each value of its genvar."""
        name = self._genvar(item, scope)
        scope.constructs += 1
        block = _block_name(item.statement, scope)
        outer = Scope(scope.prefix, scope)
        index = self._expressions.integer(item.pre.right, scope)
        for _ in range(MAXIMUM_TURNS):
            outer.names[name] = Constant(self._b.const(index, 32), True)
            if not self._expressions.integer(item.cond, outer):
                return
            inner = outer.inner(f"{block}[{index}]")
            inner.names[name] = outer.names[name]
            self._elaborate(_block_items(item.statement), inner)
            index = self._expressions.integer(item.post.right, outer)
        raise UserError(self._expressions.location(item), f"the loop does not end within {MAXIMUM_TURNS} turns", "use constant bounds")

    def condition(self, item: Any, scope: Scope, counted: bool = False) -> None:
        """A generate-if: the branch that its constant condition takes."""
        scope.constructs += not counted
        taken = item.true_statement if self._expressions.integer(item.cond, scope) else item.false_statement
        if isinstance(taken, tree.IfStatement):
            self.condition(taken, scope, counted=True)
        elif taken is not None:
            self._block(taken, scope)

    def case(self, item: Any, scope: Scope) -> None:
        """A generate-case: the first item with an equal label, else the default."""
        scope.constructs += 1
        conditions = [c for alternative in item.caselist for c in alternative.cond or ()]
        width, signed = self._expressions.common([item.comp, *conditions], scope)

        def bits(e: Any) -> object:
            self._expressions.integer(e, scope)
            return self._expressions.value(e, width, signed, scope).attr

        selector = bits(item.comp)
        defaults = [a for a in item.caselist if a.cond is None]
        hits = [a for a in item.caselist if any(bits(c) == selector for c in a.cond or ())]
        for alternative in (hits or defaults)[:1]:
            if alternative.statement is not None:
                self._block(alternative.statement, scope)

    def _genvar(self, item: Any, scope: Scope) -> str:
        """The name of the loop's genvar."""
        if item.pre is None or item.cond is None or item.post is None:
            raise self._expressions.unsupported(item, "a generate loop without start, condition or step", "write all three")
        name, stepped = (getattr(part.left.var, "name", None) for part in (item.pre, item.post))
        if not isinstance(name, str) or name != stepped:
            raise self._expressions.unsupported(item, f"a generate loop that starts '{name}' and steps '{stepped}'", "use one genvar")
        if not isinstance(item, InlineFor) and not isinstance(scope.find(name), GenerateVariable):
            raise self._expressions.unsupported(item, f"a generate loop over '{name}', which is no genvar", "declare it as genvar")
        return name

    def _block(self, block: Any, scope: Scope) -> None:
        self._elaborate(_block_items(block), scope.inner(_block_name(block, scope)))


def flat(items: Iterable[Any]) -> Iterator[Any]:
    """The items with those of generate regions, which are no scopes."""
    for item in items or ():
        if isinstance(item, tree.GenerateStatement):
            yield from flat(item.items)
        else:
            yield item


def _block_name(block: Any, scope: Scope) -> str:
    return block.scope if isinstance(block, tree.Block) and block.scope else f"genblk{scope.constructs}"


def _block_items(block: Any) -> list[Any]:
    return list(flat(block.statements if isinstance(block, tree.Block) else [block]))
