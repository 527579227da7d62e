"""Axes of inputs that the code squeezes. Their size is 1 in every call, so no other size matches by chance."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hybridlint.proving.child.inputs.source.input_flow import tree_of
from hybridlint.proving.child.specs.spec import Spec, TensorSpec


def with_single_axes(inputs: Mapping[str, Spec], forward: Any) -> dict[str, Spec]:
    """Return the inputs with the axes marked that `forward` squeezes; they are of size 1, or the eager run fails."""
    squeezed = _squeezed(forward)
    return {name: _marked(spec, squeezed.get(name, set())) for name, spec in inputs.items()}


def _marked(spec: Spec, axes: set[int]) -> Spec:
    if not isinstance(spec, TensorSpec) or not axes:
        return spec
    rank = len(spec.shape)
    single = {axis % rank for axis in axes if -rank <= axis < rank}
    return replace(spec, single=spec.single | {axis for axis in single if spec.shape[axis] == 1})


def _squeezed(forward: Any) -> dict[str, set[int]]:
    """Return the axes at which a function squeezes its arguments, by their names."""
    tree = tree_of(forward)
    found: dict[str, set[int]] = {}
    for node in ast.walk(tree) if tree is not None else ():
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "squeeze":
            continue
        # A function of an array, `F.squeeze(x, axis=1)`, or its method, `x.squeeze(axis=1)`.
        given = [node.func.value, *node.args]
        if len(node.args) == 2 or (node.keywords and node.args):
            given = node.args
        axes = [*(keyword.value for keyword in node.keywords if keyword.arg == "axis"), *given[1:2]]
        if isinstance(given[0], ast.Name) and axes:
            found.setdefault(given[0].id, set()).update(_numbers(axes[0]))
    return found


def _numbers(node: ast.expr) -> set[int]:
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return set()
    return {axis for axis in (value if isinstance(value, tuple) else (value,)) if type(axis) is int}
