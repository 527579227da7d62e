"""The program that `tests.commands` copies: ``python -m hybridlint`` up to where it reads its arguments.

It has imported what most commands import, and run nothing.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import socket
import sys

#: What a check imports, from the first to the last.
_PARTS = (
    "commands.check",
    "analysis",
    "rules",
    "checking",
    "fixers",
    "fixing",
    "adopting",
    "documents",
    "proving.configured",
    "proving.fixes",
    "report",
    "settings",
    "text",
)

if __name__ == "__main__":
    sys.path[0] = os.path.dirname(os.__file__)

    from hybridlint.__main__ import entry
    from hybridlint.proving.child.template import Template

    for part in _PARTS:
        package = importlib.import_module(f"hybridlint.{part}")
        for module in pkgutil.walk_packages(getattr(package, "__path__", []), f"{package.__name__}."):
            importlib.import_module(module.name)
    request = Template(socket.socket(fileno=int(sys.argv[1]))).run()
    if request is None:
        os._exit(0)
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv = ["hybridlint", *request["arguments"]]
    entry()
