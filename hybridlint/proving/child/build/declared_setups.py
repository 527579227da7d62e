"""The arguments and inputs that the user specified, in a directive or in the settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hybridlint.proving.child.build.arguments import ConstructorArguments
from hybridlint.proving.child.build.blocks import build
from hybridlint.proving.child.errors import NotRunError, failure
from hybridlint.proving.child.loaded_module import LoadedModule
from hybridlint.proving.child.specs.spec import Spec, spec_from_json
from hybridlint.text.suggest import did_you_mean

if TYPE_CHECKING:
    from hybridlint.proving.child.specs.signatures import CallSignature


def given_arguments(world: LoadedModule, cls: Any, path: str, recipe: Mapping[str, Any]) -> ConstructorArguments | None:
    """Return the constructor arguments in `recipe`, None if it has none. Raises NotRunError if they fail."""
    if "args" not in recipe and "kwargs" not in recipe:
        return None
    given = ConstructorArguments(list(recipe.get("args", [])), dict(recipe.get("kwargs", {})))
    try:
        build(world, cls, *given)
    except Exception as error:
        found = failure(error, path)
        raise NotRunError(
            f"{cls.__name__}({given}), as the directive says, fails: {found.sentence}",
            "Correct the arguments in the directive.",
            found.row,
        ) from error
    return given


def gives_inputs(recipe: Mapping[str, Any]) -> bool:
    """Whether the user specified the inputs of a block."""
    return "inputs" in recipe or bool(recipe.get("named"))


def given_inputs(recipe: Mapping[str, Any], takes: CallSignature) -> dict[str, Spec] | None:
    """Return specs of the specified inputs in call order, None if the user specified none.

    Raises NotRunError for an unknown name, or if a required input is missing.
    """
    specs = recipe.get("inputs")
    named = recipe.get("named") or {}
    if specs is None and not named:
        return None
    order = [*takes.required, *takes.optional]
    inputs = {order[k] if k < len(order) else f"input {k}": spec_from_json(s) for k, s in enumerate(specs or [])}
    inputs.update((name, spec_from_json(spec)) for name, spec in named.items())
    missing = [name for name in takes.required if name not in inputs]
    unknown = [] if takes.variadic else [name for name in inputs if name not in order]
    listed = ", ".join(f"`{name}`" for name in order) or "none"
    if unknown:
        wrong = f"names `{unknown[0]}`, which is no input; the inputs are {listed}"
        raise NotRunError(f"the directive {wrong}.{did_you_mean(unknown[0], order)}")
    if missing:
        raise NotRunError(f"the directive says nothing of input `{missing[0]}`; the inputs are {listed}")
    return {name: inputs[name] for name in sorted(inputs, key=lambda n: order.index(n) if n in order else 99)}
