"""Settings of MXNet's own layers that a module's code changes, as ``net.drop._rate = 0.3``, found in its source."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from hybridlint.proving.brief.stores import (
    Definition,
    built_names,
    key,
    loop_nodes,
    methods_of,
    reachable_code,
    targets,
    traces_anew,
)
from hybridlint.proving.child.brief.changes import LayerSetting
from hybridlint.proving.child.changes.source_nodes import DEFINITIONS, is_self


def stored_in_layers(tree: ast.Module) -> list[LayerSetting]:
    """Return the stores of a module's code into other objects after their construction."""
    classes = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    found: dict[LayerSetting, None] = {}
    for owner in ["", *classes]:
        methods: Mapping[str, Definition] = methods_of(owner, classes) if owner else {}
        body = classes[owner].body if owner else tree.body
        building = reachable_code([methods["__init__"]], methods) if "__init__" in methods else []
        for function in body:
            if isinstance(function, DEFINITIONS) and function not in building and not traces_anew(function, methods):
                found.update(dict.fromkeys(_stored(function)))
    return list(found)


def _stored(function: ast.AST) -> Iterator[LayerSetting]:
    made, repeated = built_names(function), loop_nodes(function)
    for target in targets(function):
        name = key(target.slice) if isinstance(target, ast.Subscript) else ""
        place = target.value if isinstance(target, ast.Subscript) else target
        if name is None or not isinstance(place, ast.Attribute) or is_self(place.value, function):
            continue
        # An object built in the same function is still being set up there, except in a loop.
        building = isinstance(place.value, ast.Name) and place.value.id in made and id(target) not in repeated
        if not building:
            yield LayerSetting(place.attr, name)
