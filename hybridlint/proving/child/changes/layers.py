"""Settings of MXNet's own layers that the module's code changes, as ``net.drop._rate = 0.3``.

A compiled graph keeps the value that a setting had when it was traced.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from hybridlint.proving.child.changes.block_objects import OF_BLOCKS
from hybridlint.proving.child.changes.change import other_values, parts_of

if TYPE_CHECKING:
    from hybridlint.proving.child.brief.changes import LayerSetting
    from hybridlint.proving.child.loaded_module import LoadedModule
    from hybridlint.proving.child.runs.variants import BlockVersion


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
    stored = [setting for setting in side.changes.layers if setting.attribute not in OF_BLOCKS]
    parts = parts_of(block, object) if stored else iter(())
    for cls in dict.fromkeys(type(part) for part in parts if type(part).__module__ != module):
        layer = next(parts_of(block, cls))
        for setting in stored:
            changes = [LayerChange(cls, setting, value) for value in other_values(setting.held(layer))]
            if changes:
                yield f"{cls.__name__}.{setting}", changes
