"""A netlist with its sources to a report: every definition against yosys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from lift.crosscheck import yosys
from lift.crosscheck.compare import RLIMIT, compare
from lift.crosscheck.definitions import Definition, definitions
from lift.crosscheck.reading import Ports
from lift.crosscheck.verdicts import Verdict
from lift.netlist.model import Netlist
from lift.netlist.module import Design


def compare_definitions(
    netlist: Netlist,
    parameters: Mapping[str, int | str] = {},
    defines: Mapping[str, str] = {},
    include: Sequence[Path] = (),
    rlimit: int = RLIMIT,
    progress: Callable[[str], None] = lambda _: None,
) -> Iterator[Verdict]:
    """Verdicts for every target of every definition below the top of `netlist`.  Raises UserError when yosys is missing."""
    yosys.require()
    design = netlist.design
    assert design is not None, "a netlist without definitions"
    found = definitions(design)
    files = list(dict.fromkeys(Path(d.module.location.file) for d in found))
    request = yosys.Request(files, netlist.top, parameters, defines, include)
    translation = yosys.translate(request, {file: _stubs(found, file) for file in files})
    sections = {} if translation.text is None else yosys.sections(translation.text)
    names = {} if translation.text is None else _matched(found, sections, yosys.top_of(translation.text))
    for definition in found:
        progress(definition.label)
        reason = definition.refused or translation.failed or translation.unread.get(Path(definition.module.location.file))
        if reason is None and names.get(definition.key) not in sections:
            reason = "yosys has no such instance"
        if reason is not None:
            yield Verdict(definition.label, "", "not comparable", reason, location=str(definition.module.location))
        else:
            yield from compare(definition, sections[names[definition.key]], _ports(design, definition), rlimit)


def _ports(design: Design, definition: Definition) -> Ports:
    """The widths of the ports of each instance in a definition."""
    result: dict[str, dict[str, int]] = {}
    for child in definition.module.instances:
        module = None if child.module is None else design.modules[child.module]
        inputs = {n: v.width for n, v in child.inputs.items()} if module is None else module.inputs
        result[child.name] = {**inputs, **(child.outputs if module is None else module.outputs)}
    return result


def _matched(found: Sequence[Definition], sections: Mapping[str, yosys.Section], top: str) -> dict[str, str]:
    """yosys' name for each definition, by the instances on the way to it."""
    names = {found[0].key: top}
    for definition in found:
        section = sections.get(names.get(definition.key, ""))
        for child in definition.module.instances:
            if section is not None and child.module is not None and child.name in section.cells:
                names.setdefault(child.module, section.cells[child.name])
    return names


def _stubs(found: Sequence[Definition], file: Path) -> str:
    """Black boxes in place of the modules of `file`."""
    texts: dict[str, str] = {}
    for definition in found:
        module = definition.module
        if Path(module.location.file) == file:
            ports = [f"{kind} [{w - 1}:0] {n}" for kind, group in (("input", module.inputs), ("output", module.outputs)) for n, w in group.items()]
            texts.setdefault(module.name, f"(* blackbox *) module {module.name}({', '.join(ports)}); endmodule\n")
    return "".join(texts.values())
