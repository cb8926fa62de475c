"""TAIDL -> compiler backend."""

from typing import Any


def __getattr__(name: str) -> Any:
    """`from act.generator import generate_backend`, a published name; the compiler imports this package and needs none of it."""
    if name != "generate_backend":
        raise AttributeError(name)
    from act.generators import generate_backend

    return generate_backend
