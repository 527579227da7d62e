"""``mx.contrib.symbol``: ``mx.sym.contrib`` under another name."""

from typing import Any

from hybridlint.runtime.symbol import contrib


def __getattr__(name: str) -> Any:
    return getattr(contrib, name)
