"""StableHLO text -> `Module`, by XLA's own conversion to HLO; needs the extra `[jax]`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from act.errors import UserError
from act.hlo.model import Module
from act.hlo.parse import parse_module

INSTALL = "install it: pip install 'tensorlift[jax]'"


def module_from_stablehlo(text: str | bytes, filename: str = "<stablehlo>") -> Module:
    """The function `main` of an MLIR module of StableHLO, as text or bytecode; `UserError` where it is malformed or uses more than act.hlo."""
    mlir = _client()._xla.mlir
    try:
        computation = mlir.mlir_module_to_xla_computation(text, use_tuple_args=False, return_tuple=False)
    except Exception as error:  # the class depends on the version of jaxlib
        reason = str(error).strip().splitlines()[0]
        raise UserError(filename, f"this is no StableHLO that XLA reads: {reason}", "give an MLIR module with a function @main") from None
    return module_of(computation, filename)


def module_of(computation: Any, filename: str) -> Module:
    """An XLA computation, by its text, in which constants are complete."""
    options = _client().hlo.HloPrintOptions()
    options.print_large_constants = True
    options.print_metadata = False
    return parse_module(computation.get_hlo_module().to_string(options), filename)


def _client() -> Any:
    try:
        return import_module("jaxlib.xla_client")
    except ImportError:
        raise UserError(None, "StableHLO is converted by jaxlib, which is not installed", INSTALL) from None
