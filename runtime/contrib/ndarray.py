"""``mx.contrib.ndarray``: ``mx.nd.contrib`` under another name."""

from typing import Any

from hybridlint.runtime.ndarray import contrib


def __getattr__(name: str) -> Any:
    return getattr(contrib, name)
