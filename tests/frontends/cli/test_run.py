"""``hybridlint run``: a program cannot tell it from python, except that mxnet is there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import CommandLine


def _as_python(script: str, *arguments: str, cwd: Path) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, script, *arguments], cwd=cwd, capture_output=True, text=True, timeout=60, check=False
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    "program",
    [
        "import sys; print(sys.argv, __name__, __file__, __spec__)",
        "import sys, os; print(os.path.realpath(sys.path[0]))",
        "import sys; sys.exit(3)",
        "import sys; sys.exit('a message')",
        "raise SystemExit",
        "def f():\n    raise ValueError('boom')\nf()\n",
        "x = (\n",
        "import sys; print(sys.modules['__main__'].x if 'x' in vars(sys.modules['__main__']) else 'no x')",
        "import atexit; atexit.register(print, 'at the end'); print('start')",
        "# -*- coding: latin-1 -*-\nprint(ascii('\u00e9'))",
        "import helper",
    ],
)
def test_it_behaves_as_python_does(cli: CommandLine, program: str) -> None:
    cli.write("sub/helper.py", "print('helped', __name__)")
    cli.write("sub/program.py", program)
    outcome = cli("run", "sub/program.py", "-m", "--help")
    expected = _as_python("sub/program.py", "-m", "--help", cwd=cli.folder)
    assert (outcome.status, outcome.out, outcome.err) == expected


def test_a_module_is_run_as_python_does(cli: CommandLine) -> None:
    cli.write("package/__init__.py", "")
    cli.write("package/tool.py", "import sys; print(sys.argv[1:], __name__, __package__, __spec__.name)")
    cli.write("package/__main__.py", "import sys; print('main', sys.argv[1:], __package__)")
    assert cli("run", "-m", "package.tool", "--help", "-x").out == "['--help', '-x'] __main__ package package.tool\n"
    assert cli("run", "-m", "package", "1").out == "main ['1'] package\n"


def test_what_cannot_be_run_is_said(cli: CommandLine) -> None:
    missing = cli("run", "nothing.py")
    assert missing.status == 2
    assert "can't open file" in missing.err
    cli.write("folder/tool.py", "")
    folder = cli("run", "folder")
    assert folder.status == 2
    assert "has no __main__.py: name the script to run" in folder.err
    module = cli("run", "-m", "nothing.at.all")
    assert module.status == 1
    assert "No module named nothing" in module.err
    assert cli("run").status == 2


def test_mxnet_is_the_runtime(cli: CommandLine) -> None:
    cli.write(
        "program.py",
        "import mxnet as mx, mxnet.base\n"
        "import hybridlint.runtime as runtime\n"
        "import hybridlint.runtime.base\n"
        "from mxnet.base import MXNetError\n"
        "print(mx is runtime, mxnet.base is hybridlint.runtime.base, mx.__name__, mxnet.base.__name__)\n"
        "print(MXNetError.__module__, MXNetError is hybridlint.runtime.base.MXNetError)\n",
    )
    assert cli("run", "program.py").out == "True True mxnet mxnet.base\nmxnet.base True\n"


def test_the_namespaces_have_the_names_of_mxnet(cli: CommandLine) -> None:
    cli.write(
        "program.py",
        "from mxnet import nd\n"
        "import mxnet.ndarray\n"
        "print(nd.__name__, nd is mxnet.ndarray, type(nd.ones((1,))).__module__.split('.')[0])\n",
    )
    assert cli("run", "program.py").out == "mxnet.ndarray True mxnet\n"


@pytest.mark.parametrize("statement", ["import mxnet.no_such_thing", "from mxnet import no_such_thing"])
def test_what_the_runtime_lacks_is_an_import_error_that_says_so(cli: CommandLine, statement: str) -> None:
    cli.write("program.py", f"try:\n    {statement}\nexcept ImportError as error:\n    print(error)\n")
    assert cli("run", "program.py").out == "the bundled runtime has no mxnet.no_such_thing yet\n"


def test_an_installed_mxnet_is_out_of_reach(cli: CommandLine) -> None:
    cli.write("mxnet/__init__.py", "raise RuntimeError('the wrong one')")
    cli.write("program.py", "import mxnet; print(mxnet.__name__)")
    assert cli("run", "program.py").out == "mxnet\n"


def test_modules_have_what_mxnets_modules_import(cli: CommandLine) -> None:
    cli.write(
        "program.py",
        "import importlib\n"
        "from mxnet.metric import ndarray\n"
        "print(ndarray.__name__, hasattr(importlib.import_module('mxnet.metric'), 'nothing'))\n",
    )
    outcome = cli("run", "program.py")
    assert outcome.out == "mxnet.ndarray False\n", outcome.err
