"""Lookup of operators by their names in MXNet's interface: functions of a namespace, or methods of tensors."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from functools import cache

from hybridlint.runtime.facts import properties, registry, surface
from hybridlint.runtime.facts.fluent import OTHER_METHODS, fluent
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.facts.surface import Mode, World

#: Path of a namespace below ``nd``, ``sym`` or ``mx`` -> possible prefixes of its operators' names.
_PREFIXES: dict[tuple[str, ...], tuple[str, ...]] = {
    (): ("",),
    ("op",): ("",),
    ("_op",): ("",),
    ("gen_op",): ("",),
    ("sparse",): ("", "_sparse_"),
    ("contrib",): ("_contrib_",),
    ("linalg",): ("_linalg_", "linalg_"),
    ("image",): ("_image_",),
    ("random",): ("_random_", "_sample_", "random_"),
    ("_internal",): ("",),
    ("np",): ("_np_", "_npi_"),
    ("np", "linalg"): ("_npi_",),
    ("npx",): ("_npx_",),
    ("npx", "image"): ("_npx__image_",),
}

#: How the dotted names of numpy mode begin.
_OF_NUMPY = ("np.", "npx.")
#: How many similar names are shown, and how similar they are: 1 is equal.
_MOST_ALIKE, _ALIKE = 2, 0.65

#: Namespaces that repeat the functions of others.
_INNER = frozenset({("op",), ("_op",), ("gen_op",), ("_internal",)})

#: Functions of numpy mode implemented in Python -> the operator that computes their result.
_IN_PYTHON = {
    **{"append": "_npi_concatenate", "concatenate": "_npi_concatenate", "row_stack": "_npi_vstack"},
    **{"fliplr": "_npi_flip", "flipud": "_npi_flip", "ravel": "_np_reshape", "triu": "_npi_tril"},
    **{"maximum": "_maximum", "minimum": "_minimum"},
}

#: Python's functions for the larger and the smaller of two -> the functions of ``nd``, ``sym`` and ``np`` for tensors.
EXTREMES = {"max": "maximum", "min": "minimum"}

#: Functions of ``nd`` and ``sym`` implemented in Python -> the operator they call, if its name differs.
_UNDER_OTHER_NAMES: dict[tuple[str, ...], dict[str, str]] = {
    (): {"histogram": "_histogram"},
    ("contrib",): {"adamw_update": "_adamw_update", "mp_adamw_update": "_mp_adamw_update"},
    ("random",): {"randn": "_random_normal", "shuffle": "_shuffle"},
}


@cache
def function(path: tuple[str, ...], name: str) -> Operator | None:
    """Return the operator behind a function: ``(("contrib",), "SyncBatchNorm")``, ``(("np",), "exp")``."""
    names = [prefix + name for prefix in _PREFIXES.get(path, ())]
    if (other := _UNDER_OTHER_NAMES.get(path, {}).get(name)) is not None:
        names.append(other)
    for known in names:
        found = registry.find(known)
        if found is not None and not found.internal:
            return found
    return _numpy_alias(name) if path == ("np",) else None


def paths_of(operator: Operator) -> tuple[str, ...]:
    """Return the functions that call an operator, by their dotted paths below F; those of other paths are left out."""
    names = dict.fromkeys([operator.name, *(name for name, known in registry.spellings().items() if known is operator)])
    found = (
        ".".join((*path, name[len(prefix) :]))
        for name in names
        for path, prefixes in _PREFIXES.items()
        for prefix in prefixes
        if name.startswith(prefix) and path not in _INNER and _is_called(path, name[len(prefix) :], operator)
    )
    return tuple(dict.fromkeys(found))


def _is_called(path: tuple[str, ...], name: str, operator: Operator) -> bool:
    return bool(name) and not name.startswith("_") and function(path, name) is operator


def method(name: str, mode: Mode = "legacy") -> Operator | None:
    """Return the operator behind a tensor method."""
    if mode == "np":
        return registry.find(f"_np_{name}") or registry.find(f"_npi_{name}")
    called = OTHER_METHODS.get(name)
    return fluent().get(name) if called is None else registry.find(called)


def has_function(path: tuple[str, ...], name: str) -> bool:
    """Return whether ``nd`` or ``sym`` has a name below a path; True for namespaces whose names are not listed."""
    return not surface.is_unheard_of(path, name) or function(path, name) is not None


def namespace_has(path: tuple[str, ...], name: str, world: World) -> bool | None:
    """Return the result of ``hasattr(F.path, name)`` in a run; None for names that are not listed."""
    known = surface.namespace_has(path, name, world)
    listed = path in surface.UNREGISTERED and not name.startswith("_")
    return has_function(path, name) if known is None and listed else known


def has_attribute(name: str, mode: Mode = "legacy") -> bool:
    """Return whether an array or a Symbol has an attribute or method; True for names that begin with ``_``."""
    listed = name in surface.OF_BOTH[mode] | surface.SYMBOL_ONLY | surface.SPARSE_ONLY
    return name.startswith("_") or listed or bool(surface.tensor_lack(name, mode) or method(name, mode))


@cache
def like_named(path: tuple[str, ...], name: str) -> tuple[str, ...]:
    """Return the functions of ``nd`` and ``sym`` with names similar to a missing one, as paths below F."""
    everywhere = {public for operator in registry.operators() for public in paths_of(operator)}
    of_mode = [public for public in everywhere if public.startswith(_OF_NUMPY) == bool({"np", "npx"} & {*path[:1]})]
    known = {_plain(public): public for public in sorted(of_mode, key=lambda one: (-one.count("."), one))}
    wanted = _plain(name)
    found = difflib.get_close_matches(wanted, known, n=_MOST_ALIKE, cutoff=_ALIKE)
    return tuple(known[one] for one in found)


def _plain(name: str) -> str:
    return name.rpartition(".")[2].replace("_", "").lower()


@cache
def extension() -> Mapping[str, Operator]:
    """Return the operators in ``npx`` by name there: those with a name that begins with ``_npx_``."""
    # The second underscore begins the name of a namespace below.
    return {name: op for name, op in _operators_below(("npx",)).items() if not name.startswith("_")}


def extension_of_images() -> Mapping[str, Operator]:
    """Return the operators in ``npx.image`` by name there."""
    return _operators_below(("npx", "image"))


def _operators_below(path: tuple[str, ...]) -> dict[str, Operator]:
    (prefix,) = _PREFIXES[path]
    found = registry.spellings().items()
    return {name.removeprefix(prefix): operator for name, operator in found if name.startswith(prefix)}


@cache
def in_numpy_mode(name: str) -> tuple[str, str] | None:
    """Return the namespace and the name in numpy mode of an operator of ``nd``; None if it has none."""
    operator = registry.find(name)
    if operator is None:
        return None
    known = [own for own, other in extension().items() if other is operator or own == name]
    if known:
        return "npx", known[0]
    twin = function(("np",), name)
    # `np.identity` makes a matrix.
    return ("np", name) if twin is not None and twin.inputs and len(twin.inputs) == len(operator.inputs) else None


def numpy_function_of(name: str) -> Operator | None:
    """Return the operator that computes the result of a numpy-mode function or method implemented in Python."""
    found = _IN_PYTHON.get(name)
    return function(("np",), name) or of_tensors(name) if found is None else registry.find(found)


@cache
def joins(name: str) -> bool:
    """Whether a function of numpy mode takes a sequence of arrays as one argument and joins them."""
    operator = function(("np",), name) or registry.find(_IN_PYTHON.get(name, ""))
    return operator is not None and properties.joins(operator) and name != "append"


def of_tensors(name: str) -> Operator | None:
    """Return the operator behind a legacy-mode function or method."""
    return function((), name) or method(name)


@cache
def _numpy_alias(name: str) -> Operator | None:
    """Return the operator that numpy mode exposes under another numpy name: divide, remainder, fabs."""
    named = (o for o in registry.operators() if name in o.facts.numpy_names)
    return next((o for o in named if o.name.startswith(_PREFIXES["np",]) and not o.internal), None)


def strict(symbol: str) -> Operator | None:
    """Return the legacy operator that a Python operator calls on two Symbols, which must have equal shapes."""
    return _by_symbol().get(symbol, (None, None))[0]


def broadcasting(symbol: str) -> str | None:
    """Return the legacy function that computes a Python operator with broadcasting."""
    operator = strict(symbol)
    return None if operator is None else operator.facts.broadcast_twin


def numpy_function(symbol: str) -> str | None:
    """Return the numpy-mode function that computes a Python operator."""
    operator = _by_symbol().get(symbol, (None, None))[1]
    return None if operator is None else operator.facts.numpy_names[0]


@cache
def _by_symbol() -> dict[str, tuple[Operator | None, Operator | None]]:
    """Return for each Python operator the MXNet operators it calls in legacy and in numpy mode."""
    named = [(o.facts.operator, o) for o in registry.operators() if o.facts.operator is not None]
    legacy = {symbol: o for symbol, o in named if o.facts.broadcast_twin is not None}
    numpy = {symbol: o for symbol, o in named if o.facts.broadcast_twin is None}
    return {symbol: (legacy.get(symbol), numpy.get(symbol)) for symbol in legacy.keys() | numpy.keys()}


def of_numbers(name: str) -> Operator | None:
    """Return the two-array operator behind a function of ``nd`` or ``sym`` that also accepts numbers, else None."""
    return _by_function().get(name)


@cache
def _by_function() -> dict[str, Operator]:
    return {name: o for o in registry.operators() for name in o.facts.functions}


@cache
def in_both_modes(name: str) -> Operator | None:
    """Return the two-array operator behind a function of both ``nd`` and ``sym`` that also accepts numbers."""
    lacking = surface.namespace_lacks((), name) or surface.namespace_has((), name, "eager") is False
    return None if lacking else of_numbers(name)


def symbol_of(name: str) -> str | None:
    """Return the Python operator that a function of two tensors computes: ``broadcast_add``, ``elemwise_add``."""
    operator = of_numbers(name) or registry.find(name)
    return None if operator is None else operator.facts.operator or _by_twin().get(operator.name)


@cache
def _by_twin() -> dict[str, str]:
    named = (o.facts for o in registry.operators() if o.facts.operator is not None)
    return {f.broadcast_twin: f.operator for f in named if f.broadcast_twin is not None and f.operator is not None}


def stops_gradient(name: str) -> bool:
    """Whether a legacy function returns its input and blocks the gradient."""
    return of_tensors(name) is method("detach")


@cache
def draws(name: str) -> bool:
    """Whether a function of any namespace, or a layer, may draw random numbers."""
    found = (registry.find(f"{prefix}{name}") for prefix in ("", "_", "_random_", "_npi_", "_npx_", "_sample_"))
    return name in surface.DRAWING or any(operator is not None and operator.random for operator in found)


@cache
def answers_for_each(name: str) -> bool:
    """Whether a function of numpy or ``nd`` is a predicate that returns a boolean for each element."""
    operator = of_numbers(name)
    constant = operator is not None and operator.grad is registry.zero_gradient
    return constant or (_answers(name) and not answers_at_once(name))


@cache
def answers_at_once(name: str) -> bool:
    """Whether a function of numpy is a predicate that returns one boolean for the whole array."""
    operator = function(("np",), name)
    return operator is not None and _answers(name) and properties.reduces_to_number(operator)


def _answers(name: str) -> bool:
    operator = function(("np",), name)
    return operator is not None and properties.own_dtype(operator) == "bool"


@cache
def of_numpy(name: str) -> Operator | None:
    """Return the operator equivalent to a function of numpy or math."""
    return next((o for o in registry.operators() if name in o.facts.numpy_names), None)


#: Attributes of arrays that tell nothing of the numbers in them.
ATTRIBUTES_WITHOUT_VALUES = frozenset({"shape", "dtype", "size", "ndim", "context", "ctx"})


def is_shaped_like(name: str) -> bool:
    """Whether an operator reads its last array for the shape alone, as ``reshape_like`` and ``zeros_like`` do."""
    return name.endswith("_like")


def like(name: str) -> str | None:
    """Return the variant of a legacy creation function that takes a tensor instead of a shape: zeros_like for zeros."""
    return f"{name}_like" if makes_array(name) and function((), f"{name}_like") is not None else None


@cache
def splits(name: str) -> bool:
    """Whether a legacy function or method splits a tensor into a requested number of parts."""
    operator = of_tensors(name)
    return name in surface.SPLITTING or (operator is not None and "num_outputs" in operator.params)


@cache
def takes_count(name: str) -> bool:
    """Whether a function creates an array with a number of elements between two limits."""
    operator = registry.find(f"_{name}") or registry.find(f"_npi_{name}")
    return operator is not None and {"start", "stop", "num"} <= operator.params.keys()


@cache
def takes_stop(name: str) -> bool:
    """Whether a function creates a row of numbers from one on, in equal steps, before another one."""
    operator = registry.find(f"_{name}") or registry.find(f"_npi_{name}")
    return operator is not None and not operator.inputs and {"start", "stop", "step"} <= operator.params.keys()


@cache
def takes_shape(name: str) -> bool:
    """Whether a function of ``nd`` creates an array with a given shape."""
    operator = registry.find(f"_{name}")
    return name == "empty" or (makes_array(name) and operator is not None and "shape" in operator.params)


def makes_array(name: str) -> bool:
    """Whether a function of ``nd`` creates an array from only a shape and numbers."""
    operator = registry.find(f"_{name}")
    return operator is not None and not operator.inputs and not operator.random and "ctx" in operator.params
