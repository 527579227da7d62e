"""Bodies of `hybrid_forward` as modules, and what fixing makes of them: what tests of fixers speak about."""

from __future__ import annotations

import textwrap
from pathlib import Path

from hybridlint.checking.findings import analyze_file
from hybridlint.fixing.loop import fix_source
from hybridlint.text.source import SourceFile

HEAD = "import mxnet as mx\nfrom mxnet import autograd, nd\nfrom mxnet.gluon import HybridBlock\n\n\n"
NUMPY = "import mxnet as mx\nfrom mxnet.gluon import HybridBlock\n\nmx.npx.set_np()\n\n\n"


def module(body: str, *, numpy: bool = False) -> SourceFile:
    """Return a module with a block whose `hybrid_forward` has a body, and takes `x` and `y`."""
    head = f"{NUMPY if numpy else HEAD}class Net(HybridBlock):\n    def hybrid_forward(self, F, x, y):\n"
    return SourceFile(Path("net.py"), f"{head}{textwrap.indent(textwrap.dedent(body).strip(), ' ' * 8)}\n")


def fixed(body: str, *, unsafe: bool = False, numpy: bool = False) -> str:
    """Return the body after all fixes; fixing again changes nothing."""
    outcome = fix_source(module(body, numpy=numpy), analyze_file, unsafe=unsafe)
    assert fix_source(outcome.source, analyze_file, unsafe=unsafe).source.text == outcome.source.text
    return textwrap.dedent(outcome.source.text.partition("):\n")[2].partition("):\n")[2]).strip("\n")


def fixed_text(text: str, *, unsafe: bool = False) -> str:
    """Return a module after all fixes; fixing again changes nothing."""
    outcome = fix_source(SourceFile(Path("net.py"), text), analyze_file, unsafe=unsafe)
    assert fix_source(outcome.source, analyze_file, unsafe=unsafe).source.text == outcome.source.text
    return outcome.source.text


def lines(text: str) -> str:
    """Return a text of several lines as a test writes it, without its indentation."""
    return textwrap.dedent(text).strip("\n")
