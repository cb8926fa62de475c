"""Packages whose names are imported when they are first asked for."""

import importlib
import subprocess
import sys

import pytest

PACKAGES = ["act.hlo", "act.taidl"]


def run(code: str) -> None:
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_found_and_is_no_module(package):
    run(f"import types, {package} as p; assert not [name for name in p.__all__ if isinstance(getattr(p, name), types.ModuleType)]")


@pytest.mark.parametrize("package", PACKAGES)
def test_a_public_name_is_found_also_after_all_modules_were_imported(package):
    code = f"""
import importlib, pkgutil, types, {package} as p
for each in pkgutil.iter_modules(p.__path__):
    importlib.import_module("{package}." + each.name)
assert not [name for name in p.__all__ if isinstance(getattr(p, name), types.ModuleType)]
"""
    run(code)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_name_that_does_not_exist_is_named_with_its_package(package):
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nothing'"):
        _ = importlib.import_module(package).nothing


def test_a_module_is_imported_when_one_of_its_names_is_asked_for():
    code = "import sys, act.taidl; assert 'act.taidl.print' not in sys.modules; act.taidl.print_text; assert 'act.taidl.print' in sys.modules"
    run(code)
