"""Writes arrays as a `.safetensors` file: the length of a header, the header in JSON, and the numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

_DTYPES = {
    "float64": "F64", "float32": "F32", "float16": "F16", "int64": "I64", "int32": "I32", "int8": "I8", "uint8": "U8",
    "bool": "BOOL",
}  # fmt: skip
#: The header ends where numbers of this many bytes may begin.
_ALIGNED = 8


def write_safetensors(path: Path, arrays: Mapping[str, Any]) -> None:
    """Write arrays by name. The file must not be there yet. Raises FileExistsError."""
    header: dict[str, Any] = {}
    parts: list[bytes] = []
    end = 0
    for name, array in arrays.items():
        data = np.ascontiguousarray(array).tobytes()
        header[name] = {
            "dtype": _DTYPES[np.asarray(array).dtype.name],
            "shape": list(np.asarray(array).shape),
            "data_offsets": [end, end + len(data)],
        }
        end += len(data)
        parts.append(data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % _ALIGNED)
    with path.open("xb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        file.writelines(parts)
