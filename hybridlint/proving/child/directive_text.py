"""Conversion of a setup into a directive: the comment that specifies the same arguments and inputs."""

from __future__ import annotations

from collections.abc import Mapping

from hybridlint.proving.child.runs.setup import Setup
from hybridlint.proving.child.specs.spec import GivenSpec, Spec, TensorSpec

#: The number of values for integers without an upper bound.
_USUAL = 3
#: Keywords of a directive; an input of such a name cannot be given by name.
_TAKEN = ("args", "kwargs", "inputs")


def directive(setup: Setup) -> str | None:
    """Return the directive ``verify(...)`` for a setup, None if a comment cannot express it."""
    arguments = setup.arguments
    if arguments.within is not None:
        return None
    inputs = _inputs(setup.inputs)
    if inputs is None:
        return None
    parts: list[str] = []
    if arguments.args:
        parts.append(f"args=({', '.join(arguments.args)}{',' if len(arguments.args) == 1 else ''})")
    if arguments.kwargs:
        parts.append(f"kwargs={{{', '.join(f'{_quoted(k)}: {text}' for k, text in arguments.kwargs.items())}}}")
    return f"verify({', '.join([*parts, *inputs])})"


def _inputs(inputs: Mapping[str, Spec]) -> list[str] | None:
    texts = {name: spec_text(spec) for name, spec in inputs.items()}
    return None if None in texts.values() else arguments_text({name: str(text) for name, text in texts.items()})


def arguments_text(inputs: Mapping[str, str]) -> list[str]:
    """Return inputs as arguments of a directive: by name, or as one list if a name cannot be a keyword."""
    if all(name.isidentifier() and name not in _TAKEN for name in inputs):
        return [f"{name}={text}" for name, text in inputs.items()]
    return [f"inputs=[{', '.join(inputs.values())}]"]


def spec_text(spec: Spec) -> str | None:
    """Return the spec of an input as text for a directive, None if a directive cannot express it."""
    if isinstance(spec, list):
        items = [spec_text(item) for item in spec]
        return None if None in items else f"[{', '.join(str(item) for item in items)}]"
    if isinstance(spec, GivenSpec):
        return None
    if isinstance(spec, TensorSpec):
        return array(spec)
    # A bracketed expression would be read as a shape or as a list of inputs.
    return None if spec.expression.lstrip()[:1] in ("(", "[") else spec.expression


def array(spec: TensorSpec) -> str:
    """Return the spec of a tensor as text for a directive."""
    items = [_quoted(size) if isinstance(size, str) else str(size) for size in spec.shape]
    if spec.dtype != "float32":
        items.append(_quoted(spec.dtype))
    if spec.dtype != "bool" and (spec.integers or not spec.dtype.startswith("float")):
        low = 0 if spec.low is None else int(spec.low)
        items.append(f"range({low}, {low + _USUAL if spec.high is None else int(spec.high)})")
    elif spec.low is not None and spec.high is not None:
        items.append(f"uniform({spec.low!r}, {spec.high!r})")
    return f"({', '.join(items)}{',' if len(items) == 1 else ''})"


def _quoted(text: str) -> str:
    return f'"{text}"'
