"""Which code leaves an object unchanged: methods, judged by the object's type, and functions that get it.

All other code may change it. An immutable object has no method that changes anything. The code of a library's Python
method shows whether it stores anything.
"""

from __future__ import annotations

import array
import bisect
import dis
import functools
import heapq
import operator
import types
from enum import Enum
from typing import Any
from weakref import ref

import numpy as np

from hybridlint.proving.child.changes.array_methods import changing_array_methods
from hybridlint.proving.child.own_attributes import raw_attribute
from hybridlint.proving.child.word_tables import words
from hybridlint.text.mutators import CONTAINERS, changing_methods, is_harmless

#: Further types, as in `CONTAINERS`.
_ARRAYS: dict[type, tuple[type, str]] = {
    array.array: (tuple, "buffer_info itemsize tobytes tofile tolist tounicode typecode"),
}
_TWINS = {**CONTAINERS, **_ARRAYS}
#: Special methods that read an object of any type, whoever wrote it.
_READING = words(
    """
    __abs__ __add__ __and__ __array__ __bool__ __bytes__ __class__ __contains__ __copy__ __deepcopy__ __dict__ __dir__
    __divmod__ __doc__ __eq__ __float__ __floordiv__ __format__ __ge__ __getattribute__ __getitem__ __gt__ __hash__
    __index__ __int__ __invert__ __iter__ __le__ __len__ __length_hint__ __lshift__ __lt__ __matmul__ __mod__
    __module__ __mul__ __name__ __ne__ __neg__ __or__ __pos__ __pow__ __qualname__ __radd__ __reduce__ __reduce_ex__
    __repr__ __rmul__ __round__ __rshift__ __rsub__ __rtruediv__ __sizeof__ __str__ __sub__ __truediv__ __xor__
    """
)
#: Functions of `operator` that work in place have a plain one beside them.
_OF_OPERATOR = words("* -setitem -delitem") | {
    f"-{name}"
    for name in dir(operator)
    if name.startswith("i") and (hasattr(operator, name[1:]) or hasattr(operator, f"{name[1:]}_"))
}
#: Functions of libraries that leave alone what they get, by module; "*" represents all but those after a minus.
_LEAVING = {
    "builtins": words("* -next -anext -setattr -delattr"),
    "_operator": _OF_OPERATOR,
    "operator": _OF_OPERATOR,
    "_heapq": words("nlargest nsmallest merge"),
    "heapq": words("nlargest nsmallest merge"),
    "_bisect": words("bisect bisect_left bisect_right"),
    "random": words("* -shuffle"),
    "numpy": words("* -copyto -put -place -putmask -fill_diagonal -put_along_axis -shuffle"),
    "mxnet": words("* -shuffle"),
    **dict.fromkeys(("struct", "_struct"), words("* -pack_into")),
    **dict.fromkeys(("io", "_io"), words("* -readinto -readinto1")),
    **dict.fromkeys(
        words(
            """
            _collections _csv _functools _json _pickle _statistics abc collections contextlib copy csv dataclasses enum
            functools itertools json logging math os pathlib pickle pprint re statistics string sys time tqdm types
            typing warnings weakref
            """
        ),
        words("*"),
    ),
}
#: What is called, and changes only by what it keeps.
_CODE = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType, functools.partial)
#: What shows another object, which may change.
_OF_OTHERS = (types.MappingProxyType, ref, memoryview)
#: Instructions of Python's byte code that store into an object.
_STORING = frozenset(["STORE_ATTR", "DELETE_ATTR", "STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE", "STORE_GLOBAL"])
#: Most methods through which a method of a library is followed.
_DEEPEST = 3


def is_immutable(value: Any) -> bool:
    """Whether an object never changes, which Python tells by hashing it by its value."""
    kind: Any = type(value)
    by_value = kind.__hash__ not in (None, object.__hash__) and kind.__eq__ is not object.__eq__
    return value is None or isinstance(value, Enum) or (by_value and not isinstance(value, _OF_OTHERS))


def is_code(value: Any) -> bool:
    """Whether a value is a function, class, module or another thing that is called and not changed."""
    return isinstance(value, _CODE)


def leaves_alone(value: Any, method: str) -> bool:
    """Whether a method of an object is known to leave the object as it is."""
    kind: Any = type(value)
    return method in _READING or is_immutable(value) or _method_leaves_alone(kind, method)


@functools.lru_cache(maxsize=4096)
def _method_leaves_alone(kind: type, method: str) -> bool:
    if issubclass(kind, np.ndarray) and method in vars(np.ndarray):
        return method not in changing_array_methods() and not method.startswith(("__i", "__set", "__del"))
    for base in kind.__mro__:
        if base in _TWINS and method in vars(base):
            return is_harmless(*_TWINS[base], method)
        if method in vars(base):
            return _only_reads(kind, vars(base)[method], _DEEPEST)
    return True


@functools.lru_cache(maxsize=1)
def mutators() -> frozenset[str]:
    """Return the names of all methods by which Python's containers and numpy's arrays are changed."""
    return changing_methods((_TWINS,)) | {name for name in changing_array_methods() if not hasattr(str, name)}


def _only_reads(kind: type, method: Any, deepest: int) -> bool:
    """Whether the code of a method stores nothing, nor calls what might; C code tells nothing."""
    method = getattr(method, "__func__", getattr(method, "fget", getattr(method, "func", method)))
    if not isinstance(method, types.FunctionType) or deepest < 1:
        return False
    return all(_is_harmless(kind, instruction, deepest) for instruction in dis.get_instructions(method))


def _is_harmless(kind: type, instruction: dis.Instruction, deepest: int) -> bool:
    if instruction.opname in _STORING:
        return False
    if instruction.opname not in ("LOAD_ATTR", "LOAD_METHOD") or not isinstance(instruction.argval, str):
        return True
    name = instruction.argval
    inner = next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)
    if isinstance(inner, types.FunctionType):
        return _only_reads(kind, inner, deepest - 1)
    return name not in mutators()


def function_leaves_alone(owner: Any, name: str) -> bool:
    """Whether a function of a library, or a method of a class, is known to leave alone what it gets."""
    module = str(raw_attribute(owner, "__module__", None) or "builtins")
    known = _LEAVING.get(module, _LEAVING.get(module.partition(".")[0], frozenset()))
    return name in known or ("*" in known and f"-{name}" not in known)


@functools.lru_cache(maxsize=1)
def changing_functions() -> frozenset[str]:
    """Return the names of the functions of Python and numpy that are known to change what they get first."""
    named = {name[1:] for known in _LEAVING.values() for name in known if name.startswith("-")}
    own = {name for module in (heapq, bisect) for name, held in vars(module).items() if callable(held)}
    left = {name for known in _LEAVING.values() for name in known}
    return frozenset(named | {name for name in own - left if not name.startswith("_")})
