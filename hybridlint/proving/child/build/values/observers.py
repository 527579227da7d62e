"""Callbacks, writers and meters that a constructor takes as None by default, and that a block only calls.

Without one, the code that prepares their arguments never runs, such as reading a number from a tensor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hybridlint.proving.child.brief.code import ClassFacts

#: An observer that is called itself, and one of which methods are called.
_CALLED = "lambda *args, **kwargs: None"
_OF_METHODS = "type('Observer', (), dict.fromkeys({names}, lambda *args, **kwargs: None))()"
#: The name for a call of the observer itself, beside those of its methods.
_ITSELF = ""


def observers(absent: Sequence[str], facts: Sequence[ClassFacts], scope: Mapping[str, Any]) -> dict[str, str]:
    """Return expressions for the constructor arguments that the code calls as observers if they are given.

    `absent` are the arguments that are None or empty by default, `facts` those of the class and its bases, `scope` its
    globals.
    """
    found: dict[str, str] = {}
    for name in absent:
        attributes = {name, *(own for each in facts for own, held in each.holding if held == name)}
        told = [each for known in facts for each in known.told if each.attribute in attributes]
        one, items = ([each.method for each in told if each.items is several] for several in (False, True))
        if one:
            found[name] = _observer(one, scope)
        elif items:
            found[name] = f"[{_observer(items, scope)}]"
    return found


def _observer(methods: Sequence[str], scope: Mapping[str, Any]) -> str:
    names = sorted(set(methods) - {_ITSELF})
    if not names:
        return _CALLED
    fitting = (key for key, value in scope.items() if _has(value, names) and value.__module__ == scope.get("__name__"))
    for key in fitting:
        try:
            scope[key]()
        except Exception:
            continue
        return f"{key}()"
    return _OF_METHODS.format(names=names)


def _has(value: Any, names: Sequence[str]) -> bool:
    return isinstance(value, type) and all(callable(getattr(value, name, None)) for name in names)
