"""What is written depends on the input alone: not on the hashes of strings, which differ from process to process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from act.backend.formats import FORMS

ROOT = Path(__file__).parents[3]
SCRIPT = """
import sys
from pathlib import Path
from act.cli import cc_main, gen_main
assert gen_main([sys.argv[1], "-o", "backend"]) == 0
for form in sys.argv[3].split(","):
    for name, options in {"first": [], "searched": ["--search"], "seeded": ["--seed", "7"]}.items():
        assert cc_main(["backend", sys.argv[2], "--emit", form, "-o", f"{name}.{form}", *options]) == 0
"""


def written(folder: Path, seed: str, kernel: str) -> dict[str, bytes]:
    folder.mkdir()
    isa = ROOT / "isas" / "generated" / "gemmini.taidl"
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    command = [sys.executable, "-c", SCRIPT, str(isa), str(ROOT / "examples" / "kernels" / kernel), ",".join(FORMS)]
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True, timeout=300)
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file() and "__pycache__" not in str(file)}


@pytest.mark.parametrize("kernel", ["chain_clamp_s8.hlo", "add_s32.hlo"])
def test_the_same_bytes_whatever_the_hashes(kernel, tmp_path):
    first = written(tmp_path / "0", "0", kernel)
    assert len(first) == 3 * len(FORMS) + 4
    for seed in ("1", "12345"):
        assert written(tmp_path / seed, seed, kernel) == first
