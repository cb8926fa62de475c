"""Rules -> text to read: what the compiler will look for, instruction by instruction."""

from __future__ import annotations

from collections.abc import Iterator

from act.generator.model import Access, Apply, InHost, Leaf, Operand, Pattern, Rules, Selector, Setter, Splat, Start
from act.generator.unusable import message
from act.hlo.dtypes import width
from act.taidl.expr_text import print_expr
from act.taidl.model import Accelerator, Expr, Use


def summary(rules: Rules) -> str:
    tiles, selected = rules.tiles, sum(each.narrow is None for each in rules.selectors)
    return (
        f"{selected} instructions to select, {len(rules.setters)} that set registers, {len(rules.unused)} not used; "
        f"tiles of {tiles.rows}x{tiles.columns}, depth {tiles.depth}"
    )


def listing(accelerator: Accelerator, rules: Rules) -> str:
    """The rules of `accelerator`, one paragraph an instruction."""
    parts = [f"{accelerator.name}: {summary(rules)}"]
    parts += ["\n".join(_selector(selector)) for selector in rules.selectors]
    parts += [_setter(setter) for setter in rules.setters]
    parts += [f"{name}: not used, because {reason}" for name, reason in rules.unused]
    parts += filter(None, [message(accelerator, rules)])
    parts += _rewrites(rules)
    return "\n\n".join(parts)


def _rewrites(rules: Rules) -> Iterator[str]:
    """The rewrite rules that can matter for these instructions, by family, each with the reason; and of the others only their number."""
    from act.rewrites import FAMILIES, RULES, verdicts, vocabulary  # takes a while, and is only needed here

    found = list(verdicts(RULES, vocabulary(rules.selectors)))
    kept = [each for each in found if each.kept]
    yield f"{len(kept)} of {len(found)} rewrite rules can matter"
    for family, members in FAMILIES.items():
        names = {rule.name for rule in members}
        lines = [f"  {each.rule.name}: {each.rule.statement}\n    kept: {each.reason}" for each in kept if each.rule.name in names]
        yield "\n".join([f"rewrites, {family}: {len(lines)} of {len(members)}", *lines])


def _selector(selector: Selector) -> Iterator[str]:
    modulo = "" if selector.narrow is None else f" modulo 2**{width(selector.narrow)}"
    yield f"{selector.name}({', '.join(selector.alpha)} | {', '.join(selector.beta)}){modulo}"
    yield f"  computes  {_pattern(selector.pattern, selector)}"
    for operand in selector.operands:
        yield f"  operand   {_operand(operand)}{', updated in place' if operand.tied else ''}"
    yield f"  result    {_operand(selector.result)}"
    yield from (f"  if        {print_expr(condition)}" for condition in selector.conditions)
    yield from (f"  needs     {_use(use)}" for use in selector.uses)


def _setter(setter: Setter) -> str:
    effects = "; ".join(f"{each.state}{_index(each.index)} = {print_expr(each.value)}" for each in setter.sets)
    fixed = "".join(f"\n  with      {name} = {value}" for name, value in setter.fixed)
    return f"{setter.name}({', '.join(setter.attributes)})\n  sets      {effects}{fixed}"


def _use(use: Use) -> str:
    value = f" == {print_expr(use.equals)}" if use.equals is not None else f" as {use.name}"
    return f"{use.state}{_index(use.index)}{value}"


def _index(index: Expr | None) -> str:
    return "" if index is None else f"[{print_expr(index)}]"


def _dims(dtype: str, dims: tuple[Expr, ...]) -> str:
    return f"{dtype}[{','.join(map(print_expr, dims))}]"


def _pattern(pattern: Pattern, selector: Selector) -> str:
    match pattern:
        case Leaf(operand):
            return f"%{selector.operands[operand].name}"
        case Splat(value):
            return str(value)
        case Apply(opcode, attributes, dtype, dims, children):
            shown = "".join(f", {name}={value}" for name, value in attributes if value != ())
            return f"{_dims(dtype, dims)} {opcode}({', '.join(_pattern(child, selector) for child in children)}{shown})"


def _operand(operand: Operand) -> str:
    return f"%{operand.name}: {_dims(operand.dtype, operand.dims)} {_access(operand.access)}"


def _access(access: Access) -> str:
    if isinstance(access, InHost):
        strides = ", ".join(map(print_expr, access.strides))
        return f"in {access.buffer} from byte {_start(access.start)}, strides ({strides})"
    starts = ", ".join(map(_start, access.starts))
    return f"in {access.buffer} from ({starts}), along coordinates {access.axes}"


def _start(start: Start) -> str:
    offset = print_expr(start.offset)
    if start.attribute is None:
        return offset
    scaled = start.attribute if start.scale == 1 else f"{start.scale} * {start.attribute}"
    return scaled if offset == "0" else f"{scaled} + {offset}"
