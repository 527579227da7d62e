"""Ask MXNet what the calls give: ``MXNET -m tests.runtime.sparse.measure`` writes answers.json."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

import mxnet as mx  # type: ignore[import-not-found, unused-ignore]
import numpy as np

from tests.runtime.sparse.calls import CALLS, answer, fallbacks, names

with tempfile.TemporaryFile() as told:
    # The library writes to the file descriptor.
    os.dup2(told.fileno(), 2)
    known = names(mx, np)
    answers = {f"{number} {call}": answer(mx, call, known) for number, call in enumerate(CALLS)}
    told.seek(0)
    said = fallbacks(told.read().decode())
lines = ",\n".join(f" {json.dumps(call)}: {json.dumps(found)}" for call, found in answers.items())
texts = ",\n".join(f" {json.dumps(text)}" for text in said)
Path(__file__).with_name("answers.json").write_text(
    f'{{"answers": {{\n{lines}\n}}, "fallbacks": [\n{texts}\n]}}\n', encoding="utf-8"
)
