"""Settings of a block: attributes and globals that ``hybrid_forward`` reads and that other code changes.

They are found in the source; nothing runs. A compiled graph keeps the value that a setting had when it was traced.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from hybridlint.proving.brief.conditional_stores import stores
from hybridlint.proving.brief.stores import (
    Definition,
    built_names,
    dunder,
    is_class_method,
    key,
    loop_nodes,
    methods_of,
    named_at_will,
    reachable_code,
    required_arguments,
    targets,
    traces_anew,
)
from hybridlint.proving.brief.thresholds import direction, thresholds
from hybridlint.proving.child.brief.changes import Limits, Number, Setting, SettingChange
from hybridlint.proving.child.changes.source_nodes import DEFINITIONS, LOOPS, assigned_names, is_first, is_self
from hybridlint.proving.child.classes import ENTRY

#: The methods that register a function that each call of a block runs.
_HOOKS = re.compile(r"register_\w*hook")
#: The methods that a call of a block may run.
_CALLED = ("__call__", "forward", ENTRY)


class ChangedSettings:
    """Finds the settings of the classes of one module in its syntax tree."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._ways: dict[Setting, int] = {}
        #: What each function changes for blocks that it is no method of, by its `id`.
        self._elsewhere: dict[int, list[Setting]] = {}
        self._classes = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
        self._functions = {node.name: node for node in tree.body if isinstance(node, DEFINITIONS)}
        self._globals = {name for node in tree.body for name in assigned_names(node)}
        blocks = {name for name in self._classes if ENTRY in methods_of(name, self._classes)}
        self._globals |= self._classes.keys() - blocks
        #: The class of each class method, by the `id` of the method.
        self._class_methods = {
            id(child): name
            for name in self._classes.keys() - blocks
            for child in self._classes[name].body
            if isinstance(child, DEFINITIONS) and is_class_method(child)
        }
        #: The class of each method, by the `id` of the method.
        self._owners = {id(child): name for name, node in self._classes.items() for child in node.body}
        #: Methods that code calls on what is not its own object.
        self._called = {
            node.func.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and getattr(node.func.value, "id", "") != "self"
        }
        #: Globals that hold an instance of a class of the module that is not a block.
        self._objects = {
            name
            for node in tree.body
            if isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Call)
            and isinstance(node.value.func, ast.Name)
            and node.value.func.id in self._classes.keys() - blocks
            for name in assigned_names(node)
        }

    def changes(self, name: str) -> list[SettingChange]:
        """Return the settings that the class `name` reads and that code changes, each with the method that does.

        Methods of MXNet itself count too: whoever has the class knows their names.
        """
        methods = methods_of(name, self._classes)
        forward = self.forward(name)
        read = {place for function in forward for place in self._read(function)}
        if not read:
            return []
        building = self._reached("__init__", methods)
        found: dict[SettingChange, None] = {}
        for method, function in methods.items():
            if function in forward or dunder(method):
                continue
            if function in building and method.startswith("_"):
                continue
            # Others may call a method that the constructor calls, but nothing says with what.
            begun = function in building and method not in self._called
            for place in _stepped(self._written(function, methods), method, function):
                found[SettingChange(method, place._replace(begun=begun and not place.step))] = None
            at_will = () if begun else self._at_will(function, methods)
            found.update((SettingChange(method, place), None) for place in at_will)
        for function in self._others(methods.values()):
            if function not in forward:
                found.update((SettingChange("", place), None) for place in self._changed_elsewhere(function))
        found.update((SettingChange("", place), None) for place in self._scripted)
        return [change for change in found if change.setting.plain in read]

    def counted(self, name: str) -> list[Setting]:
        """Return the settings that a call of the class `name` only adds to, or only subtracts from."""
        return [place._replace(counted=True) for place in self.moved(name) if self.way(place)]

    def limits(self, name: str, places: Iterable[Setting]) -> dict[Setting, Limits]:
        """Return where the values of some places begin to make a difference for the class `name`."""
        return {place: Limits(self.way(place), self.numbers(name, place)) for place in dict.fromkeys(places)}

    def moved(self, name: str) -> dict[Setting, bool]:
        """Return the places that a call of the class `name` both stores to and reads.

        Each comes with whether a decision determines the stored value. Code that only counts (``self.n += 1``) or
        appends (``self.seen.append(x)``) does not read.
        """
        stored: dict[Setting, bool] = {}
        for function in self._run(name):
            for place, decided in self._stored(function):
                stored[place] = decided or stored.get(place, False)
        read = self.used(name)
        return {place: decided for place, decided in stored.items() if place in read}

    def lent(self, name: str) -> dict[str, bool]:
        """Return the attributes that a call of the class `name` stores on another object than its own.

        Each comes with whether what is stored goes by a decision.
        """
        return self._lent(self._run(name))

    def hooked(self) -> dict[str, bool]:
        """Return the attributes that hooks of the module store on another object than their own, as `lent` does."""
        return self._lent(self._hooks())

    def _lent(self, functions: Iterable[ast.AST]) -> dict[str, bool]:
        stored: dict[str, bool] = {}
        for function in functions:
            for target, decided in stores(function):
                if isinstance(target, ast.Attribute) and self._place(target, function) is None:
                    stored[target.attr] = decided or stored.get(target.attr, False)
        return stored

    def _run(self, name: str) -> list[ast.AST]:
        """Return the functions that a call of the class `name` runs; none if a function may trace it anew."""
        methods = methods_of(name, self._classes) if name in self._classes else {}
        called = [function for method in _CALLED for function in self._reached(method, methods)]
        return [] if any(traces_anew(function, methods) for function in called) else called

    def _hooks(self) -> Iterator[ast.AST]:
        """Yield the functions and methods of the module that it registers as hooks."""
        bodies = [child for node in self._classes.values() for child in node.body]
        methods = {child.name: child for child in bodies if isinstance(child, DEFINITIONS)}
        for node in ast.walk(self._tree):
            if not isinstance(node, ast.Call) or not _HOOKS.fullmatch(getattr(node.func, "attr", "")):
                continue
            for hook in node.args:
                named = {**methods, **self._functions}.get(getattr(hook, "attr", "") or getattr(hook, "id", ""))
                if named is not None and not traces_anew(named):
                    yield named

    def used(self, name: str) -> set[Setting]:
        """Return the places that the pass of the class `name` computes with."""
        return {place for function in self.forward(name) for place in self._used(function)}

    def way(self, place: Setting) -> int:
        """Return 1 if the module's code only adds to an existing place, -1 if it only subtracts, else 0."""
        if place not in self._ways:
            self._ways[place] = direction(self._tree, lambda node: self._names(node, place))
        return self._ways[place]

    def numbers(self, name: str, place: Setting) -> tuple[Number, ...]:
        """Return the numbers that the pass of the class `name` compares or combines with the value at a place."""

        def reads(node: ast.AST, function: ast.AST) -> bool:
            return self._place(node, function) == place

        return thresholds(self.forward(name), reads)

    def _names(self, node: ast.AST, place: Setting) -> bool:
        """Whether an expression anywhere in the module may stand for a place."""
        if place.key:
            return isinstance(node, ast.Subscript) and key(node.slice) == place.name
        if place.name:
            return getattr(node, "attr", "") == place.name
        return getattr(node, "id", "") == place.of

    def _stored(self, function: ast.AST) -> Iterator[tuple[Setting, bool]]:
        """Yield the places of the block, and the globals, that a function stores to, and whether by a decision."""
        shared = {name for node in ast.walk(function) if isinstance(node, ast.Global) for name in node.names}
        for target, decided in stores(function):
            for node in _held(target):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id not in shared:
                    continue
                place = self._place(node, function)
                if place is not None:
                    yield place, decided

    def _used(self, function: ast.AST) -> Iterator[Setting]:
        """Yield the places that a function reads, but for those that it only counts on, adds to or asserts."""
        counting = {id(node) for target in targets(function) for node in _held(target)}
        asserted = (node.test for node in ast.walk(function) if isinstance(node, ast.Assert))
        counting |= {id(part) for test in asserted for part in ast.walk(test)}
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp):
                own = {self._place(target, function) for target in node.targets} - {None}
                counting |= {id(part) for part in ast.walk(node.value) if self._place(part, function) in own}
        for node in ast.walk(function):
            place = self._place(node, function) if id(node) not in counting else None
            if place is not None and isinstance(getattr(node, "ctx", None), ast.Load):
                yield place

    def forward(self, name: str) -> list[ast.AST]:
        """Return the functions that a pass of the class `name` may run; none for a class of another module."""
        return self._reached(ENTRY, methods_of(name, self._classes)) if name in self._classes else []

    def _reached(self, name: str, methods: Mapping[str, Definition]) -> list[ast.AST]:
        """Return the code that a method runs: itself, other methods, and module functions; nothing without it."""
        return reachable_code([methods[name]], methods, self._functions) if name in methods else []

    def _others(self, methods: Iterable[Definition]) -> Iterator[Definition]:
        """Yield the functions of the module and the methods of its classes that are not in `methods`."""
        own = list(methods)
        bodies = [self._tree.body, *(node.body for node in self._classes.values())]
        for body in bodies:
            for child in body:
                if isinstance(child, DEFINITIONS) and child not in own and child.name != "__init__":
                    yield child

    def _read(self, function: ast.AST) -> Iterator[Setting]:
        for node in ast.walk(function):
            if not isinstance(getattr(node, "ctx", None), ast.Load):
                continue
            place = self._place(node, function)
            if place is not None:
                yield place

    def _place(self, node: ast.AST, function: ast.AST) -> Setting | None:
        """Return the setting that an expression reads or stores (of `self` or a global); None for other expressions."""
        if isinstance(node, ast.Attribute):
            owner = self._holder(node.value, function)
            return None if owner is None else Setting(node.attr, owner)
        if isinstance(node, ast.Name) and node.id in self._globals:
            return Setting("", node.id)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in self._globals:
            name = key(node.slice)
            return None if name is None else Setting(name, node.value.id, key=True)
        return None

    def _place_of_item(self, node: ast.expr, function: ast.AST) -> Setting | None:
        """Return the setting that an expression is or is an item of, None for other expressions."""
        place = self._place(node, function)
        while place is None and isinstance(node, ast.Subscript):
            node = node.value
            place = self._place(node, function)
        return place

    def _holder(self, node: ast.expr, function: ast.AST) -> str | None:
        """Return the owner of an attribute: "" for the block, the name of a global or class; else None."""
        if is_self(node, function):
            return ""
        if id(function) in self._class_methods and is_first(node, function):
            return self._class_methods[id(function)]
        if isinstance(node, ast.Name) and node.id in {*self._globals, *self._classes}:
            return node.id
        return self._owners.get(id(function)) if _is_own_class(node, function) else None

    def _written(self, function: Definition, own: Mapping[str, Definition] | None = None) -> Iterator[Setting]:
        """Yield the settings that a function assigns or changes; nothing if it makes the next call trace again.

        If the function is a method of the block, `own` are the block's methods, and the attributes of `self` count.
        """
        if traces_anew(function, own):
            return
        shared = {name for node in ast.walk(function) if isinstance(node, ast.Global) for name in node.names}
        made, repeated = built_names(function), loop_nodes(function)
        for node in targets(function):
            if isinstance(node, ast.Name):
                if node.id in shared:
                    yield Setting("", node.id)
                continue
            place = self._place_of_item(node, function)
            if place is not None and (place.of or own is not None):
                yield place
            # An object built in the same function is still being set up there, except in a loop.
            building = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in made
            if not building or id(node) in repeated:
                yield from self._foreign(node, function)

    def _at_will(self, function: Definition, own: Mapping[str, Definition] | None = None) -> Iterator[Setting]:
        """Yield the settings that calls of a function name: ``configure(net, gain=2)`` with ``setattr(net, name, v)``.

        `own` is as in `_written`: the attributes of `self` are those of the block in its own methods alone.
        """
        if traces_anew(function, own):
            return
        for owner, names in named_at_will(function, self._tree):
            if own is not None or not is_self(owner, function):
                yield from map(Setting, names)

    def _foreign(self, node: ast.expr, function: ast.AST) -> Iterator[Setting]:
        """Yield the setting for ``x.name = ...``, where `x` is not `self`; it may be the block."""
        if not isinstance(node, ast.Attribute) or is_self(node.value, function):
            return
        if not isinstance(node.value, ast.Name) or node.value.id not in self._objects:
            yield Setting(node.attr)

    def _changed_elsewhere(self, function: Definition) -> list[Setting]:
        """Return the settings that a function changes which is no method of the block, each time the same ones."""
        if id(function) not in self._elsewhere:
            self._elsewhere[id(function)] = [*self._written(function), *self._at_will(function)]
        return self._elsewhere[id(function)]

    @cached_property
    def _scripted(self) -> list[Setting]:
        """The settings that the module's top-level code changes in loops."""
        return list(self._changed_in_loops())

    def _changed_in_loops(self) -> Iterator[Setting]:
        inner = [node for node in self._tree.body if not isinstance(node, (*DEFINITIONS, ast.ClassDef))]
        for loop in (node for outer in inner for node in ast.walk(outer) if isinstance(node, LOOPS)):
            if traces_anew(loop):
                continue
            for node in targets(loop):
                place = self._place(node, loop)
                if place is not None:
                    yield place
                yield from self._foreign(node, loop)


def _is_own_class(node: ast.expr, function: ast.AST) -> bool:
    """Whether an expression is the class of the object: ``type(self)`` or ``self.__class__``."""
    if isinstance(node, ast.Call):
        return getattr(node.func, "id", "") == "type" and len(node.args) == 1 and is_self(node.args[0], function)
    return isinstance(node, ast.Attribute) and node.attr == "__class__" and is_self(node.value, function)


def _held(target: ast.expr) -> Iterator[ast.expr]:
    """Yield the expressions that a store changes: its target, and each owner of the target in turn."""
    node = target
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        yield node
        node = node.value
    yield node


def _stepped(places: Iterable[Setting], method: str, function: Definition) -> Iterator[Setting]:
    """Yield the settings with `method` as their `step`, if that method has no required arguments."""
    free = required_arguments(function) == []
    for place in places:
        yield place._replace(step=method) if free else place
