"""Sequences of instructions, of composites and macros: text <-> `Part`, `Loop` and `Branch`.

for i < rows / 16 {
  mvin(rows = 16, cols = 16, addr = a + 1024 * i, row = 16 * i)
  if i == 0 { fence() } else { wait(which = i) }
}
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from act.taidl.expr_text import WORDS, print_expr, read_expr
from act.taidl.model import Branch, Expr, Index, Loop, Part, Step
from act.taidl.scanner import Scanner, SyntaxProblem


def read_parts(scanner: Scanner) -> tuple[Part, ...]:
    """`= instruction(attribute = value, ...) ; ...`."""
    scanner.expect("=")
    parts = [_part(scanner)]
    while scanner.accept(";"):
        parts.append(_part(scanner))
    return tuple(parts)


def _part(scanner: Scanner) -> Part:
    instruction = scanner.name("an instruction", WORDS)
    arguments: dict[str, Expr] = {}
    scanner.expect("(")
    while scanner.peek().text != ")":
        at, name = scanner.peek().at, scanner.name("an attribute")
        if name in arguments:
            raise SyntaxProblem(at, f"'{name}' is given twice", "give each attribute one value")
        scanner.expect("=")
        arguments[name] = read_expr(scanner)
        if not scanner.accept(","):
            break
    scanner.expect(")")
    return Part(instruction, arguments)


def read_steps(scanner: Scanner) -> tuple[Step, ...]:
    """`{ step ... }`; a `;` between steps is optional."""
    scanner.expect("{")
    found: list[Step] = []
    while not scanner.accept("}"):
        found.append(_step(scanner))
        scanner.accept(";")
    return tuple(found)


def _step(scanner: Scanner) -> Step:
    if scanner.accept("if"):
        condition, then = read_expr(scanner), read_steps(scanner)
        return Branch(condition, then, read_steps(scanner) if scanner.accept("else") else ())
    if scanner.peek().text != "for":
        return _part(scanner)
    scanner.next()
    name = scanner.name("an index variable", WORDS)
    scanner.expect("<")
    return Loop(Index(name, read_expr(scanner)), read_steps(scanner))


def print_part(part: Part) -> str:
    return f"{part.instruction}({', '.join(f'{name} = {print_expr(value)}' for name, value in part.arguments.items())})"


def print_steps(steps: Sequence[Step], indent: str) -> Iterator[str]:
    """One line for each instruction and each brace."""
    for step in steps:
        match step:
            case Part():
                yield indent + print_part(step)
            case Loop(index, inner):
                yield from _block(f"for {index.name} < {print_expr(index.extent)} {{", inner, indent)
                yield f"{indent}}}"
            case Branch(condition, then, otherwise):
                yield from _block(f"if {print_expr(condition)} {{", then, indent)
                yield from _block("} else {", otherwise, indent) if otherwise else ()
                yield f"{indent}}}"


def _block(head: str, steps: Sequence[Step], indent: str) -> Iterator[str]:
    yield indent + head
    yield from print_steps(steps, indent + "  ")


def calls(steps: Sequence[Step]) -> Iterator[Part]:
    """Every instruction in the steps, once for each place."""
    for step in steps:
        match step:
            case Part():
                yield step
            case Loop(_, inner):
                yield from calls(inner)
            case Branch(_, then, otherwise):
                yield from calls((*then, *otherwise))


def extents(steps: Sequence[Step]) -> Iterator[Expr]:
    """Every extent and condition in the steps."""
    for step in steps:
        match step:
            case Loop(index, inner):
                yield index.extent
                yield from extents(inner)
            case Branch(condition, then, otherwise):
                yield condition
                yield from extents((*then, *otherwise))
