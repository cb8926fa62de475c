"""tensorlift diff: two instruction sets in TAIDL -> what changed, in terms of instructions."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from lift.errors import UserError

SAME, DIFFERENT, TROUBLE = 0, 1, 2


def main(argv: Sequence[str]) -> int:
    """Exit status as `diff` has it: 0 the same, 1 different, 2 wrong usage or a file that cannot be read."""
    parser = argparse.ArgumentParser(
        prog="tensorlift diff",
        description="Say what changed between two instruction sets, instruction by instruction.",
        epilog="exit status: 0 the same, 1 different, 2 wrong usage or a file that cannot be read",
    )
    parser.add_argument("old", metavar="OLD.taidl", type=Path, help="the instruction set before")
    parser.add_argument("new", metavar="NEW.taidl", type=Path, help="the instruction set after")
    arguments = parser.parse_args(argv)
    return compare(arguments.old, arguments.new)


def compare(old: Path, new: Path) -> int:
    """Prints the changes, or what is wrong with the files."""
    from lift.diff.compare import differences
    from lift.diff.files import read

    try:
        found = differences(read(old), read(new))
    except UserError as error:
        print(error, file=sys.stderr)
        return TROUBLE
    for change in found:
        print(change)
    return DIFFERENT if found else SAME
