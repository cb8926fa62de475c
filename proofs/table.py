"""What the tests of this folder claim of each instruction and state variable -> the table in README.md, which `test_claims` compares with this."""

from __future__ import annotations

from pathlib import Path

from proofs.test_passes import PAIRS, TOO_LARGE

README = Path(__file__).with_name("README.md")
BEGIN, END = "<!-- begin of the table -->\n", "<!-- end of the table -->\n"
HEAD = (
    "| instruction | state variable | passes, each | after = before, whole | executed | text = lifted | assumed | opaque |\n|---|---|---|---|---|---|---|---|\n"
)
MOVES = ("mvin", "mvin2", "mvin3", "mvout")


def _assumed(instruction: str, target: str) -> str:
    """The numbers of the assumptions that the claims about an effect rest on."""
    if instruction.startswith("config"):
        return "1"
    if instruction in MOVES:
        return "1, 2, 3, 4"
    return "1, 3, 4" if target.endswith("mem") else "1, 4"


def table() -> str:
    """Sizes of the array for which something is proved (or, under *executed*, tested)."""
    rows = []
    for instruction, target in PAIRS:
        whole = "4" if (instruction, target) in TOO_LARGE else "4, 16"
        short = target.removeprefix("execute_controller.mesh_with_delays.mesh.row.col.tile.")
        rows.append(f"| {instruction} | {short} | 4, 16 | {whole} | 4, 16 | 4, 16 | {_assumed(instruction, target)} | - |\n")
    return HEAD + "".join(rows)


def main() -> None:
    """Writes the table into README.md."""
    text = README.read_text()
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    README.write_text(before + BEGIN + table() + END + after)


if __name__ == "__main__":
    main()
