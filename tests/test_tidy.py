"""Imports after fixes: those that a fix made unused go, all others stay."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.fixing.loop import fix_source
from hybridlint.fixing.tidy import unused_imports
from hybridlint.text.edits import Applicability, Fix, ImportEdit, apply_edits
from hybridlint.text.imports import with_imports
from hybridlint.text.source import SourceFile

CLASS = "from mxnet.gluon import HybridBlock\n\n\nclass Net(HybridBlock):\n    def hybrid_forward(self, F, x):\n"

CASES = {
    "its only use is gone": ("from mxnet import nd\nnd.relu(x)\n", "from mxnet import nd\nF.relu(x)\n", "F.relu(x)\n"),
    "one of several": (
        "from mxnet import autograd, nd\nautograd.pause()\nnd.relu(x)\n",
        "from mxnet import autograd, nd\nautograd.pause()\nF.relu(x)\n",
        "from mxnet import autograd\nautograd.pause()\nF.relu(x)\n",
    ),
    "never used": ("from mxnet import nd\ny = 1\n", "from mxnet import nd\ny = 2\n", None),
    "still used": ("import mxnet as mx\nmx.a()\nmx.b()\n", "import mxnet as mx\nmx.a()\n", None),
    "exported": (
        "from mxnet import nd\n__all__ = ['nd']\nnd.a()\n",
        "from mxnet import nd\n__all__ = ['nd']\nF.a()\n",
        None,
    ),
    "an annotation in quotes": (
        "from mxnet import nd\ndef f(x: 'nd.NDArray'): nd.a()\n",
        "from mxnet import nd\ndef f(x: 'nd.NDArray'): F.a()\n",
        None,
    ),
    "over several lines": (
        "from mxnet import (\n    autograd,\n    nd,\n)\nautograd.a(nd)\n",
        "from mxnet import (\n    autograd,\n    nd,\n)\nautograd.a()\n",
        None,
    ),
    "all of several lines": (
        "from mxnet import (\n    autograd,\n    nd,\n)\nautograd.a(nd)\n",
        "from mxnet import (\n    autograd,\n    nd,\n)\na()\n",
        "a()\n",
    ),
    "a relative one": ("from .a import b\nb()\n", "from .a import b\nc()\n", "c()\n"),
    "a comment above it": (
        "import os\n# arrays\nimport numpy as np\nnp.a(os)\n",
        "import os\n# arrays\nimport numpy as np\nF.a(os)\n",
        "import os\n# arrays\nF.a(os)\n",
    ),
    "added by a fix that was overtaken": ("y = 1\n", "from mxnet import nd\ny = 2\n", "y = 2\n"),
    "a comment beside it": ("import numpy as np  # why\nnp.a()\n", "import numpy as np  # why\nF.a()\n", None),
    "a blank line below the first": (
        "import numpy as np\n\nimport os\nnp.a(os)\n",
        "import numpy as np\n\nimport os\nF.a(os)\n",
        "import os\nF.a(os)\n",
    ),
    "a group of its own": (
        "import os\n\nimport numpy as np\n\nimport net\nnp.a(os, net)\n",
        "import os\n\nimport numpy as np\n\nimport net\nF.a(os, net)\n",
        "import os\n\nimport net\nF.a(os, net)\n",
    ),
    "two statements on a line": (
        "import os; import numpy as np\nnp.a(os)\n",
        "import os; import numpy as np\nb(os)\n",
        None,
    ),
}


@pytest.mark.parametrize(("before", "after", "tidy"), CASES.values(), ids=CASES.keys())
def test_unused_imports(before: str, after: str, tidy: str | None) -> None:
    fixed = SourceFile(Path("net.py"), after)
    edits = unused_imports(SourceFile(Path("net.py"), before), fixed)
    assert apply_edits(after, edits) == (after if tidy is None else tidy)


def test_packages_import_for_others() -> None:
    path = Path("package/__init__.py")
    before = SourceFile(path, "from mxnet import nd\nnd.relu(x)\n")
    assert unused_imports(before, SourceFile(path, "from mxnet import nd\nF.relu(x)\n")) == []


@pytest.mark.parametrize(
    ("sibling", "kept"),
    [
        ("from .net import *", True),
        ("from package.net import Net, nd", True),
        ("from .net import Net", False),
        ("from .other_net import *", False),
    ],
)
def test_modules_beside_it_take_what_they_took(tmp_path: Path, sibling: str, kept: bool) -> None:
    path = tmp_path / "net.py"
    path.write_text("from mxnet import nd\nnd.relu(x)\n")
    (tmp_path / "user.py").write_text(f"{sibling}\n")
    edits = unused_imports(SourceFile(path, path.read_text()), SourceFile(path, "from mxnet import nd\nF.relu(x)\n"))
    assert (edits == []) == kept


def test_imports_follow_fixes() -> None:
    source = SourceFile(Path("net.py"), f"from mxnet import nd\n{CLASS}        return nd.relu(x)\n")
    assert fix_source(source, analyze_file, unsafe=False).source.text == f"{CLASS}        return F.relu(x)\n"


def test_a_fix_imports_what_it_needs() -> None:
    source = SourceFile(Path("net.py"), f"{CLASS}        assert x.min() > 0\n        return F.relu(x)\n")
    fixed = fix_source(source, analyze_file, unsafe=False).source.text
    assert fixed.startswith("from mxnet.gluon import HybridBlock\nfrom mxnet import nd\n")
    assert "        if F is nd:\n            assert x.min() > 0\n" in fixed


NEEDED = {
    "beside others of the module": (
        "from mxnet import autograd\nimport os\n",
        "from mxnet import nd, autograd\nimport os\n",
    ),
    "behind the other imports": (
        "import os\n\n\ndef f():\n    pass\n",
        "import os\nfrom mxnet import nd\n\n\ndef f():\n    pass\n",
    ),
    "there already": ("from mxnet import nd\n", "from mxnet import nd\n"),
    "below the head of the file": (
        '# Licence.\n"""A net."""\nfrom __future__ import division\nimport os\n',
        '# Licence.\n"""A net."""\nfrom __future__ import division\nimport os\nfrom mxnet import nd\n',
    ),
    "below the names of the module": (
        '"""A net."""\n__all__ = ["Net"]\nimport os\n\nclass Net: pass\n',
        '"""A net."""\n__all__ = ["Net"]\nimport os\nfrom mxnet import nd\n\nclass Net: pass\n',
    ),
    "above the names of the module": (
        'import os\n\n__all__ = ["Net"]\n',
        'import os\nfrom mxnet import nd\n\n__all__ = ["Net"]\n',
    ),
    "in a file with a mark of its byte order": ("\ufeffimport os\n", "\ufeffimport os\nfrom mxnet import nd\n"),
    "with its line endings": ("import os\r\n", "import os\r\nfrom mxnet import nd\r\n"),
}


@pytest.mark.parametrize(("before", "after"), NEEDED.values(), ids=NEEDED.keys())
def test_needed_imports_are_added_once(before: str, after: str) -> None:
    source = SourceFile(Path("net.py"), before)
    fixes = [Fix("use nd", (), Applicability.SAFE, imports=(ImportEdit("mxnet", "nd"),)) for _ in range(2)]
    assert apply_edits(before, with_imports(source, fixes)) == after


def test_no_import_costs_nothing() -> None:
    """Neither libcst's visitors nor libcst itself are imported where no import changes."""
    program = (
        "import sys, pathlib; from hybridlint.text.source import SourceFile; from hybridlint.fixing.tidy import *; "
        "from hybridlint.text.imports import with_imports; "
        "a, b = (SourceFile(pathlib.Path('x.py'), f'import os\\nos.f({n})\\n') for n in '12'); "
        "print(with_imports(a, []), unused_imports(a, b), 'libcst' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout == "[] [] False\n"
