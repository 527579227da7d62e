"""`check` runs nothing and writes nothing that a checked project names."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import BESIDE_PACKAGE, CommandLine

NET = """\
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def hybrid_forward(self, F, x):
        x += 1
        return F.relu(x)
"""


@pytest.fixture
def ran(tmp_path: Path) -> Path:
    """Return the file that is there once hostile code has run: it is no part of the project."""
    return tmp_path / "ran"


@pytest.fixture
def project(tmp_path: Path) -> CommandLine:
    """Return a command line in a project with one finding."""
    project = CommandLine(tmp_path / "project")
    project.write("net.py", NET)
    return project


def _hostile(ran: Path) -> str:
    return f"import os\nos.close(os.open({str(ran)!r}, os.O_CREAT))\nraise SystemExit(0)\n"


@pytest.mark.parametrize("command", ["check .", "check --fix .", "check --fix --verify .", "verify ."])
def test_a_project_does_not_choose_what_runs_it(project: CommandLine, ran: Path, command: str) -> None:
    project.write("evil.sh", f"#!/bin/sh\ntouch {ran}\n").chmod(0o755)
    project.write("pyproject.toml", '[tool.hybridlint.verify]\npython = "./evil.sh"\n')
    done = project(*command.split())
    assert done.status == 2
    assert "`verify.python`: a project does not choose the interpreter that runs it" in done.err
    assert "--python PATH" in done.err
    assert not ran.exists()
    assert (project.folder / "net.py").read_text() == NET


@pytest.mark.parametrize("setting", ["verify = true", "verify.enabled = true"])
def test_a_project_does_not_have_itself_run(project: CommandLine, ran: Path, setting: str) -> None:
    project.write("net.py", _hostile(ran) + NET)
    project.write("pyproject.toml", f"[tool.hybridlint]\n{setting}\n")
    done = project("check", ".")
    assert done.status == 2
    assert "give `--verify` on the command line" in done.err
    assert not ran.exists()


def test_the_interpreter_comes_from_the_users_environment(project: CommandLine, ran: Path) -> None:
    python = project.write("python", f"#!/bin/sh\ntouch {ran}\n")
    python.chmod(0o755)
    command = ("verify", "--engine", "mxnet", ".")
    relative = project(*command, env={"HYBRIDLINT_PYTHON": "./python"})
    assert relative.status == 2
    assert relative.err == "error: HYBRIDLINT_PYTHON must be the absolute path of an interpreter, not ./python\n"
    gone = project(*command, env={"HYBRIDLINT_PYTHON": "/no/such/python"})
    assert gone.status == 2
    assert "there is no interpreter /no/such/python" in gone.err
    project("verify", ".", env={"HYBRIDLINT_PYTHON": str(python)})
    assert not ran.exists(), "the bundled runtime runs in our own interpreter"
    project(*command, env={"HYBRIDLINT_PYTHON": str(python)})
    assert ran.exists()


@pytest.mark.parametrize("form", ["{}.py", "{}/__init__.py"])
def test_modules_of_a_project_do_not_stand_in_for_libraries(project: CommandLine, ran: Path, form: str) -> None:
    names = (
        "numpy",
        "click",
        "rich",
        "tomli",
        "tomllib",
        "tempfile",
        "concurrent",
        "multiprocessing",
        "json",
        "difflib",
    )
    for shadow in (*names, "sitecustomize", "usercustomize"):
        project.write(form.format(shadow), _hostile(ran))
    project.write("evil.pth", f"import os; os.open({str(ran)!r}, os.O_CREAT)\n")
    project.write("conftest.py", _hostile(ran))
    project.write("pyproject.toml", "[tool.hybridlint]\nselect = ['ALL']\n")
    project.write("many.py", NET * 400)
    done = project("check", "--diff", ".")
    assert "+        x = x + 1" in done.out, done.err
    assert not ran.exists()


@pytest.mark.skipif(sys.version_info < (3, 11), reason="no other processes are started before Python 3.11")
def test_processes_that_are_started_anew_do_not_import_from_the_project(project: CommandLine, ran: Path) -> None:
    for shadow in ("multiprocessing", "pickle", "struct"):
        project.write(f"{shadow}.py", _hostile(ran))
    project.write("many.py", NET * 400)
    # As where processes cannot be forked.
    program = (
        "import sys; sys.path.pop(0); sys.platform = 'darwin'; "
        "import multiprocessing; multiprocessing.set_start_method('spawn'); "
        "sys.argv = ['hybridlint', 'check', '--no-cache', '--statistics', '.']; "
        "from hybridlint.checking import workers; workers.processors = lambda: 2; "
        "from hybridlint.frontends.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=project.folder,
        env={**os.environ, "PYTHONPATH": BESIDE_PACKAGE},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "HYB302" in done.stdout, done.stderr
    assert not ran.exists()


def test_the_cache_is_written_through_no_link(project: CommandLine, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    cache = project.folder / ".hybridlint_cache"
    cache.symlink_to(elsewhere)
    assert project("check", ".").status == 1
    assert not list(elsewhere.iterdir())
    cache.unlink()
    cache.mkdir()
    (cache / ".gitignore").symlink_to(elsewhere / "made")
    assert project("check", ".").status == 1
    assert not list(elsewhere.iterdir())
