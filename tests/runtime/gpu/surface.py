"""What CuPy has: names, parameters, loops of its ufuncs. Read off the installed package, kept for where it is not.

`python -m tests.runtime.gpu.surface` writes `cupy_surface.json` anew. It needs CuPy, and neither a driver nor a device.
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
from pathlib import Path
from typing import Any

KEPT = Path(__file__).with_name("cupy_surface.json")

#: Namespaces whose functions kernels may call.
SPACES = ("", "linalg", "fft", "lib.stride_tricks")
#: How CuPy's compiled methods are declared in the first line of their documentation.
_DECLARED = re.compile(r"^[\w.]*?(\w+)\((.*)\)(?: ->.*)?$")

#: A parameter: its name, its kind as `inspect` numbers it, and whether it has a default.
Parameter = tuple[str, int, bool]


def read() -> dict[str, Any]:
    """Return the surface of the installed CuPy. Raises ImportError without it."""
    cupy = importlib.import_module("cupy")
    functions, ufuncs, others = {}, {}, set()
    for space in SPACES:
        module = _within(cupy, space)
        for name in sorted(vars(module)):
            value = getattr(module, name)
            if name.startswith("_") or inspect.ismodule(value):
                continue
            path = f"{space}.{name}" if space else name
            if isinstance(value, cupy.ufunc):
                ufuncs[path] = {"nin": value.nin, "nout": value.nout, "types": value.types}
            elif inspect.isclass(value) or not callable(value):
                others.add(path)
            else:
                functions[path] = _parameters(value)
    return {
        "version": cupy.__version__,
        "functions": functions,
        "ufuncs": ufuncs,
        "others": sorted(others),
        **_members(cupy.ndarray, "array"),
        **_members(cupy.random.Generator, "generator"),
    }


def kept() -> dict[str, Any]:
    """Return the surface that is kept beside this module."""
    return json.loads(KEPT.read_text())  # type: ignore[no-any-return]


def _within(module: Any, path: str) -> Any:
    for name in path.split(".") if path else ():
        module = getattr(module, name)
    return module


def _members(kind: type, what: str) -> dict[str, Any]:
    """Return the methods of a compiled class with their parameters, and its attributes."""
    methods, attributes = {}, []
    for name in dir(kind):
        member = getattr(kind, name)
        if name.startswith("_") and not (name.startswith("__") and what == "array"):
            continue
        if inspect.isgetsetdescriptor(member):
            attributes.append(name)
        elif callable(member):
            methods[name] = _declared(member)
    return {f"{what}_methods": methods, f"{what}_attributes": attributes}


def _parameters(function: Any) -> list[Parameter] | None:
    """Return the parameters of a function; None where it does not tell."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    return [(p.name, int(p.kind), p.default is not p.empty) for p in found]


def _declared(method: Any) -> list[Parameter] | None:
    """Return the parameters of a compiled method, behind the array, as its documentation declares them."""
    match = _DECLARED.match((method.__doc__ or "").split("\n")[0])
    if match is None or method.__name__.startswith("__"):
        return None
    kind, found = int(inspect.Parameter.POSITIONAL_OR_KEYWORD), list[Parameter]()
    for part in match[2].split(", ")[1:]:
        if part == "*":
            kind = int(inspect.Parameter.KEYWORD_ONLY)
            continue
        name = part.split("=")[0].split()[-1]
        if name.startswith("*"):
            found.append((name[1:], int(inspect.Parameter.VAR_POSITIONAL), False))
            kind = int(inspect.Parameter.KEYWORD_ONLY)
        else:
            found.append((name, kind, "=" in part))
    return found


def text(surface: dict[str, Any]) -> str:
    """Return the surface as JSON, a line for each name."""
    lines = []
    for key, held in sorted(surface.items()):
        if isinstance(held, dict):
            rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in sorted(held.items()))
            lines.append(f"{json.dumps(key)}: {{\n{rows}\n}}")
        else:
            lines.append(f"{json.dumps(key)}: {json.dumps(held)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    KEPT.write_text(text(read()))
