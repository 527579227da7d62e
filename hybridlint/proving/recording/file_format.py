"""The file of a record: JSON with one line for each construction and each call.

Recording runs under any Python from 3.8 on, and so does this module.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

VERSION = 1
ABOUT = "how blocks were built and called, by `hybridlint record`"


def read(path: str) -> dict[str, Any]:
    """Return the blocks stored in a file, none if there is no file of this version."""
    try:
        with open(path, encoding="utf-8") as stream:
            document = json.load(stream)
        return dict(document["blocks"]) if document["version"] == VERSION else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def render_file(blocks: Mapping[str, Any]) -> str:
    """Return the text of a record file, with one line for each construction and each call."""
    entries = ",\n".join(f"    {json.dumps(key)}: {_block_text(blocks[key])}" for key in sorted(blocks))
    about = json.dumps(ABOUT)
    return f'{{\n  "version": {VERSION},\n  "about": {about},\n  "blocks": {{\n{entries}\n  }}\n}}\n'


def _block_text(block: Mapping[str, Any]) -> str:
    built = ",\n".join(map(_built_text, block["built"]))
    return f'{{\n      "source": {json.dumps(block["source"])},\n      "built": [\n{built}\n      ]\n    }}'


def _built_text(place: Mapping[str, Any]) -> str:
    head = json.dumps({key: place[key] for key in place if key != "calls"})[:-1]
    calls = ",\n".join(f"          {json.dumps(call)}" for call in place["calls"])
    return f'        {head}, "calls": [\n{calls}\n        ]}}'


def write(path: str, blocks: Mapping[str, Any]) -> None:
    """Replace a file atomically. Raises OSError."""
    new = f"{path}.{os.getpid()}"
    with open(new, "w", encoding="utf-8") as stream:
        stream.write(render_file(blocks))
    os.replace(new, path)
