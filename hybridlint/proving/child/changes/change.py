"""Changes of a block's settings between two calls: a new value, or a call of a method that changes it."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from hybridlint.proving.child.brief.changes import Number, Setting
from hybridlint.proving.child.loaded_module import LoadedModule
from hybridlint.proving.child.runs.runs import PlannedCall
from hybridlint.proving.child.runs.variants import BlockVersion

#: How often a method without arguments is called, until that changes what the block computes.
_TIMES = (1, 10, 100, 1000)
#: Most settings of one block that are changed, and most numbers that its code compares one with.
MOST, _MOST_NUMBERS = 4, 4
#: Larger numbers are none that a counter reaches, nor a size.
_LARGEST = 10**7


class Change(NamedTuple):
    """A change of a setting in all blocks of a class: a new `value`, or `times` calls of its method.

    The method is `setting.step`, if it is set.
    """

    cls: type
    setting: Setting
    value: Any = None
    times: int = 1

    def make(self, world: LoadedModule, block: Any) -> None:
        """Make the change in all blocks of the class."""
        for part in parts_of(block, self.cls):
            if not self.setting.step:
                _set(world, part, self.setting, self.value)
            for _ in range(self.times if self.setting.step else 0):
                getattr(part, self.setting.step)()

    def description(self, world: LoadedModule, block: Any) -> str:
        """Return a sentence for the user about the change."""
        owner = "self" if type(block) is self.cls else self.cls.__name__
        if self.setting.step:
            return f"{owner}.{self.setting.step}() is called{f' {self.times} times' if self.times > 1 else ''}"
        old = value_of(world, next(parts_of(block, self.cls)), self.setting)
        if self.setting.counted:
            return f"{setting_name(self.cls, self.setting, block)} has come to {self.value!r}"
        return f"{setting_name(self.cls, self.setting, block)} is changed from {old!r} to {self.value!r}"


def setting_name(cls: type, setting: Setting, block: Any) -> str:
    """Return the name of a setting for the user."""
    return str(setting) if setting.of or type(block) is cls else f"{cls.__name__}.{setting.name}"


def settings_of(side: BlockVersion, block: Any) -> list[tuple[type, Setting]]:
    """Return (class, setting) for the block and its children, as far as the user's module defines their classes."""
    classes = own_classes(side.world, block)
    found = [(cls, setting) for cls in classes for setting in side.changes.of(cls.__name__).changed(_api(cls))]
    return [(cls, setting) for cls, setting in found if _has(side.world, block, cls, setting)]


def own_classes(world: LoadedModule, block: Any) -> list[type]:
    """Return the classes of the block and its children, as far as the user's module defines them."""
    module = world.namespace.get("__name__")
    return list(dict.fromkeys(type(part) for part in parts_of(block, object) if type(part).__module__ == module))


class Changing(NamedTuple):
    """The changes of a setting to try, in order.

    They are `enough` if one of them makes a difference wherever any change of the setting does, as far as the source
    tells: a number is compared with others, and there are values on both sides of each.
    """

    changes: list[Change]
    enough: bool


def changes_of(side: BlockVersion, block: Any, cls: type, setting: Setting) -> Changing:
    """Return the changes of a setting; none if none is known to happen between calls.

    Another value is known for a bool, int or float.
    """
    if setting.begun:
        return Changing([], enough=False)
    part = next(parts_of(block, cls))
    value = value_of(side.world, part, setting)
    is_number = type(value) in (int, float)
    if setting.step:
        changes = [Change(cls, setting, times=times) for times in (_TIMES if is_number else _TIMES[:1])]
        return Changing(changes, enough=_takes_nothing(cls, setting.step))
    if not is_number:
        return Changing([Change(cls, setting, other) for other in other_values(value)], enough=True)
    way, operands = side.changes.of(cls.__name__).limits[setting.plain]
    numbers = thresholds(operands, part, side.world.namespace)
    near = [] if setting.counted else other_values(value)
    others = dict.fromkeys([*near, *beyond(value, numbers, way)])
    return Changing([Change(cls, setting, other) for other in others], enough=bool(numbers))


