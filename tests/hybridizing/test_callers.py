"""Files that use a file: those beside it, and those that import it, also through folders without `__init__.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.hybridizing.callers import files_around, outside_heirs
from hybridlint.text.source import SourceFile

LAYERS = "from mxnet.gluon import Block\n\n\nclass Head(Block):\n    def forward(self, x):\n        return x.abs()\n"
HEIR = "\n\nclass Big(Head):\n    pass\n"


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "models" / "layers.py"


@pytest.mark.parametrize(
    ("place", "line"),
    [
        ("nets/net.py", "from models.layers import Head"),
        ("train.py", "from models.layers import Head"),
        ("nets/deep/net.py", "from models.layers import Head"),
        ("models/net.py", "from .layers import Head"),
        ("models/parts/net.py", "from ..layers import Head"),
    ],
)
def test_a_subclass_is_found_without_package_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    path = written(
        tmp_path, {"models/layers.py": LAYERS, place: f"{line}{HEIR}", "other.py": HEIR, "run.py": "import train\n"}
    )
    found = dict(outside_heirs([SourceFile(path, LAYERS)]))
    assert "`Big` in" in found[path]["Head"].text
    assert tmp_path / "other.py" not in set(files_around(path))


def test_files_beside_are_users_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path, {"models/layers.py": LAYERS, "models/__init__.py": "", "models/deep/part.py": "x = 1\n"})
    assert {other.name for other in files_around(path)} == {"layers.py", "__init__.py", "part.py"}
