"""Run fixed modules on the bundled runtime: ``python -m tests.histories.runs``, modules by name as JSON on stdin."""

from __future__ import annotations

import json
import sys
from typing import Any

from tests.constructs.rewrites import outcome

from .pairs import pairs


def main() -> None:
    """Print, for each module, what it gives eagerly and hybridized."""
    from hybridlint.launch.serve import serve

    serve()
    import mxnet as mx  # type: ignore[import-not-found,import-untyped,unused-ignore]

    modules: dict[str, str] = json.load(sys.stdin)
    blocks = {pair.name: pair.before for pair in pairs()}
    found: dict[str, Any] = {
        name: [outcome(mx, blocks[name], module, hybrid=hybrid) for hybrid in (False, True)]
        for name, module in modules.items()
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main()
