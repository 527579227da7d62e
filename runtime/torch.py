"""``mx.th``: functions of Lua Torch, which MXNet must be built with."""

from __future__ import annotations

from typing import NoReturn


def __getattr__(name: str) -> NoReturn:
    raise AttributeError(f"mx.th has no {name}: MXNet has functions of Lua Torch only where it was built with them")
