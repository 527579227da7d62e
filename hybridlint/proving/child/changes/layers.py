"""Settings of MXNet's own layers that the module's code changes, as ``net.drop._rate = 0.3``.

They are found in the source; nothing runs. A compiled graph keeps the value that a setting had when it was traced.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from hybridlint.proving.child.changes.block_objects import OF_BLOCKS
from hybridlint.proving.child.changes.change import other_values, parts_of
from hybridlint.proving.child.changes.stores import (
    DEFINITIONS,
    built_names,
    is_self,
    key,
    loop_nodes,
    methods_of,
    parse_stores,
    reachable_code,
    targets,
    traces_anew,
)

if TYPE_CHECKING:
    from hybridlint.proving.child.changes.stores import Definition
    from hybridlint.proving.child.loaded_module import LoadedModule
    from hybridlint.proving.child.runs.variants import BlockVersion


class LayerSetting(NamedTuple):
    """An attribute of a layer, or an item of one: ``layer._rate``, ``layer._kwargs["momentum"]`` with its `key`."""

    attribute: str
    key: str = ""

    def __str__(self) -> str:
        return f"{self.attribute}[{self.key!r}]" if self.key else self.attribute

    def held(self, layer: Any) -> Any:
        """Return what a layer keeps there, None if it keeps nothing there."""
        value = vars(layer).get(self.attribute)
        return value.get(self.key) if self.key and isinstance(value, dict) else None if self.key else value


class LayerChange(NamedTuple):
    """A change of a setting to `value` in all layers of a class."""

    cls: type
    setting: LayerSetting
    value: Any

    def make(self, _world: LoadedModule, block: Any) -> None:
        """Make the change in all layers of the class."""
        for layer in parts_of(block, self.cls):
            if self.setting.key:
                vars(layer)[self.setting.attribute][self.setting.key] = self.value
            else:
                setattr(layer, self.setting.attribute, self.value)

    def description(self, _world: LoadedModule, block: Any) -> str:
        """Return a sentence for the user about the change."""
        old = self.setting.held(next(parts_of(block, self.cls)))
        return f"{self.cls.__name__}.{self.setting} is changed from {old!r} to {self.value!r}"


def layer_changes(side: BlockVersion, block: Any) -> Iterator[tuple[str, list[LayerChange]]]:
    """Yield the settings of the block's layers that the module's code changes, each with its changes.

    Another value is known for a bool, int or float.
    """
    module = side.world.namespace.get("__name__")
    stored = [setting for setting in stored_in_layers(parse_stores(side.text)) if setting.attribute not in OF_BLOCKS]
    parts = parts_of(block, object) if stored else iter(())
    for cls in dict.fromkeys(type(part) for part in parts if type(part).__module__ != module):
        layer = next(parts_of(block, cls))
        for setting in stored:
            changes = [LayerChange(cls, setting, value) for value in other_values(setting.held(layer))]
            if changes:
                yield f"{cls.__name__}.{setting}", changes


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
