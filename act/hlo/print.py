"""A module or a TAIDL body -> canonical HLO text, such that parse(print(x)) == x.

Regions of reductions are written anew from their kind: `add_s32 { ... }` in a module, the operator's own name in a body.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from act.hlo.model import Computation, Dimension, Instruction, Module, Shape, TupleShape, Value
from act.hlo.opcodes import REDUCING
from act.hlo.windows import write_labels, write_window

Show = Callable[[Dimension], str]  # the text of a symbolic integer, without the back-quotes


def print_module(module: Module) -> str:
    main = module.main
    inputs = ", ".join(_shape(parameter.shape, str) for parameter in main.parameters)
    lines = [f"HloModule {module.name}, entry_computation_layout={{({inputs})->{_shape(main.result.shape, str)}}}{_aliases(module)}", ""]
    for kind, dtype in _regions(module):
        lines += [*_region(kind, dtype), ""]
    for name, computation in module.computations.items():
        if name != module.entry:
            lines += [f"{name} {{", *_lines(computation, str, _module_region), "}", ""]
    return "\n".join([*lines, f"ENTRY {main.name} {{", *_lines(main, str, _module_region), "}", ""])


def print_body(computation: Computation, show: Show = str) -> str:
    """One line per instruction, without a computation around them."""
    return "\n".join(line.strip() for line in _lines(computation, show, lambda each: each.attributes["kind"], sigil="%"))


def _regions(module: Module) -> list[tuple[str, str]]:
    found = {
        (each.attributes["kind"], each.shape.dtype)
        for computation in module.computations.values()
        for each in computation
        if each.opcode in REDUCING and isinstance(each.shape, Shape)
    }
    return sorted(found)


def _region(kind: str, dtype: str) -> list[str]:
    parameters = [f"  {name} = {dtype}[] parameter({number})" for number, name in enumerate(("x", "y"))]
    return [f"{kind}_{dtype} {{", *parameters, f"  ROOT result = {dtype}[] {kind}(x, y)", "}"]


def _module_region(each: Instruction) -> str:
    assert isinstance(each.shape, Shape)
    return f"{each.attributes['kind']}_{each.shape.dtype}"


def _lines(computation: Computation, show: Show, region: Callable[[Instruction], str], sigil: str = "") -> Iterable[str]:
    for each in computation:
        root = "ROOT " if each.name == computation.root else ""
        operands = ", ".join(sigil + operand for operand in each.operands)
        inside = _inside(each, show) or operands
        attributes = "".join(f", {text}" for text in _attributes(each, show, region))
        yield f"  {root}{sigil}{each.name} = {_shape(each.shape, show)} {each.opcode}({inside}){attributes}"


def _inside(each: Instruction, show: Show) -> str:
    if each.opcode == "parameter":
        return str(each.attributes["number"])
    return _literal(each.attributes["value"], show) if each.opcode == "constant" else ""


def _attributes(each: Instruction, show: Show, region: Callable[[Instruction], str]) -> Iterable[str]:
    given = each.attributes
    match each.opcode:
        case "iota":
            yield f"iota_dimension={given['dimension']}"
        case "broadcast" | "transpose" | "reverse":
            yield f"dimensions={_list(given['dimensions'])}"
        case "concatenate":
            yield f"dimensions={{{given['dimension']}}}"
        case "slice":
            triples = zip(given["start"], given["limit"], given["stride"], strict=True)
            yield f"slice={{{', '.join(_range(*triple, show=show) for triple in triples)}}}"
        case "pad":
            triples = zip(given["low"], given["high"], given["interior"], strict=True)
            edges = "x".join(_edges(*triple, show=show) for triple in triples)
            yield from [f"padding={edges}"] if edges else []
        case "dot":
            yield from (f"{name}={_list(value)}" for name, value in given.items() if value)
        case "reduce":
            yield from (f"dimensions={_list(given['dimensions'])}", f"to_apply={region(each)}")
        case "compare":
            yield f"direction={given['direction']}"
            if "order" in given:
                yield "type=TOTALORDER"
        case "reduce-window":
            yield from (_window(given, show), f"to_apply={region(each)}")
        case "convolution":
            yield from (_window(given, show), f"dim_labels={write_labels(given)}")
            groups = ("feature_group_count", "batch_group_count")
            yield from (f"{name}={_number(given[name], show)}" for name in groups if not (isinstance(given[name], int) and given[name] == 1))
        case "reduce-precision":
            yield from (f"{name}={value}" for name, value in given.items())
        case "dynamic-slice":
            yield f"dynamic_slice_sizes={{{', '.join(_number(size, show) for size in given['sizes'])}}}"
        case "get-tuple-element":
            yield f"index={given['index']}"
        case "call":
            yield f"to_apply={given['to_apply']}"
            if "bind" in given:
                yield f"bind={{{', '.join(f'{name}={_number(value, show)}' for name, value in given['bind'])}}}"
        case "fusion":
            yield from ("kind=kLoop", f"calls={given['to_apply']}")


def _window(given: Mapping[str, Value], show: Show) -> str:
    return f"window={{{write_window(given, lambda value: _number(value, show))}}}"


def _number(value: Dimension, show: Show) -> str:
    return str(value) if isinstance(value, int) else f"`{show(value)}`"


def _shape(shape: Shape | TupleShape, show: Show) -> str:
    if isinstance(shape, TupleShape):
        return f"({', '.join(_shape(element, show) for element in shape.elements)})"
    return f"{shape.dtype}[{', '.join(_number(size, show) for size in shape.dims)}]"


def _literal(value: Value, show: Show) -> str:
    if isinstance(value, tuple):
        return f"{{{', '.join(_literal(each, show) for each in value)}}}"
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if isinstance(value, float) else _number(value, show)


def _list(values: tuple[int, ...]) -> str:
    return f"{{{', '.join(map(str, values))}}}"


def _range(start: Dimension, limit: Dimension, stride: Dimension, show: Show) -> str:
    step = "" if isinstance(stride, int) and stride == 1 else f":{_number(stride, show)}"
    return f"[{_number(start, show)}:{_number(limit, show)}{step}]"


def _edges(low: Dimension, high: Dimension, interior: Dimension, show: Show) -> str:
    gap = "" if isinstance(interior, int) and interior == 0 else f"_{_number(interior, show)}"
    return f"{_number(low, show)}_{_number(high, show)}{gap}"


def _aliases(module: Module) -> str:
    """Where a result is one tensor its place is `{}`, else its number."""
    if not module.aliases:
        return ""
    several = isinstance(module.main.result.shape, TupleShape)
    found = [(f"{{{each.output if several else ''}}}", each.parameter, "must" if each.must else "may") for each in module.aliases]
    return ", input_output_alias={ " + ", ".join(f"{place}: ({number}, {{}}, {kind}-alias)" for place, number, kind in found) + " }"
