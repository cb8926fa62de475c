"""rtl/ -> isas/generated/: lift every design in the tree and write, or with --check compare, its instruction set.

Exit status: 0 written or the same, 1 a difference (shown) or a design that could not be lifted.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from difflib import unified_diff
from pathlib import Path
from shutil import copyfile

REPOSITORY = Path(__file__).parents[1]
GENERATED = Path("isas/generated")
TENSORLIFT = Path(sys.executable).with_name("tensorlift")
# folder of the RTL -> top module
DESIGNS = {"rtl/gemmini": "Gemmini", "rtl/vta": "VTA"}


def lift(folder: str, top: str, output: Path) -> bool:
    """Write the instruction set of `top` to `output`; progress, errors and what was done in part only go where the command puts them."""
    command = [str(TENSORLIFT), folder, "--top", top, "-o", str(output), "--allow-partial", "--no-cache"]
    return subprocess.run(command, cwd=REPOSITORY, stdin=subprocess.DEVNULL).returncode == 0


def difference(old: Path, new: Path) -> str:
    before = old.read_text().splitlines(keepends=True) if old.exists() else []
    return "".join(unified_diff(before, new.read_text().splitlines(keepends=True), str(old.relative_to(REPOSITORY)), "lifted now"))


def regenerate(folder: str, top: str, check: bool) -> bool:
    """Returns whether the design was lifted and, under `check`, whether the file in the tree is what came out."""
    target = REPOSITORY / GENERATED / f"{Path(folder).name}.taidl"
    with tempfile.TemporaryDirectory() as scratch:
        fresh = Path(scratch) / target.name
        if not lift(folder, top, fresh):
            return False
        changes = difference(target, fresh)
        if changes and not check:
            target.parent.mkdir(parents=True, exist_ok=True)
            copyfile(fresh, target)
    print(changes or f"{target.relative_to(REPOSITORY)}: no difference", end="" if changes else "\n")
    return not (check and changes)


def main() -> int:
    parser = argparse.ArgumentParser(description="Lift every design in the tree and write its instruction set to isas/generated.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail with the difference if there is one")
    check = parser.parse_args().check
    results = [regenerate(folder, top, check) for folder, top in DESIGNS.items()]
    if check and not all(results):
        print("isas/generated is not what the RTL gives; run `make regenerate` and read the difference", file=sys.stderr)
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