def _takes_nothing(cls: type, method: str) -> bool:
    """Whether a method takes no arguments at all, so that calls of it change a setting in one way only."""
    code = getattr(inspect.getattr_static(cls, method, None), "__code__", None)
    flags = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
    return code is not None and code.co_argcount + code.co_kwonlyargcount <= 1 and not code.co_flags & flags


def changed_calls(calls: Sequence[PlannedCall], description: str) -> list[PlannedCall]:
    """Return the calls to run: one in predict and one in train mode, then the same two after the change."""
    first = calls[0]
    modes = [mode for mode in ("predict", "train") if any(call.mode == mode for call in calls)]
    return [
        PlannedCall(first.sizes, first.flavour, mode, changed=change) for change in ("", description) for mode in modes
    ]


def other_values(value: Any) -> list[Any]:
    """Return other values of the same kind; empty if the value is no bool, int or float."""
    if type(value) is bool:
        return [not value]
    if type(value) is int:
        return [other for other in (value + 1, 2 * value, value - 1) if other != value]
    if type(value) is float:
        return [0.5 * value, value + 0.25] if value else [0.5, 1.0]
    return []


def thresholds(operands: Iterable[Number], owner: Any, constants: Mapping[str, Any]) -> list[float]:
    """Return the first few numbers that a pass compares or combines with a setting, in the order of the source.

    `owner` is the block, and `constants` are the globals of its module.
    """
    values = (operand.value(owner, constants) for operand in operands)
    numbers = (value for value in values if type(value) in (int, float) and 0 <= value <= _LARGEST)
    return list(dict.fromkeys(numbers))[:_MOST_NUMBERS]


def beyond(value: float, numbers: Sequence[float], way: int = 0) -> list[float]:
    """Return values at and on both sides of some numbers, of the type of a setting's `value`, other than that.

    They are above it if its `way` is 1, below it if that is -1.
    """
    kind = type(value)
    tried = (kind(other) for number in numbers for other in (number, number + 1, number - 1, value + number))
    return [other for other in dict.fromkeys(tried) if other != value and (other - value) * way >= 0]


def parts_of(block: Any, cls: type) -> Iterator[Any]:
    """Yield the block and its descendants that are of a class."""
    # The fixed version of the module defines another class object of the same name.
    if any((base.__module__, base.__qualname__) == (cls.__module__, cls.__qualname__) for base in type(block).__mro__):
        yield block
    for child in block._children.values():
        # MXNet 2 keeps weak references.
        yield from parts_of(child() if type(child).__name__ == "ReferenceType" else child, cls)


def _api(cls: type) -> set[str]:
    bases = [base for base in cls.__mro__ if base.__module__.startswith(("mxnet.", "hybridlint.runtime."))]
    return {name for base in bases for name in vars(base)}


def _has(world: LoadedModule, block: Any, cls: type, setting: Setting) -> bool:
    try:
        value = value_of(world, next(parts_of(block, cls)), setting)
    except (AttributeError, KeyError, TypeError):
        return False
    # Parameters are not constants of the graph; methods and modules do not change.
    return not callable(value) or hasattr(value, "collect_params")


def value_of(world: LoadedModule, part: Any, setting: Setting) -> Any:
    """Return the value of a setting for a part of a block. Raises an error if it is missing, or a parameter."""
    owner = vars(world.module)[setting.of] if setting.of else part
    if not setting.name:
        return owner
    if setting.key:
        return owner[setting.name]
    value = getattr(owner, setting.name)
    if hasattr(value, "grad_req"):
        raise TypeError("a parameter is an input of the graph")
    return value


def _set(world: LoadedModule, part: Any, setting: Setting, value: Any) -> None:
    if not setting.of:
        setattr(part, setting.name, value)
    elif not setting.name:
        setattr(world.module, setting.of, value)
    elif setting.key:
        vars(world.module)[setting.of][setting.name] = value
    else:
        setattr(vars(world.module)[setting.of], setting.name, value)
