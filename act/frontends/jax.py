"""A JAX function and examples of its arguments -> `Module`; needs the extra `[jax]`."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from act.errors import UserError
from act.frontends.stablehlo import INSTALL, module_of
from act.hlo.model import Computation, Module
from act.records import replace


def module_from_function(function: Callable[..., Any], *examples: Any) -> Module:
    """The computation of `function`, which may be jitted already, on arguments like `examples`: arrays or `jax.ShapeDtypeStruct`s, or trees of these.

    Every array among the arguments is a parameter, used or not.  `UserError` where the computation needs more than act.hlo has.
    """
    try:
        jax: Any = import_module("jax")
    except ImportError:
        raise UserError(None, "jax is not installed", INSTALL) from None
    lowered = jax.jit(function, keep_unused=True).lower(*examples)
    return plain_names(module_of(lowered.compiler_ir(dialect="hlo"), getattr(function, "__name__", "<function>")))


def plain_names(module: Module) -> Module:
    """`x.1` --> `x` for parameters of the entry, where that name is free."""
    main = module.main
    taken = {each.name for each in main}
    names = {each.name: each.name.rpartition(".")[0] for each in main.parameters if each.name.rpartition(".")[2].isdigit()}
    free = {name for name in names.values() if name and name not in taken and list(names.values()).count(name) == 1}
    renamed = {old: new for old, new in names.items() if new in free}
    return replace(module, computations={**module.computations, module.entry: _renamed(main, renamed)})


def _renamed(computation: Computation, names: dict[str, str]) -> Computation:
    steps = (replace(each, name=names.get(each.name, each.name), operands=tuple(names.get(o, o) for o in each.operands)) for each in computation)
    return replace(computation, instructions=tuple(steps), root=names.get(computation.root, computation.root))
