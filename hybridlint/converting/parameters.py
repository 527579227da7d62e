"""Parameters and constants that a block registers itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hybridlint.converting.context import ConversionContext
from hybridlint.runtime.torch_code.errors import NoTranslationError
from hybridlint.runtime.torch_code.texts import shape_arguments

if TYPE_CHECKING:
    import libcst


def parameter_text(context: ConversionContext, original: libcst.Call, updated: libcst.Call) -> str:
    """Return the parameter that a call registers. Raises NoTranslationError."""
    arguments: dict[str, str] = {}
    positional: list[str] = []
    for argument in updated.args:
        text = context.code(argument.value)
        if argument.star:
            raise NoTranslationError(f"a parameter with `{argument.star}{text}`")
        if argument.keyword is None:
            positional.append(text)
        else:
            arguments[argument.keyword.value] = text
    name = context.code(original.func).rpartition(".")[2]
    if name in ("get_constant", "Constant"):
        value = arguments.get("value", positional[-1] if positional else "")
        return value if value.startswith("torch.") else f"torch.as_tensor({value})"
    shape = arguments.get("shape", positional[2] if len(positional) > 2 else None)
    if shape is None:
        raise NoTranslationError("a parameter without a shape")
    if "0" in shape.strip("() ").replace(" ", "").split(","):
        raise NoTranslationError("a parameter whose shape follows from the inputs: write its sizes")
    if _deferred_names(context) & set(re.findall(r"\w+", shape)):
        raise NoTranslationError("a parameter whose shape follows from the inputs: write its sizes")
    grad = arguments.get("grad_req", "'write'").strip("'\"")
    frozen = ", requires_grad=False" if grad == "null" or arguments.get("differentiable") == "False" else ""
    return f"nn.Parameter({_filled(shape, arguments.get('init'))}{frozen})"


def _deferred_names(context: ConversionContext) -> set[str]:
    """Return the arguments of the constructor whose default of 0 leaves a size to the inputs."""
    return {name for scope in context.scopes.stack for name in scope.zeros}


def _filled(shape: str, init: str | None) -> str:
    """Return a tensor with first values; a statement after it sets the values of random initializers."""
    full, shape = shape, shape_arguments(shape)
    plain = (init or "").strip("'\"").lower()
    if plain == "zeros" or (init or "").endswith("Zero()"):
        return f"torch.zeros({shape})"
    if plain == "ones" or (init or "").endswith("One()"):
        return f"torch.ones({shape})"
    if init is not None and "Constant(" in init:
        return f"torch.full({full}, {init.rpartition('(')[2].removesuffix(')').removeprefix('value=')})"
    return f"torch.empty({shape})"
