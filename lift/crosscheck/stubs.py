"""The instances of a definition -> modules without contents in their place, so that a simulator executes the definition alone.

Output ports are variables for a test bench to set.  A module that is instantiated with several widths gets the largest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from lift.crosscheck.check import Given
from lift.crosscheck.definitions import Definition
from lift.crosscheck.icarus import Icarus, NotSimulated
from lift.crosscheck.parameters import overrides
from lift.netlist.module import Design


@contextmanager
def alone_on_icarus(design: Design, definition: Definition, given: Given) -> Iterator[Icarus]:
    """The definition with stubs for its instances.  Raises NotSimulated where Icarus does not take it."""
    if definition.netlist is None:
        raise NotSimulated(str(definition.refused))
    file = Path(definition.module.location.file)
    sources = given.sources([file], overrides(definition.module, given.parameters))
    with Icarus(definition.netlist, sources, stubs(design, definition)) as machine:
        yield machine


def stubs(design: Design, definition: Definition) -> str:
    """Their text.  Raises NotSimulated for what the design does not contain."""
    ports: dict[str, dict[str, tuple[str, int]]] = {}
    for child in definition.module.instances:
        if child.module is None:
            raise NotSimulated(f"{child.name} is an instance of a module that is not read")
        module = design.modules[child.module]
        if module.location.file == definition.module.location.file:
            raise NotSimulated(f"{module.name} is in the same file")
        known = ports.setdefault(module.name, {})
        for kind, group in (("input", module.inputs), ("output reg", module.outputs)):
            known |= {n: (kind, max(width, known.get(n, ("", 0))[1])) for n, width in group.items()}
    return "".join(_stub(name, group) for name, group in ports.items())


def _stub(name: str, ports: Mapping[str, tuple[str, int]]) -> str:
    return f"module {name}({', '.join(f'{kind} [{width - 1}:0] {port}' for port, (kind, width) in ports.items())}); endmodule\n"
