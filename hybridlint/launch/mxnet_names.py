"""The modules of MXNet with their public names, as measured on MXNet: `mxnet_names.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any


@cache
def table() -> Mapping[str, Mapping[str, Any]]:
    """Return the names of all modules of MXNet, by module without ``mxnet.`` and by source."""
    found: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_suffix(".json").read_text())
    return found
