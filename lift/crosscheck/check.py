"""A netlist with its sources to verdicts: every definition against yosys, and against Icarus Verilog what yosys or Z3 leave open."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from lift.crosscheck import icarus, yosys
from lift.crosscheck.compare import compare
from lift.crosscheck.decide import RLIMIT
from lift.crosscheck.definitions import Definition, alone, definitions
from lift.crosscheck.icarus import Icarus, NotSimulated
from lift.crosscheck.parameters import overrides
from lift.crosscheck.reading import Ports
from lift.crosscheck.trials import run
from lift.crosscheck.verdicts import Verdict
from lift.netlist.model import Netlist
from lift.netlist.module import Design

TRIALS = 100


@dataclass(frozen=True, slots=True)
class Given:
    """What the design was read with, besides its files; `seed` is that of the random trials."""

    parameters: Mapping[str, int | str] = field(default_factory=dict)
    defines: Mapping[str, str] = field(default_factory=dict)
    include: Sequence[Path] = ()
    seed: int = 0
    rlimit: int = RLIMIT

    @property
    def macros(self) -> dict[str, str]:
        """`defines`, and the one that the reader adds."""
        return {"SYNTHESIS": ""} | dict(self.defines)

    def sources(self, files: Sequence[Path], parameters: Mapping[str, int | str]) -> icarus.Sources:
        """For a simulation of a module with these parameters."""
        return icarus.Sources(files, self.include, self.macros, parameters)


def compare_definitions(netlist: Netlist, given: Given, progress: Callable[[str], None] = lambda _: None) -> Iterator[Verdict]:
    """Verdicts for every target of every definition below the top of `netlist`.  Raises UserError when yosys is missing."""
    yosys.require()
    assert netlist.design is not None, "a netlist without definitions"
    check = _Check(netlist.top, netlist.design, given)
    for definition in check.definitions:
        progress(definition.label)
        yield from check.verdicts(definition)


class _Check:
    def __init__(self, top: str, design: Design, given: Given) -> None:
        self.top, self.design, self.given = top, design, given
        self.definitions = definitions(design)
        self.files = list(dict.fromkeys(Path(d.module.location.file) for d in self.definitions))
        self.sections: dict[str, yosys.Section] = {}  # by our key
        self.reasons: dict[str, str] = {}
        for definition in self.definitions:
            if definition.key not in self.sections and definition.refused is None:
                self._translate(definition)

    def _translate(self, definition: Definition) -> None:
        """Let yosys read a definition with all below it.  One run will do, unless something on the way down is not read."""
        own = self._parameters(definition)
        request = yosys.Request(self._below(definition.key), definition.module.name, own, self.given.macros, self.given.include)
        done = yosys.translate(request, {file: _stubs(self.definitions, file) for file in request.files})
        unread = done.unread.get(Path(definition.module.location.file))
        if done.text is None or unread:
            self.reasons[definition.key] = unread or done.failed or ""
            return
        found = yosys.sections(done.text)
        names = _matched(self.design, definition.key, found, yosys.top_of(done.text))
        files = {key: Path(self.design.modules[key].location.file) for key in names}
        self.sections |= {key: found[n] for key, n in names.items() if n in found and files[key] not in done.unread}

    def _below(self, key: str) -> list[Path]:
        """The files of a definition and of all below it."""
        seen, waiting = {key}, [key]
        while waiting:
            more = {c.module for c in self.design.modules[waiting.pop()].instances if c.module is not None} - seen
            seen |= more
            waiting += more
        wanted = {Path(self.design.modules[k].location.file) for k in seen}
        return [file for file in self.files if file in wanted]

    def _parameters(self, definition: Definition) -> Mapping[str, int | str]:
        return overrides(definition.module, self.given.parameters if definition.key == self.design.top else {})

    def verdicts(self, definition: Definition) -> Iterator[Verdict]:
        if definition.refused is not None:
            yield self._none(definition, definition.refused)
        elif definition.key not in self.sections:
            yield from self._tested(definition, None, self.reasons.get(definition.key, "yosys has no such instance"))
        else:
            found = list(compare(definition, self.sections[definition.key], _ports(self.design, definition), self.given.rlimit))
            yield from (v for v in found if v.status != "not comparable")
            if left := [v for v in found if v.status == "not comparable"]:
                yield from self._tested(definition, left, "")

    def _none(self, definition: Definition, reason: str) -> Verdict:
        return Verdict(definition.label, "", "not comparable", reason, location=str(definition.module.location))

    def _tested(self, definition: Definition, left: list[Verdict] | None, reason: str) -> Iterator[Verdict]:
        """By random trials: the targets in `left`, or all of the definition's own."""
        assert definition.netlist is not None
        if left is None or any(v.target == "" for v in left):
            reason = reason or next(v.reason for v in left or () if v.target == "")
            left = [Verdict(definition.label, t, "not comparable", reason, location=where) for t, where in _own(definition.netlist)]
        try:
            netlist = alone(self.design, definition.key)
            with Icarus(netlist, self.given.sources(self._below(definition.key), self._parameters(definition))) as simulated:
                trials = run(netlist, simulated, f"{self.given.seed} {definition.label}", TRIALS)
        except NotSimulated as error:
            yield from (replace(v, reason=f"{v.reason}; {error}") for v in left)
            return
        known = {*netlist.registers, *netlist.outputs, *netlist.memories}
        for verdict in left:
            wrong = trials.wrong.get(verdict.target)
            if verdict.target not in known:
                yield verdict
            elif wrong is not None:
                yield replace(verdict, status="different", counterexample=wrong)
            else:
                yield replace(verdict, status="tested", trials=trials.count)


def _own(netlist: Netlist) -> Iterator[tuple[str, str]]:
    """The targets of a definition with its instances as black boxes, and where they are declared."""
    for name in [*netlist.registers, *netlist.outputs, *netlist.memories]:
        yield name, str(netlist.locations.get(name, ""))


def _ports(design: Design, definition: Definition) -> Ports:
    """The widths of the ports of each instance in a definition."""
    result: dict[str, dict[str, int]] = {}
    for child in definition.module.instances:
        module = None if child.module is None else design.modules[child.module]
        inputs = {n: v.width for n, v in child.inputs.items()} if module is None else module.inputs
        result[child.name] = {**inputs, **(child.outputs if module is None else module.outputs)}
    return result


def _matched(design: Design, key: str, sections: Mapping[str, yosys.Section], top: str) -> dict[str, str]:
    """yosys' name for each definition at and below `key`, by the instances on the way to it."""
    names, waiting = {key: top}, [key]
    while waiting:
        at = waiting.pop(0)
        section = sections.get(names[at])
        for child in design.modules[at].instances:
            if section is not None and child.module is not None and child.module not in names and child.name in section.cells:
                names[child.module] = section.cells[child.name]
                waiting.append(child.module)
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
