"""act-gen and act-cc from the command line: what they write, what they refuse, and their exit statuses."""

import json

import pytest

from act.cli import cc_main, gen_main
from act.hlo.model import Module
from act.program import parse_program
from tests.act.backend.backends import ROOT, SYSTOLIC, hlo

KERNEL = hlo(
    "a = s8[4,6] parameter(0)",
    "b = s8[6,5] parameter(1)",
    "d = s32[4,5] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
)


@pytest.fixture(scope="module")
def backend(tmp_path_factory):
    folder = tmp_path_factory.mktemp("backend") / "systolic"
    assert gen_main([str(SYSTOLIC), "-o", str(folder)]) == 0
    return folder


@pytest.fixture
def kernel(tmp_path):
    file = tmp_path / "kernel.hlo"
    file.write_text(KERNEL)
    return file


def test_a_backend_is_named_after_its_accelerator(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert gen_main([str(SYSTOLIC)]) == 0
    files = {file.name for file in (tmp_path / "backends" / "systolic16").iterdir()}
    assert files == {"isa.taidl", "rules.py", "manifest.json", "__main__.py", "__pycache__"}
    assert "15 instructions to select" in capsys.readouterr().out


def test_generation_is_the_same_every_time(backend, tmp_path):
    assert gen_main([str(SYSTOLIC), "-o", str(tmp_path / "again")]) == 0
    for file in ("isa.taidl", "rules.py", "manifest.json", "__main__.py"):
        assert (tmp_path / "again" / file).read_text() == (backend / file).read_text()


def test_rules_can_be_listed(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert gen_main([str(SYSTOLIC), "--list-rules"]) == 0
    assert "matmul(m, k, n | a, b, c)\n  computes  s32[m,n] dot(" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_a_kernel_becomes_a_program(backend, kernel, tmp_path):
    out = tmp_path / "kernel.asm"
    assert cc_main([str(backend), str(kernel), "-o", str(out)]) == 0
    assert [region.name for region in parse_program(out.read_text()).regions] == ["a", "b", "out0"]


def test_without_a_file_the_program_is_printed(backend, kernel, capsys):
    assert cc_main([str(backend), str(kernel)]) == 0
    assert capsys.readouterr().out.startswith("act-asm 1\n")


def test_the_check_says_that_it_was_made(backend, kernel, capsys):
    assert cc_main([str(backend), str(kernel), "--check", "--seed", "7"]) == 0
    assert "equals the reference" in capsys.readouterr().err


def test_a_program_that_disagrees_is_not_written(backend, kernel, tmp_path, monkeypatch, capsys):
    import act.backend.verify as verify

    right = verify.evaluate

    def wrong(module: Module, arguments):
        return right(module, arguments) + 1

    monkeypatch.setattr(verify, "evaluate", wrong)
    out = tmp_path / "kernel.asm"
    assert cc_main([str(backend), str(kernel), "-o", str(out), "--check"]) == 4
    assert not out.exists()
    assert "differs from the reference" in capsys.readouterr().err


def test_statistics_and_report(backend, kernel, tmp_path):
    stats, report = tmp_path / "stats.json", tmp_path / "report"
    assert cc_main([str(backend), str(kernel), "-o", str(tmp_path / "k.asm"), "--stats", str(stats), "--report", str(report)]) == 0
    found = json.loads(stats.read_text())
    assert {"parse_s", "saturate_s", "extract_s", "allocate_s", "emit_s", "replay_s", "instructions", "peak_mb"} <= found.keys()
    assert {file.name for file in report.iterdir()} == {"egraph.txt", "operations.txt"}


def test_the_folder_is_a_program_of_its_own(backend, kernel):
    import subprocess
    import sys

    run = subprocess.run([sys.executable, str(backend), str(kernel)], capture_output=True, text=True, cwd=ROOT)
    assert run.returncode == 0
    assert run.stdout.startswith("act-asm 1\n")


def test_nothing_heavy_is_imported_to_compile(backend, kernel, tmp_path):
    import subprocess
    import sys

    arguments = [str(backend), str(kernel), "-o", str(tmp_path / "k.asm")]
    code = f"import sys; from act.cli import cc_main; status = cc_main({arguments!r}); print(status, *sorted(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    status, *modules = run.stdout.split()
    assert status == "0"
    assert not {"numpy", "ortools", "z3", "egglog", "rich", "xdsl", "pyslang"} & set(modules)


def test_a_kernel_without_a_program_leaves_no_file(backend, tmp_path, capsys):
    file = tmp_path / "kernel.hlo"
    file.write_text(hlo("a = s32[4,4] parameter(0)", "b = s32[4,4] multiply(a, a)"))
    assert cc_main([str(backend), str(file), "-o", str(tmp_path / "k.asm")]) == 1
    assert "multiply(s32[4,4], s32[4,4]) -> s32[4,4], which no instruction computes into" in capsys.readouterr().err
    assert not (tmp_path / "k.asm").exists()


def test_a_budget_ends_the_search(backend, kernel, capsys):
    assert cc_main([str(backend), str(kernel), "--budget", "3"]) == 1
    assert "--budget" in capsys.readouterr().err
    with pytest.raises(SystemExit) as status:
        cc_main([str(backend), str(kernel), "--budget", "0"])
    assert status.value.code == 2


@pytest.mark.parametrize("name", ["isa.taidl", "rules.py"])
def test_a_backend_that_was_changed_is_refused(tmp_path, kernel, name, capsys):
    folder = tmp_path / "backend"
    assert gen_main([str(SYSTOLIC), "-o", str(folder)]) == 0
    (folder / name).write_text((folder / name).read_text() + "\n")
    assert cc_main([str(folder), str(kernel)]) == 1
    assert f"{name}: error: it is not what act-gen wrote" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "[]", '{"format": 99, "records_sha256": "", "isa_sha256": "", "rules_sha256": ""}'])
def test_a_manifest_of_something_else_is_refused(tmp_path, kernel, text, capsys):
    (tmp_path / "manifest.json").write_text(text)
    assert cc_main([str(tmp_path), str(kernel)]) == 1
    assert "expected" in capsys.readouterr().err


def test_a_backend_of_another_version_is_refused(tmp_path, kernel, capsys):
    folder = tmp_path / "backend"
    assert gen_main([str(SYSTOLIC), "-o", str(folder)]) == 0
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | {"records_sha256": "0"}))
    assert cc_main([str(folder), str(kernel)]) == 1
    assert "written by another version of act-gen\n  generate the backend again" in capsys.readouterr().err


def test_a_folder_that_is_no_backend_is_refused(tmp_path, kernel, capsys):
    assert cc_main([str(tmp_path), str(kernel)]) == 1
    assert "act-gen SPEC.taidl" in capsys.readouterr().err
