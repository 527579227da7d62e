"""``hybridlint run`` serves names that Python and numpy have removed, to modules of projects only."""

from __future__ import annotations

import pytest

from .conftest import CommandLine


@pytest.mark.parametrize(
    ("program", "printed"),
    [
        ("import numpy as np\nprint(np.float is float, np.bool is bool, np.object is object)", "True True True"),
        ("import numpy\nprint(numpy.zeros(2, dtype=numpy.int).dtype.kind)", "i"),
        ("import numpy as np\nprint(np.NaN != np.NaN, np.Inf, np.NINF, np.float_ is np.float64)", "True inf -inf True"),
        ("import numpy as np\nprint(np.product([2, 3]), np.alltrue([1, 0]), np.cast['u1'](3.0))", "6 False 3"),
        ("import numpy as np\nprint(np.asscalar(np.array([3])), np.ones(1, 'u1').tostring())", "3 b'\\x01'"),
        ("import collections\nprint(isinstance({}, collections.Mapping))", "True"),
        ("from collections import Mapping, Counter as C\nprint(isinstance(C(), Mapping))", "True"),
        ("import inspect\nprint(inspect.getargspec(lambda a, b=1: a).args)", "['a', 'b']"),
        ("from fractions import gcd\nimport time\nprint(gcd(4, 6), time.clock() >= 0)", "2 True"),
        ("import imp\nprint(imp.new_module('x').__name__)", "x"),
        ("from distutils.version import LooseVersion as V\nprint(V('1.10') > V('1.9'), V('1.9') < '2')", "True True"),
        ("import distutils.util as u\nprint(u.strtobool('no'))", "0"),
        ("import asyncio\nprint(callable(asyncio.coroutine))", "True"),
        ("from __future__ import annotations\nimport numpy as np\ndef f(x: np.float): return x\nprint(f(1))", "1"),
    ],
)  # fmt: skip
def test_removed_names_are_what_they_were(cli: CommandLine, program: str, printed: str) -> None:
    cli.write("program.py", program)
    outcome = cli("run", "program.py")
    assert outcome.status == 0, outcome.err
    assert outcome.out == f"{printed}\n"


def test_it_is_said_once(cli: CommandLine) -> None:
    cli.write("helper.py", "import numpy as np\nx = np.float(1), np.int(2)")
    cli.write("program.py", "import numpy as np, helper\nprint(np.float(1), helper.x)")
    outcome = cli("run", "program.py")
    assert outcome.out == "1.0 (1.0, 2)\n"
    assert outcome.err.count("\n") == 1
    assert "numpy.float" in outcome.err
    assert "--no-legacy-names" in outcome.err


def test_nothing_is_said_where_nothing_is_served(cli: CommandLine) -> None:
    cli.write("program.py", "import numpy as np\nprint(hasattr(np, 'float'), 'a'.str if 0 else 1)")
    assert cli("run", "program.py").err == ""


def test_it_can_be_turned_off(cli: CommandLine) -> None:
    cli.write("program.py", "import numpy as np\nnp.float(1)")
    outcome = cli("run", "--no-legacy-names", "program.py")
    assert outcome.status == 1
    assert "AttributeError" in outcome.err
    assert "hybridlint run:" not in outcome.err
    cli.write("package/__main__.py", "import sys, numpy\nprint(sys.argv[1:])\nnumpy.float")
    outcome = cli("run", "--no-legacy-names", "-m", "package", "--help")
    assert (outcome.status, outcome.out) == (1, "['--help']\n")
    assert cli("run", "-m", "package", "--help").status == 0


def test_current_packages_get_what_is_there_today(cli: CommandLine) -> None:
    guard = "import numpy\ntry:\n    numpy.float\n    old = True\nexcept AttributeError:\n    old = False\n"
    cli.write("site-packages/current/__init__.py", guard)
    cli.write("site-packages/project/__init__.py", guard)
    cli.write("site-packages/project/model.py", "import mxnet as mx\n")
    cli.write(
        "program.py",
        "import sys; sys.path.insert(0, 'site-packages')\nimport current, project\nprint(current.old, project.old)\n",
    )
    assert cli("run", "program.py").out == "False True\n"


def test_lines_of_traces_stay(cli: CommandLine) -> None:
    cli.write("program.py", '"""A program."""\nimport numpy as np\n\n\nnp.float(1)\n1 / 0\n')
    assert ", line 6, in <module>\n    1 / 0" in cli("run", "program.py").err


def test_what_never_was_raises_as_python_does(cli: CommandLine) -> None:
    cli.write("program.py", "import numpy as np\nnp.zeros(1).isAlive")
    assert "'numpy.ndarray' object has no attribute 'isAlive'" in cli("run", "program.py").err
    cli.write("program.py", "from distutils.nothing import x")
    assert "ModuleNotFoundError: No module named 'distutils.nothing'" in cli("run", "program.py").err


def test_what_pip_has_put_into_a_folder_is_no_project(cli: CommandLine) -> None:
    cli.write(
        "vendored/current.py", "import numpy as np\nprint(hasattr(np, 'float'), 'float' in str(np.bool))\nnp.float"
    )
    cli.write("vendored/current-1.0.dist-info/RECORD", "current.py,,\ncurrent-1.0.dist-info/RECORD,,\n")
    cli.write("vendored/mine.py", "import numpy as np\nprint(np.float(1))")
    cli.write("program.py", "import sys\nsys.path.insert(0, 'vendored')\nimport mine, current")
    outcome = cli("run", "program.py")
    assert outcome.out.startswith("1.0\nFalse")
    assert "AttributeError" in outcome.err


def test_tests_under_pytest_have_them(cli: CommandLine) -> None:
    cli.write(
        "test_old.py", "import numpy as np\ndef test_integers(): assert np.ones(1, dtype=np.int).dtype.kind == 'i'"
    )
    outcome = cli("run", "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_old.py")
    assert outcome.status == 0, outcome.out
    assert "1 passed" in outcome.out
