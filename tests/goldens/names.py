"""Ask the real MXNet 1.9.1 which modules it has and which names each holds, for `hybridlint/mxnet_names.json`.

    PYTHON_WITH_MXNET tests/goldens/names.py

Names are listed by where they come from: another module that holds the same object ("=" begins those of other
libraries), "class" and "." for the module's own, "none" for None (name=module is a library that MXNet imports where it
is installed), "modules" for modules as name or name=module, and "values" for numbers, texts and, with an underscore,
plain lists and dicts of them. "hidden" are public names that a star import leaves out, and "methods" are private
methods of the module's classes; names with an underscore are listed as all others are. It runs in MXNet's interpreter,
so it stays within Python 3.8.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import pkgutil
import types
import warnings
from collections import defaultdict
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

ANSWERS = Path(__file__).parents[2] / "hybridlint/mxnet_names.json"
#: What is no module to import: it ends the process.
NOT_IMPORTED = {"mxnet.onnx.setup", "mxnet.libmxnet"}


def modules() -> dict[str, types.ModuleType]:
    """Return all modules of the package by name, without their prefix."""
    root = importlib.import_module("mxnet")
    found = {"": root}
    waiting: list[Any] = [root]
    while waiting:
        package = waiting.pop()
        for info in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
            if info.name not in NOT_IMPORTED:
                module = importlib.import_module(info.name)
                found[info.name[len("mxnet.") :]] = module
                waiting += [module] if info.ispkg else []
    return found


def names_of(name: str, module: types.ModuleType, known: dict[str, types.ModuleType]) -> dict[str, Any]:
    """Return the public names of a module, by source."""
    groups: dict[str, list[str]] = defaultdict(list)
    values = {}
    for key, value in sorted(vars(module).items()):
        if key.startswith("__"):
            continue
        private = key.startswith("_")
        if isinstance(value, (str, int, float)) or (private and _is_plain(value)):
            values[key] = value
            continue
        if isinstance(value, types.ModuleType):
            groups["modules"].append(key if value.__name__ == key else f"{key}={value.__name__}")
            continue
        source = _source(name, key, value, known)
        if not private or callable(value) or source not in {"class", "."}:
            groups[source].append(_absent_library(module, key) if source == "none" else key)
    star = getattr(module, "__all__", None)
    listed_names = set(values) | {key.partition("=")[0] for names in groups.values() for key in names}
    public = {key for key in listed_names if not key.startswith("_")}
    if star is not None:
        groups["hidden"] = sorted(public.difference(star))
    listed: dict[str, Any] = {source: " ".join(found) for source, found in sorted(groups.items()) if found}
    methods = {key: methods_of(vars(module)[key]) for key in groups["class"] if isinstance(vars(module)[key], type)}
    methods = {key: names for key, names in methods.items() if names}
    return {**listed, **({"methods": methods} if methods else {}), **({"values": values} if values else {})}


def methods_of(klass: type) -> str:
    """Return the names of the private methods that a class defines itself, without those that Python calls."""
    kinds = (types.FunctionType, staticmethod, classmethod)
    return " ".join(
        sorted(k for k, v in vars(klass).items() if isinstance(v, kinds) and k.startswith("_") and k[:2] != "__")
    )


def _absent_library(module: types.ModuleType, key: str) -> str:
    """Return name=module for a library that the module imports where it is installed, name for any other None."""
    tree = ast.parse(inspect.getsource(module))
    aliases = chain.from_iterable(node.names for node in ast.walk(tree) if isinstance(node, ast.Import))
    library = next((alias.name for alias in aliases if (alias.asname or alias.name) == key), None)
    return key if library is None else f"{key}={library}"


def _is_plain(value: Any) -> bool:
    """Whether JSON gives the value back as it is."""
    if isinstance(value, list):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(item) for key, item in value.items())
    return isinstance(value, (str, int, float))


def _source(name: str, key: str, value: Any, known: dict[str, types.ModuleType]) -> str:
    if value is None:
        return "none"
    home = getattr(value, "__module__", None) or ""
    if home == "mxnet." + name or (name == "base" and isinstance(value, tuple)):
        return "class" if isinstance(value, type) else "."
    below = home[len("mxnet.") :] if home.startswith("mxnet.") else ""
    if below in known and getattr(known[below], key, None) is value:
        return below
    if key.startswith("_") and not isinstance(value, (type, types.FunctionType)):
        homes = [place for place in known if _assigns(known[place], key) and vars(known[place]).get(key) is value]
        if homes:
            return "." if name in homes else homes[0]
    original = getattr(value, "__name__", key)
    if not below and getattr(_imported(home), original, None) is value:
        return "=" + home if original == key else f"={home}:{original}"
    return _holder(name, key, value, known)


def _holder(name: str, key: str, value: Any, known: dict[str, types.ModuleType]) -> str:
    """Return another module that holds the object, or what it is to its own module."""
    for place in ("base", *sorted(known, key=len)):
        if place and place != name and not _is_generated(place) and _same(vars(known[place]).get(key), value):
            return place
    return "class" if isinstance(value, type) else "."


def _assigns(module: types.ModuleType, key: str) -> bool:
    """Whether the code of a module assigns the name at its top: other modules import it from there."""
    return key in _assigned(getattr(module, "__file__", "") or "")


@lru_cache(None)
def _assigned(file: str) -> frozenset[str]:
    if not file.endswith(".py"):
        return frozenset()
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    nested = (getattr(statement, "body", []) for statement in tree.body if isinstance(statement, (ast.If, ast.Try)))
    statements = [*tree.body, *chain.from_iterable(nested)]
    targets = chain.from_iterable(statement.targets for statement in statements if isinstance(statement, ast.Assign))
    return frozenset(target.id for target in targets if isinstance(target, ast.Name))


def _is_generated(module: str) -> bool:
    """Whether a module holds functions that are written while MXNet is imported, and that others have as their own."""
    return module.rpartition(".")[2].startswith(("gen_", "_op", "_internal"))


def _same(one: Any, other: Any) -> bool:
    """Whether two objects are one, or were generated twice for one operator."""
    return one is other or (
        isinstance(one, types.FunctionType)
        and isinstance(other, types.FunctionType)
        and (one.__module__, one.__qualname__, one.__doc__) == (other.__module__, other.__qualname__, other.__doc__)
    )


def _imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except (ImportError, ValueError):
        return None


def main() -> None:
    """Write the answers."""
    warnings.simplefilter("ignore")
    known = modules()
    found = {name: names_of(name, module, known) for name, module in sorted(known.items())}
    ANSWERS.write_text(json.dumps(found, indent=0, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
