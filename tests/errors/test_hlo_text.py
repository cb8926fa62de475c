"""What is said of HLO text that cannot be read: hlo/NAME.hlo gives the message in hlo/NAME.txt."""

from pathlib import Path

import pytest

from act.errors import UserError
from act.hlo import parse_module

CASES = sorted(Path(__file__).parent.glob("hlo/*.hlo"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_bad_module_is_refused_with_one_message(path, golden):
    with pytest.raises(UserError) as caught:
        parse_module(path.read_text(), path.name)
    golden(f"hlo/{path.stem}.txt", f"{caught.value}\n")
