"""State that other files of the project change: those that import a block's module, or what it imports."""

from __future__ import annotations

import importlib
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import pytest

import hybridlint.runtime as mx
from hybridlint.proving.child.changes.outside_changes import outside_changes
from hybridlint.proving.child.loaded_module import LoadedModule
from hybridlint.proving.child.runs.variants import BlockVersion
from hybridlint.proving.related_files import related_files

FILES = {
    "settings_of_related.py": """
        SCALE = {"gain": 1.0}
        LEVEL = 2.0

        def set_level(value):
            global LEVEL
            LEVEL = value
        """,
    "blocks_of_related.py": """
        from hybridlint.runtime.gluon import nn

        import settings_of_related
        from settings_of_related import SCALE

        class Rated(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.rate, self.items, self.factor = 1.0, [1.0], 2.0

            def hybrid_forward(self, F, x):
                return x * self.rate

        class Listed(Rated):
            def hybrid_forward(self, F, x):
                return x * sum(self.items)

        class Fixed(Rated):
            def hybrid_forward(self, F, x):
                return x * self.factor

        class Scaled(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                return x * SCALE["gain"]

        class Levelled(nn.HybridBlock):
            def hybrid_forward(self, F, x):
                return x * settings_of_related.LEVEL
        """,
    "train_related.py": """
        from blocks_of_related import Fixed, Listed, Rated

        class Optimizer:
            def __init__(self):
                self.factor = 1.0

        def warm(net, optimizer):
            net.rate = 2.0
            optimizer.factor = 3.0

        def main():
            warm(Rated(), Optimizer())
            Listed().items.append(1.0)
            for net in (Rated(), Listed()):
                net.initialize()
                net.items.append(2.0)
        """,
    "tools/tune_related.py": """
        import settings_of_related

        def tune(value):
            settings_of_related.SCALE["gain"] = value
        """,
    "unrelated.py": """
        class Fixed:
            def change(self, net):
                self.factor = net.factor = 4.0
        """,
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files of a project."""
    folder = tmp_path_factory.mktemp("related")
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(dedent(text))
    (folder / "setup.py").touch()
    return folder


@pytest.fixture
def blocks(project: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return the module of the blocks."""
    monkeypatch.syspath_prepend(str(project))
    return importlib.import_module("blocks_of_related")


def test_files_are_related_by_what_they_import(project: Path) -> None:
    found = {path.name for path in related_files(project / "blocks_of_related.py")}
    assert found == {"settings_of_related.py", "train_related.py", "tune_related.py"}


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("Rated", ["self.rate"]),
        ("Listed", ["self.items"]),
        ("Fixed", []),
        ("Scaled", ["SCALE['gain']"]),
        ("Levelled", ["settings_of_related.LEVEL"]),
    ],
)
def test_what_related_files_change_is_seen(name: str, changed: list[str], project: Path, blocks: ModuleType) -> None:
    path = project / "blocks_of_related.py"
    world = LoadedModule(mx, blocks)
    world.related = [(other.stem, str(other)) for other in related_files(path)]
    block = vars(blocks)[name]()
    block.initialize()
    side = BlockVersion("", world, type(block), path.read_text())
    assert outside_changes(side, block, lambda: block(mx.nd.ones((2, 2)))) == changed
