"""The part of the playground that runs under Pyodide: text in, findings and fixes out, both as plain data."""

from __future__ import annotations

import difflib
import json

import hybridlint

FILE = "playground.py"


def answer(text: str, unsafe: bool) -> str:
    """Return the findings in a text and what fixing changes, as JSON."""
    found = hybridlint.check_source(text, FILE)
    if found.failure is not None:
        return json.dumps({"failure": found.failure, "findings": [], "fixed": text, "changes": []})
    fixed = hybridlint.check_source(text, FILE, fix=True, unsafe_fixes=unsafe).fixed
    after = text if fixed is None else fixed.after
    return json.dumps(
        {
            "failure": None,
            "findings": [diagnostic.to_json() for diagnostic in found.diagnostics],
            "fixed": after,
            "changes": list(difflib.unified_diff(text.split("\n"), after.split("\n"), n=2, lineterm=""))[2:],
        }
    )
