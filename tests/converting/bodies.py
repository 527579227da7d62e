"""Code of one block, converted without a run."""

from __future__ import annotations

import textwrap
from pathlib import Path

from hybridlint.converting.source import ConvertedModule, convert_source
from hybridlint.text.source import SourceFile

_MODULE = """
import mxnet as mx
from mxnet import gluon, nd
from mxnet.gluon import nn, rnn


class Net(gluon.HybridBlock):
    def __init__(self, units=4, **kwargs):
        super().__init__(**kwargs)
{start}

    def hybrid_forward(self, F, x, y):
{body}
"""


def module_text(body: str = "return x", start: str = "pass") -> str:
    """Return a module with one block."""
    return _MODULE.format(start=textwrap.indent(start, "        "), body=textwrap.indent(body, "        "))


def converted(text: str) -> ConvertedModule:
    """Return a module in PyTorch, without a run."""
    return convert_source(SourceFile(Path("net.py"), text))


def converted_body(body: str) -> str:
    """Return what the statements of a forward method become."""
    text = converted(module_text(body)).text
    return textwrap.dedent(text.partition("def forward(self, x, y):\n")[2]).strip()


def converted_start(start: str) -> str:
    """Return what the statements of a constructor become, that of the base left out."""
    text = converted(module_text(start=start)).text
    return textwrap.dedent(text.partition("super().__init__()\n")[2].partition("    def forward")[0]).strip()
