"""A proof is made again once anything changes that it has read, wherever that lies."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from hybridlint.project.files.cache_folder import read_from, write_into
from tests import commands

NET = """\
import json
import os
from glob import glob
from pathlib import Path

import apart
from mxnet.gluon import nn

HERE = os.path.dirname(__file__)
WIDTH = json.loads((Path(HERE).parent / "sizes.json").read_text())["width"]
SHOWN = open("shown.txt").read()
LAYERS = len(glob(os.path.join(HERE, "..", "layers", "*.txt")))
try:
    MORE = (Path(HERE).parent / "more.json").read_text()
except OSError:
    MORE = ""
try:
    import absent
except ImportError:
    absent = None


class Net(nn.HybridBlock):
    # hybridlint: verify(x=("N", 4))
    def hybrid_forward(self, F, x):
        with open(os.path.join(HERE, "..", "factor.txt")) as stream:
            return F.relu(x) * float(stream.read()) * apart.FACTOR
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return _written(tmp_path)


@pytest.fixture(scope="module")
def proved_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project with an outcome that is remembered and marked."""
    folder = _written(tmp_path_factory.mktemp("proved") / "project")
    assert "compiled = eager" in _verify(folder)
    _mark(folder)
    shutil.copytree(folder, folder.with_name("kept"))
    return folder


@pytest.fixture
def remembered(proved_once: Path) -> Path:
    """Return that project as it was; it stays in its place, since its paths are part of what is remembered."""
    shutil.rmtree(proved_once)
    shutil.copytree(proved_once.with_name("kept"), proved_once)
    return proved_once


def _written(folder: Path) -> Path:
    """Write a package that reads what lies outside of it: modules and data, beside it and elsewhere."""
    files = {
        "src/net/__init__.py": "",
        "src/net/model.py": NET,
        "src/sizes.json": '{"width": 4}',
        "src/factor.txt": "2",
        "src/layers/one.txt": "",
        "shown.txt": "shown",
        "elsewhere/apart.py": "FACTOR = 2\n",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def _verify(project: Path, **variables: str) -> str:
    path = os.pathsep.join([str(project / "elsewhere"), commands.BESIDE_PACKAGE])
    environment = {**os.environ, "PYTHONPATH": path, **variables}
    done = commands.text(["verify", "src/net/model.py"], cwd=project, env=environment)
    assert "1 proved, 0 refuted, 0 not run." in done.stdout, done.stdout + done.stderr
    return done.stdout


def _mark(project: Path) -> None:
    """Let what is remembered be told from what is proved anew."""
    folder = project / ".hybridlint_cache"
    known = json.dumps(read_from(folder, "proofs.json"))
    write_into(folder, "proofs.json", json.loads(known.replace("compiled = eager", "as it was found")))


def test_what_did_not_change_is_not_run_again(project: Path) -> None:
    assert "compiled = eager" in _verify(project)
    _mark(project)
    assert "as it was found" in _verify(project)
    (project / "README.md").write_text("nothing reads this")
    (project / "src" / "sizes.json").write_text((project / "src" / "sizes.json").read_text())
    assert "as it was found" in _verify(project)
    assert "compiled = eager" in _verify(project, MXNET_SAFE_ACCUMULATION="1")


CHANGES = {
    "a module elsewhere": ("elsewhere/apart.py", "FACTOR = 3\n"),
    "a data file that the import reads": ("src/sizes.json", '{"width": 5}'),
    "a data file that the forward pass reads": ("src/factor.txt", "3"),
    "a data file of the current folder": ("shown.txt", "other"),
    "a folder that is listed": ("src/layers/two.txt", ""),
    "a file that was looked for": ("src/more.json", "made since"),
    "a module that was looked for": ("elsewhere/absent.py", "x = 1\n"),
    "a module that comes first": ("src/apart.py", "FACTOR = 2  # comes first\n"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_it_reads_is_part_of_what_is_remembered(remembered: Path, name: str) -> None:
    path, text = CHANGES[name]
    (remembered / path).write_text(text)
    assert "compiled = eager" in _verify(remembered)


def test_what_it_reads_is_remembered_where_it_lies_as_it_was(remembered: Path) -> None:
    assert "as it was found" in _verify(remembered)
