"""How large the code is: files and lines by package, functions by length, and the files that may be two."""

from __future__ import annotations

import ast
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

REPOSITORY = Path(__file__).parents[1]
LIMIT = 300  # lines; beyond it a file is probably two


def lines(file: Path) -> int:
    return len(file.read_text().splitlines())


def function_lengths(file: Path) -> list[int]:
    """Lines of every function, its signature and docstring included."""
    functions = (node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return [(node.end_lineno or node.lineno) - node.lineno + 1 for node in functions]


def row(files: list[Path]) -> list[str]:
    lengths = sorted(length for file in files for length in function_lengths(file)) or [0]
    return [str(len(files)), str(sum(map(lines, files))), f"{median(map(lines, files)):.0f}", f"{median(lengths):.0f}", str(lengths[len(lengths) * 9 // 10])]


def main() -> None:
    table = Table("package", "files", "lines", "median file", "median function", "90 % of functions up to", title="size in lines")
    everything = sorted(file for half in ("lift", "act", "scripts", "tests", "proofs") for file in (REPOSITORY / half).rglob("*.py"))
    for package in sorted({"/".join(file.relative_to(REPOSITORY).parts[:2][: len(file.relative_to(REPOSITORY).parts) - 1]) for file in everything}):
        table.add_row(package, *row([file for file in everything if file.parent.is_relative_to(REPOSITORY / package)]))
    table.add_row("all", *row(everything))
    Console().print(table)
    for file in sorted(everything, key=lines, reverse=True):
        if lines(file) > LIMIT:
            print(f"{lines(file):5} lines: {file.relative_to(REPOSITORY)}")


if __name__ == "__main__":
    main()
