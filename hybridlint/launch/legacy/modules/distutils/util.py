"""``distutils.util``: words for true and false."""

from __future__ import annotations

import sysconfig

_TRUE, _FALSE = {"y", "yes", "t", "true", "on", "1"}, {"n", "no", "f", "false", "off", "0"}


def strtobool(val: str) -> int:
    """Return 1 for a word that means yes, 0 for one that means no. Raises ValueError for any other."""
    word = val.lower()
    if word not in _TRUE | _FALSE:
        raise ValueError(f"invalid truth value {word!r}")
    return int(word in _TRUE)


def get_platform() -> str:
    """Return the name of the platform, such as ``linux-x86_64``."""
    return sysconfig.get_platform()
