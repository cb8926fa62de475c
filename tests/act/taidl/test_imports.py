"""What a compiler needs of this package starts quickly."""

import subprocess
import sys


def test_reading_an_instruction_set_does_not_import_numpy() -> None:
    code = "import sys, act.taidl, act.taidl.encode, act.taidl.verify, act.program, act.files; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_a_name_is_not_the_module_of_that_name():
    from act.taidl import verify
    from act.taidl.verify import load

    assert callable(verify) and callable(load)
