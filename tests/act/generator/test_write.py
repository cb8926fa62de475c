"""A backend folder is loaded as what was written."""

import pytest

from act.backend.compile import Backend, compile_module
from act.backend.verify import disagreement
from act.generator.analyse import analyse
from act.generator.write import load_backend, write_backend
from act.hlo import parse_module
from act.program import isa_digest
from act.taidl import parse, print_text
from tests.act.backend.backends import ROOT, hlo

FILES = sorted((ROOT / "isas").glob("*/*.taidl"), key=str)


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_a_backend_is_loaded_as_it_was_written(tmp_path, file):
    accelerator = parse(file.read_text())
    text, rules = print_text(accelerator), analyse(accelerator)
    write_backend(tmp_path / "backend", accelerator, text, rules)
    assert load_backend(tmp_path / "backend") == Backend(accelerator, rules, isa_digest(text))


def test_a_loaded_backend_has_what_stands_for_other_instructions(tmp_path):
    accelerator = parse((ROOT / "isas" / "reference" / "decoupled.taidl").read_text())
    write_backend(tmp_path / "backend", accelerator, print_text(accelerator), analyse(accelerator))
    backend = load_backend(tmp_path / "backend")
    module = parse_module(
        hlo("a = s8[16,16] parameter(0)", "b = s8[16,16] parameter(1)", "d = s8[16,16] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={1}")
    )
    assert disagreement(backend.accelerator, module, compile_module(backend, module).program, rounds=1) is None
