"""The program that `tests.commands` copies: ``python -m hybridlint`` up to where it reads its arguments.

It has imported what most commands import, and run nothing.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import pkgutil
import socket
import sys

#: What a check imports, from the first to the last.
_PARTS = (
    "frontends.commands.check",
    "analysis",
    "rules",
    "checking",
    "fixers",
    "fixing",
    "project",
    "proving.configured_blocks",
    "proving.fixes",
    "report",
    "text",
)

if __name__ == "__main__":
    sys.path[0] = os.path.dirname(os.__file__)

    from hybridlint.__main__ import entry
    from hybridlint.proving.child.runtime_zygote import RuntimeZygote
    from hybridlint.proving.process import COPIES, template

    served = ["frontends.server", "frontends.commands.server"] if importlib.util.find_spec("pygls") else []
    for part in [*_PARTS, *served]:
        package = importlib.import_module(f"hybridlint.{part}")
        for module in pkgutil.walk_packages(getattr(package, "__path__", []), f"{package.__name__}."):
            importlib.import_module(module.name)
    # Proofs of its copies are copies of one process too.
    COPIES.start(template("bundled"))
    request = RuntimeZygote(socket.socket(fileno=int(sys.argv[1]))).run()
    if request is None:
        COPIES.end()
        os._exit(0)
    # The tests put the package itself on the path, and this program with it.
    beside = os.environ["PYTHONPATH"]
    sys.path[:] = [
        *sys.path[:1],
        *request["environment"]["PYTHONPATH"].split(os.pathsep),
        *(path for path in sys.path[1:] if path != beside),
    ]
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv = ["hybridlint", *request["arguments"]]
    entry()
