"""Runs the constructs of `tests/constructs` within `hybridlint.strict` on the bundled runtime.

    python -m tests.frontends.api.judge

prints, as JSON, by the name of each construct the code that is raised, or null.
"""

from __future__ import annotations

import importlib
import json
import linecache
import sys
import warnings
from contextlib import nullcontext
from typing import Any

from hybridlint.launch.serve import serve
from tests.constructs.measure import Trial
from tests.constructs.sections import constructs


class StrictTrial(Trial):
    """A construct whose source can be read, as that of a file can."""

    def net(self, hybrid: bool) -> Any:
        """Return a fresh block."""
        name = f"<{self.construct.name}>"
        linecache.cache[name] = (len(self.module), None, self.module.splitlines(True), name)
        namespace: dict[str, Any] = {"__name__": "construct"}
        exec(compile(self.module, name, "exec"), namespace)
        net = namespace["Net"](prefix="net_")
        net.initialize(self.mx.init.Uniform(0.5))
        return net

    def code(self) -> str | None:
        """Return the code of the rule that two calls meet; other exceptions are those of eager runs."""
        from hybridlint.runtime.strict.arrays import NotHybridizableError
        from hybridlint.runtime.strict.runs import strict

        try:
            net = self.net(hybrid=False)
            with strict():
                for call in (1, 2):
                    self.seed(100 + call)
                    recorded = bool(self.construct.flags & {"train", f"train{call}"})
                    with self.mx.autograd.record() if recorded else nullcontext():
                        net(*self.arguments(call))
        except NotHybridizableError as error:
            return error.code
        except Exception:
            return None
        return None


def main() -> None:
    """Judge all constructs: those of numpy mode last, which is switched on once and for all."""
    warnings.simplefilter("ignore")
    output, sys.stdout = sys.stdout, sys.stderr
    serve()
    mx = importlib.import_module("mxnet")
    found = {}
    for construct in sorted(constructs(), key=lambda construct: "np" in construct.flags):
        if "np" in construct.flags:
            mx.npx.set_np()
        found[construct.name] = StrictTrial(mx, construct, construct.module).code()
    json.dump(found, output)


if __name__ == "__main__":
    main()
