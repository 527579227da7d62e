"""Arguments that a file's calls pass to the constructor of a block: plain objects, functions, arrays.

So ``Actor(noise=OUNoise())`` and ``Shifted(nd.array([1.0, 2.0]))`` tell what the block keeps.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING, TypeGuard

from hybridlint.analysis.flow.default_settings import demonstrations
from hybridlint.analysis.model.functions import has_function_name, is_function
from hybridlint.analysis.model.lattice import as_kept, join_members, parts
from hybridlint.analysis.model.tables import STATEFUL, changes_by_call
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    CapturedArray,
    ClassRef,
    ContainerValue,
    External,
    Function,
    LibraryInstance,
    NumpyArray,
    OperatorRef,
    Partial,
    SelfRef,
    StaticValue,
    Unknown,
    Value,
)
from hybridlint.analysis.project.instances import Instance, class_attributes
from hybridlint.analysis.project.program import ProjectFile
from hybridlint.analysis.syntax.functions import enter
from hybridlint.text.parameters import defaults_of, names_of
from hybridlint.text.syntax import each, holds, is_own

if TYPE_CHECKING:
    from hybridlint.analysis.model.values import ProjectClass, ProjectModule
    from hybridlint.analysis.run.activation import Activation

#: What arguments are called that are generators of random numbers, and the most common one.
_GENERATORS = frozenset({"rng", "prng", "np_rng", "numpy_rng", "np_random", "random_state"})
_GENERATOR = "numpy.random.RandomState"


def keep_handed_objects(act: Activation, instance: Instance, init: ast.FunctionDef) -> None:
    """Set each attribute that only keeps an argument of ``__init__`` to what the calls in the file pass for it.

    That is the object of a plain class, or functions, beside which other callers may hand over anything, or an array.
    What nobody in the file passes is known by its name if it is a generator of random numbers.
    """
    info = instance.info
    for attribute, parameter in forwarded_attributes(init):
        kept = instance.attributes.get(attribute, Unknown())
        # By its default, an argument may look like a setting that is a list of objects.
        listed = kept == StaticValue(STATIC_UNKNOWN)
        if not isinstance(kept, Unknown) and not listed:
            continue
        handed: list[Value] = []
        for one in (*_handed(act, info, init, parameter), *_by_default(act, init, parameter)):
            handed += [one] if one not in handed and (isinstance(one, ContainerValue) or not listed) else []
        array = next((one for one in handed if _holds_array(one)), None)
        if array is not None:
            instance.attributes[attribute] = as_kept(array)
            continue
        match handed:
            case [ClassRef(info=held)]:
                instance.attributes[attribute] = object_of(act, held, init)
            case [ContainerValue(items=tuple() as classes)]:
                made = (object_of(act, one.info, init) for one in classes if isinstance(one, ClassRef))
                instance.attributes[attribute] = ContainerValue("list", tuple(made), kept=True)
            case [External() as source]:
                instance.attributes[attribute] = source
            case [] | [Unknown()] if parameter in _GENERATORS:
                instance.attributes[attribute] = LibraryInstance(f"{_GENERATOR}()", _GENERATOR)
            case [_, *_] if any(map(is_function, handed)):
                functions: list[Value] = [one if is_function(one) else Unknown() for one in handed]
                instance.attributes[attribute] = reduce(join_members, functions)


def forwarded_attributes(init: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """Yield the attributes of self that ``__init__`` sets to an unchanged argument, with that argument."""
    known = names_of(init.args)
    for node in each(init, ast.Assign):
        match node:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=attr)], value=ast.Name(id=name)):
                if name in known:
                    yield attr, name


def _handed(act: Activation, info: ProjectClass, init: ast.FunctionDef, parameter: str) -> Iterator[Value]:
    """Yield the arguments that calls of a class pass for a parameter: plain classes, functions, arrays.

    A plain class represents its objects. Unknown for other values, and for an array that only a demonstration passes if
    other code builds the block too.
    """
    names = [argument.arg for argument in init.args.args][1:]
    module = info.module
    if not isinstance(module, ProjectFile):
        return
    calls = (*module.survey.calls_of(info.node.name), *_by_heirs(module, info))
    shown = {call for call in calls if id(call) in demonstrations(module.source.tree)}
    for call in calls:
        given = [*_given(call, names, parameter), *_spread(module, call, parameter)]
        for value in (value for one in given for value in _made(act, module, one, set())):
            doubted = call in shown and len(shown) < len(calls) and _holds_array(value)
            yield Unknown() if doubted else value


def _by_heirs(module: ProjectFile, info: ProjectClass) -> Iterator[ast.Call]:
    """Yield the calls ``super().__init__(...)`` in classes of a file that derive from a class of it."""
    for node in module.survey.classes:
        heir = module.class_info(node)
        own = heir.methods.get("__init__")
        if own is None or info not in heir.lineage[1:2]:
            continue
        for call in each(own, ast.Call):
            match call.func:
                case ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__init__"):
                    yield call


def _holds_array(value: Value) -> bool:
    """Return whether a value is an array, or a list with one."""
    listed = isinstance(value, ContainerValue) and any(map(_holds_array, parts(value)))
    return listed or isinstance(value, CapturedArray | NumpyArray)


def _given(call: ast.Call, names: Sequence[str], parameter: str) -> list[ast.expr]:
    """Return the arguments that a call passes for a parameter; `names` lists the positional parameters."""
    at = names.index(parameter) if parameter in names else len(call.args)
    plain = not any(isinstance(one, ast.Starred) for one in call.args[: at + 1])
    by_place = call.args[at : at + 1] if plain else []
    return [*(keyword.value for keyword in call.keywords if keyword.arg == parameter), *by_place]


def _spread(module: ProjectFile, call: ast.Call, parameter: str) -> Iterator[ast.expr]:
    """Yield the values of a parameter in the dict literals that a call spreads by ``**``."""
    for keyword in call.keywords:
        held = keyword.value if keyword.arg is None else None
        if isinstance(held, ast.Name):
            held = next((n.value for n in each(module.source.tree, ast.Assign) if _is_named_so(n, held.id)), None)
        if isinstance(held, ast.Dict):
            pairs = zip(held.keys, held.values, strict=True)
            yield from (v for key, v in pairs if isinstance(key, ast.Constant) and key.value == parameter)


def _is_named_so(node: ast.Assign, name: str) -> bool:
    return isinstance(node.value, ast.Dict) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets)


def _passed_through(module: ProjectModule, node: ast.Name) -> Iterator[ast.expr]:
    """Yield the arguments that calls in a file pass for the function parameter that `node` reads."""
    if not isinstance(module, ProjectFile):
        return
    for function in module.survey.functions.values():
        names = [argument.arg for argument in function.args.args]
        if node.id in names and holds(function, node):
            for call in module.survey.calls_of(function.name):
                yield from _given(call, names, node.id)


def _by_default(act: Activation, init: ast.FunctionDef, parameter: str) -> Iterator[Value]:
    """Yield the function that is a parameter's default, and Unknown for what callers may pass instead.

    Who passes something else for a module or function that gives other numbers in each call passes the like.
    """
    default = defaults_of(init.args).get(parameter)
    found = (
        act.module.expression(default)
        if isinstance(default, ast.Lambda | ast.Name | ast.Attribute | ast.Call)
        else None
    )
    if found is not None and is_function(found) and not isinstance(found, OperatorRef):
        yield from (found, Unknown())
    if found is not None and _holds_array(found):
        yield found
    if type(found) is External and changes_by_call(found.name):
        yield found


def _made(act: Activation, module: ProjectModule, node: ast.expr, followed: set[str]) -> Iterator[Value]:
    """Yield the possible values of an expression, as `_handed` does; names in `followed` are skipped."""
    match node:
        case ast.Constant(value=None):
            return
        case ast.Name(id=name):
            if name in followed:
                return
            followed.add(name)
            given = [one.value for one in each(module.source.tree, ast.Assign) if _binds(one, name)]
            for one in given:
                yield from _made(act, module, one, followed)
            passed = [] if given else list(_passed_through(module, node))
            for one in passed:
                yield from _made(act, module, one, followed)
            if not given and not passed:
                found = module.value(name)
                yield found if found is not None and _is_named(found) else Unknown()
        case ast.List(elts=[_, *_] as elements) | ast.Tuple(elts=[_, *_] as elements):
            held = [one for part in elements for one in _made(act, module, part, followed)]
            told = all(isinstance(one, ClassRef) for one in held) or any(map(_holds_array, held))
            yield ContainerValue("list", tuple(held)) if told and len(held) == len(elements) else Unknown()
        case ast.IfExp(body=first, orelse=second):
            yield from _made(act, module, first, followed)
            yield from _made(act, module, second, followed)
        case ast.Lambda():
            yield module.expression(node)
        case ast.Attribute(value=ast.Name(id="self"), attr=attr) if f"self.{attr}" not in followed:
            followed.add(f"self.{attr}")
            stored = [one.value for one in each(module.source.tree, ast.Assign) if _stores(one, attr)]
            for value in stored:
                yield from _made(act, module, value, followed)
            if not stored:
                yield Unknown()
        case ast.Attribute():
            found = module.expression(node)
            named = isinstance(found, External) and _is_named(found) and _is_of_module(module, node)
            yield found if named else Unknown()
        case ast.Call(func=ast.Name() | ast.Attribute() as maker):
            found = module.expression(maker)
            array = module.expression(node)
            if isinstance(array, CapturedArray | NumpyArray):
                yield array
                return
            if isinstance(found, Function):
                made = enter(act, found, None, node)
                yield made if isinstance(made, Function) else Unknown()
                return
            if isinstance(found, External):
                made = module.expression(node)
                if isinstance(made, LibraryInstance) and made.maker in STATEFUL:
                    yield made
                else:
                    yield as_kept(made) if isinstance(made, Partial) else Unknown()
                return
            plain = isinstance(found, ClassRef) and not found.info.block and not has_foreign_base(found.info)
            yield found if plain else Unknown()
        case _:
            yield Unknown()


def _is_of_module(module: ProjectModule, node: ast.Attribute) -> bool:
    """Return whether an attribute belongs to something that the module imports."""
    owner: ast.expr = node
    while isinstance(owner, ast.Attribute):
        owner = owner.value
    return isinstance(owner, ast.Name) and module.value(owner.id) is not None


def _is_named(value: Value) -> bool:
    return is_function(value) or has_function_name(value)


def _binds(node: ast.AST, name: str) -> TypeGuard[ast.Assign]:
    """Return whether a statement binds a name to a new object."""
    match node:
        case ast.Assign(targets=[ast.Name(id=bound)], value=ast.Call() | ast.IfExp()):
            return bound == name
        case _:
            return False


def _stores(node: ast.Assign, attribute: str) -> bool:
    """Return whether a statement stores an attribute of self."""
    return any(is_own(target) and target.attr == attribute for target in node.targets)


def has_foreign_base(info: ProjectClass) -> bool:
    """Return whether another library defines an ancestor of a class, other than `object`."""
    return any(base not in {"object", "builtins.object"} for base in info.foreign_bases)


def object_of(act: Activation, info: ProjectClass, place: ast.AST) -> SelfRef:
    """Return an object of a plain class as its ``__init__`` leaves it."""
    this = SelfRef(Instance(info, class_attributes(info)))
    found = info.method("__init__")
    if found is not None:
        method, owner = found
        enter(act, Function(method, owner, (this,)), None, place)
    return this
