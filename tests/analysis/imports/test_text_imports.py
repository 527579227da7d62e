"""The imports of a text are found without parsing it, and lead from a file to those that import it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.analysis.imports.statements import ImportStatement, imports_in_text, possible_imports
from hybridlint.analysis.imports.text_imports import TextImports

TEXTS = {
    "import a.b": [ImportStatement("a.b", None)],
    "import a, b as c": [ImportStatement("a", None), ImportStatement("b", None)],
    "from a.b import c as d, e": [ImportStatement("a.b", "c"), ImportStatement("a.b", "e")],
    "from . import a": [ImportStatement("", "a", 1)],
    "from ..a import *": [ImportStatement("a", None, 2)],
    "from a import (  # why\n    b,  # because\n    c,\n)": [ImportStatement("a", "b"), ImportStatement("a", "c")],
    "from a import b, \\\n    c": [ImportStatement("a", "b"), ImportStatement("a", "c")],
    "x = 1; import a": [ImportStatement("a", None)],
    "try: import a\nexcept ImportError: pass": [ImportStatement("a", None)],
    "important = 1\nfromage = 2": [],
}


@pytest.mark.parametrize("text", TEXTS)
def test_imports_in_text(text: str) -> None:
    assert list(imports_in_text(text)) == TEXTS[text]


POSSIBLE = {
    "from .import a": {("", 1), ("a", 1)},
    "import a . b, c": {("a.b", 0), ("c", 0)},
    "from . a import (b,  # (why)\n    c)": {("a", 1), ("a.b", 1), ("a.c", 1)},
    "from a \\\n    import b": {("a", 0), ("a.b", 0)},
    "def f(): yield from x\nimport y": {("y", 0)},
    "if x: import a; import b": {("a", 0), ("b", 0)},
    "from a import *": {("a", 0), ("a.*", 0)},
    '"""Words: import all."""\nimport b': {("b", 0)},
    'important = "x"': set(),
    "from __future__ import absolute_import\nimport b": {
        ("__future__", 0),
        ("__future__.absolute_import", 0),
        ("b", 0),
    },
    "import importlib": {("importlib", 0)},
}


@pytest.mark.parametrize("text", POSSIBLE)
def test_no_import_is_left_out_of_the_possible_ones(text: str) -> None:
    assert set(possible_imports(text) or ()) >= POSSIBLE[text]


@pytest.mark.parametrize(
    "text", ['if s == "import": import b', '"import (" ; x = 1\nimport b\n")"', "import a\rimport b"]
)
def test_words_that_swallow_others_leave_it_to_the_syntax(text: str) -> None:
    assert possible_imports(text) is None


def test_importers_are_found_through_others(tmp_path: Path) -> None:
    texts = {
        "tools/ops.py": "",
        "models/parts.py": "from tools.ops import f\n",
        "models/net.py": "from .parts import g\n",
        "other.py": "import os\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    files = [tmp_path / name for name in texts]
    found = TextImports().importers([tmp_path / "tools/ops.py"], files)
    assert found == {tmp_path / "models/parts.py", tmp_path / "models/net.py"}
