"""Functions of ``npx``: operators of neural networks, in the calling conventions of legacy operators."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.facts import registry
from hybridlint.runtime.facts.lookup import extension, extension_of_images
from hybridlint.runtime.numpy_functions.world import Function, NumpyWorld


def _operator(name: str, below: str = "") -> Function:
    def function(world: NumpyWorld, *args: Any, out: Any = None, name: str | None = None, **kwargs: Any) -> Any:
        op = registry.get(operator)
        count = len(args) if op.variadic else len(op.inputs)
        inputs = list(args[:count])
        params = dict(zip(op.params, args[count:], strict=False))
        inputs += [None] * (count - len(inputs))
        for key, value in kwargs.items():
            if key in op.inputs and not op.variadic:
                inputs[op.inputs.index(key)] = value
            else:
                params[key] = value
        if name is not None and not world.eager:
            params["name"] = name
        return world.call(operator, *inputs, out=out, hint=public, **params)

    operator, public = f"_npx_{below}{name}", name
    function.__doc__ = f"Return the operator `{name}`."
    return function


def reshape(world: NumpyWorld, a: Any, newshape: Any, reverse: bool = False, order: str = "C") -> Any:
    """Give the elements another shape by codes.

    -1 infers, -2 copies, -3 drops a 1, -4 copies the rest, -5 merges two, -6 splits one.
    """
    return world.call("_npx_reshape", a, newshape=newshape, reverse=reverse)


def constraint_check(world: NumpyWorld, x: Any, msg: str = "Constraint violated.") -> Any:
    """Return whether all elements are true. Raises ValueError with `msg` where one is not, once computed."""
    return world.call("_npx_constraint_check", x, msg=msg)


#: Functions of ``npx.image``.
IMAGES: dict[str, Function] = {name: _operator(name, "_image_") for name in extension_of_images()}
FUNCTIONS: dict[str, Function] = {
    **{name: _operator(name) for name in extension()},
    "constraint_check": constraint_check,
    "reshape": reshape,
}
