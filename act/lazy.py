"""Names of a package -> its modules, imported when a name is first asked for, so that a program imports what it uses."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any


def names_of(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package; `modules` are the names (separated by blanks) that each module has.  A name that is that of a module,
    too, is not the module."""
    where = {name: module for module, names in modules.items() for name in names.split()}

    def find(name: str) -> Any:
        if name not in where:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{where[name]}"), name)

    sys.modules[package].__class__ = type("Package", (_Package,), {"_names": frozenset(where)})
    return find


class _Package(ModuleType):
    """Importing a module does not set a name that means something else."""

    _names: frozenset[str]

    def __setattr__(self, name: str, value: object) -> None:
        if name not in self._names or not isinstance(value, ModuleType):
            super().__setattr__(name, value)
