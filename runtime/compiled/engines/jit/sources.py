"""A stamp of the sources that write IR, so that other versions do not reuse its object code."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

#: The packages that turn values into kernels and kernels into IR.
_HERE = Path(__file__).parent
_PACKAGES = (_HERE, _HERE.parents[1] / "groups")


@cache
def sources() -> str | None:
    """Return a digest of the sources; None where they cannot be read, as in an archive."""
    try:
        texts = [path.read_bytes() for package in _PACKAGES for path in sorted(package.glob("*.py"))]
    except OSError:
        return None
    digests = [hashlib.sha256(text).digest() for text in texts]
    return hashlib.sha256(b"".join(digests)).hexdigest() if texts else None
