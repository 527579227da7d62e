"""Changes that code makes between the calls of a block, and reads of its pass: the part of the brief on one text.

A compiled graph keeps the values of the trace. Whoever has the source writes these records, and whoever has the live
objects looks the values up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping


class Setting(NamedTuple):
    """An attribute of the block, a global, or an attribute or item of a global, whose value changes.

    `name` is the attribute or string key, "" for a global itself. `of` is the global's name, "" for an attribute of the
    block. `key` is True for an item. `step` is the method that makes the change, if it can be called without arguments.
    `begun` is True if nothing is known to make the change but a method that the constructor calls. `counted` is True
    if the block's own pass makes it, by adding to a number.
    """

    name: str
    of: str = ""
    key: bool = False
    step: str = ""
    begun: bool = False
    counted: bool = False

    def __str__(self) -> str:
        if not self.of:
            return f"self.{self.name}"
        if not self.name:
            return self.of
        return f"{self.of}[{self.name!r}]" if self.key else f"{self.of}.{self.name}"

    @property
    def plain(self) -> Setting:
        """The place alone, without how it changes."""
        return Setting(self.name, self.of, self.key)


class SettingChange(NamedTuple):
    """A setting that a class reads and that code changes: in one of its own methods, or "" for other code."""

    method: str
    setting: Setting


class MutatorMethod(NamedTuple):
    """A method that changes attributes of its object; `names` are these. The method is ``name =`` for a setter.

    `given` are its required arguments, None if no call of it is known: an argument is known if the method stores it, or
    decides by it.
    """

    method: str
    names: frozenset[str]
    given: tuple[str, ...] | None

    @property
    def sets(self) -> str:
        """The property that a setter sets, "" for a method that is called."""
        return self.method[:-2] if self.method.endswith(" =") else ""


class ExternalStore(NamedTuple):
    """A store outside of the object's class: into the attribute `name` of what is called `owner`, or its item."""

    owner: str
    name: str
    item: bool = False


class LayerSetting(NamedTuple):
    """An attribute of a layer, or an item of one: ``layer._rate``, ``layer._kwargs["momentum"]`` with its `key`."""

    attribute: str
    key: str = ""

    def __str__(self) -> str:
        return f"{self.attribute}[{self.key!r}]" if self.key else self.attribute

    def held(self, layer: Any) -> Any:
        """Return the value that a layer keeps there, None if it keeps nothing there."""
        value = vars(layer).get(self.attribute)
        return value.get(self.key) if self.key and isinstance(value, dict) else None if self.key else value


class Number(NamedTuple):
    """A number that code compares or combines with a setting: a literal, an attribute of `self`, or a global."""

    literal: float | None = None
    attribute: str = ""
    of_module: str = ""

    def value(self, owner: Any, constants: Mapping[str, Any]) -> Any:
        """Return the value there: `owner` is the block, and `constants` are the globals of its module."""
        if self.attribute:
            return vars(owner).get(self.attribute)
        return constants.get(self.of_module) if self.of_module else self.literal


class Limits(NamedTuple):
    """Where the value of a setting begins to make a difference.

    `way` is 1 if code only adds to it, -1 if it only subtracts, else 0; `numbers` are those that a pass compares or
    combines with it.
    """

    way: int
    numbers: tuple[Number, ...]


class DottedCall(NamedTuple):
    """A call in a pass of what attributes lead to: `names` begin with a global, or with `self` if it is `own`.

    A pass `decides` by the result where it compares it. `drawn` is what ``next`` is called with.
    """

    names: tuple[str, ...]
    own: bool
    decides: bool
    drawn: DottedCall | None = None


class Reading(NamedTuple):
    """A read of an attribute or item `name` of what is called `owner`."""

    owner: str
    name: str
    item: bool


class ClassChanges(NamedTuple):
    """Changes for the blocks of one class, and the reads of their pass.

    `counted` are the settings that the pass itself adds to, and `limits` those of all its settings. `moved` are places
    that a call stores to and reads, `lent` attributes that it stores on another object than its own, each with whether
    the value goes by a decision; `used` are the attributes that a pass computes with. `functions` are the names of what
    a pass may call, `parameters` those whose data it reads, and `tests` its decisions by the numbers in arrays.
    """

    settings: tuple[SettingChange, ...] = ()
    counted: tuple[Setting, ...] = ()
    limits: Mapping[Setting, Limits] = {}
    moved: Mapping[Setting, bool] = {}
    lent: Mapping[str, bool] = {}
    used: frozenset[str] = frozenset()
    functions: tuple[str, ...] = ()
    calls: tuple[DottedCall, ...] = ()
    parameters: tuple[tuple[str, ...], ...] = ()
    reads: frozenset[Reading] = frozenset()
    tests: tuple[str, ...] = ()
    mutators: tuple[MutatorMethod, ...] = ()

    def changed(self, api: Collection[str] = ()) -> list[Setting]:
        """Return the settings that change; those that methods in `api`, MXNet's own, change alone are left out."""
        found = dict.fromkeys(change.setting for change in self.settings if change.method not in api)
        plain = {setting.plain for setting in found}
        return [*found, *(setting for setting in self.counted if setting.plain not in plain)]


class ModuleChanges(NamedTuple):
    """Changes that the code of a module makes: by class, by hooks, and by stores into objects and layers of any class.

    `hooked` are the attributes that hooks store, as in `ClassChanges.lent`. `single` are the attributes that only one
    class of the module has.
    """

    classes: Mapping[str, ClassChanges] = {}
    hooked: Mapping[str, bool] = {}
    stores: tuple[ExternalStore, ...] = ()
    single: frozenset[str] = frozenset()
    layers: tuple[LayerSetting, ...] = ()

    def of(self, name: str) -> ClassChanges:
        """Return the changes for a class of the module, by its name."""
        return self.classes.get(name, _NONE)

    def lent(self, names: Iterable[str], name: str) -> dict[Setting, bool]:
        """Return the attributes that calls of the classes `names`, and hooks, store on another object than their own.

        They are those that the pass of the class `name` reads, each with whether what is stored goes by a decision.
        """
        stored: dict[str, bool] = {}
        for lent in (*(self.of(each).lent for each in names), self.hooked):
            for attribute, decided in lent.items():
                stored[attribute] = decided or stored.get(attribute, False)
        used = self.of(name).used
        return {Setting(attribute): decided for attribute, decided in stored.items() if attribute in used}


_NONE = ClassChanges()
