"""Source files to a `Netlist` by pyverilog: the second, independent reader, for Verilog-2005 as in rtl/.

pyverilog parses; elaboration, widths and signs are done here. What it cannot represent is refused with file and line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lift.errors import UserError
from lift.netlist.builder import Builder
from lift.netlist.hierarchy import flatten
from lift.netlist.model import Location, Netlist
from lift.netlist.module import Module
from lift.verilog.literals import UNSIZED_WIDTH, literal
from lift.verilog.pyverilog_instances import Elaborated
from lift.verilog.pyverilog_modules import Elaborator
from lift.verilog.pyverilog_parse import parse
from lift.verilog.pyverilog_scope import Constant
from lift.verilog.sources import Sources

MAXIMUM_DEPTH = 256  # of instances in instances


def read(
    sources: Sources, top: str, defines: Mapping[str, str], parameters: Mapping[str, int | str], black_boxes: Sequence[str]
) -> Netlist:
    """See `lift.verilog.read`."""
    design = _Design(sources, dict(defines), frozenset(black_boxes))
    if top not in design.definitions:
        names = ", ".join(sorted(design.definitions)) or "none"
        raise UserError(None, f"no module '{top}' in the sources", f"the modules are: {names}")
    root = design.elaborate(top, {name: design.parameter(name, value) for name, value in parameters.items()}, Location("", 0))
    return flatten(design.modules, root.key, design.builder)


class _Design:
    """All definitions; elaborates each with each set of parameters once."""

    def __init__(self, sources: Sources, defines: dict[str, str], black_boxes: frozenset[str]) -> None:
        self.builder = Builder()
        self.definitions = parse(sources, defines)
        self.modules: dict[str, Module] = {}
        self._boxes = black_boxes
        self._done: dict[tuple[str, tuple[tuple[str | int, Constant], ...]], Elaborated] = {}
        self._open: list[object] = []

    def parameter(self, name: str, value: int | str) -> Constant:
        """The value of a parameter given to the top module."""
        if isinstance(value, int):
            return Constant(self.builder.const(value, max(UNSIZED_WIDTH, value.bit_length() + 1)), True)
        try:
            number = literal(value)
        except (ValueError, KeyError, IndexError):
            raise UserError(None, f"the value '{value}' of parameter '{name}' is no number", "use a Verilog number") from None
        return Constant(self.builder.const(number.value, number.width, number.xmask), number.signed)

    def is_black_box(self, name: str) -> bool:
        """See `Design`."""
        return name in self._boxes

    def elaborate(self, name: str, overrides: Mapping[str | int, Constant], at: Location) -> Elaborated:
        """See `Design`."""
        if name not in self.definitions:
            raise UserError(str(at), f"unknown module '{name}'", "add its file, or name it as a black box")
        known = (name, tuple(sorted(overrides.items(), key=lambda item: str(item[0]))))
        if known not in self._done:
            if known in self._open or len(self._open) > MAXIMUM_DEPTH:
                raise UserError(str(at), f"module '{name}' contains itself", "let a parameter end the recursion")
            self._open.append(known)
            done = Elaborator(*self.definitions[name], self.builder, self).run(overrides, at if at.file else None)
            self._open.pop()
            self._done[known] = done
            self.modules.setdefault(done.key, done.module)
        return self._done[known]
