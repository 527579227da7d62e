"""Ask the real MXNet 1.9.1 which modules it has and which public names each holds, for `hybridlint/mxnet_names.json`.

    PYTHON_WITH_MXNET tests/goldens/names.py

Names are listed by where they come from: another module that holds the same object ("=" begins those of other
libraries), "class" and "." for the module's own, "none" for libraries that MXNet does without, "modules" for modules as
name or name=module, and "values" for numbers and texts. "hidden" are those that a star import leaves out. It
runs in MXNet's interpreter, so it stays within Python 3.8.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import types
import warnings
from collections import defaultdict
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
        if key.startswith("_"):
            continue
        if isinstance(value, (str, int, float)):
            values[key] = value
        elif isinstance(value, types.ModuleType):
            groups["modules"].append(key if value.__name__ == key else f"{key}={value.__name__}")
        else:
            groups[_source(name, key, value, known)].append(key)
    star = getattr(module, "__all__", None)
    public = set(values) | {key.partition("=")[0] for names in groups.values() for key in names}
    if star is not None:
        groups["hidden"] = sorted(public.difference(star))
    listed: dict[str, Any] = {source: " ".join(found) for source, found in sorted(groups.items()) if found}
    return {**listed, "values": values} if values else listed


def _source(name: str, key: str, value: Any, known: dict[str, types.ModuleType]) -> str:
    if value is None:
        return "none"
    home = getattr(value, "__module__", None) or ""
    if home == "mxnet." + name or (name == "base" and isinstance(value, tuple)):
        return "class" if isinstance(value, type) else "."
    below = home[len("mxnet.") :] if home.startswith("mxnet.") else ""
    if below in known and getattr(known[below], key, None) is value:
        return below
    original = getattr(value, "__name__", key)
    if not below and getattr(_imported(home), original, None) is value:
        return "=" + home if original == key else f"={home}:{original}"
    for place in ("base", *sorted(known, key=len)):
        if place and place != name and not _is_generated(place) and _same(vars(known[place]).get(key), value):
            return place
    return "class" if isinstance(value, type) else "."


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
