"""How a file reaches `mxnet.nd`, and the import that it needs otherwise."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest

from hybridlint.fixers.toolkit.imports import ndarray_module
from hybridlint.text.edits import ImportEdit
from tests.fixers.bodies import framed


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("from mxnet import nd", "nd"),
        ("from mxnet import ndarray as arrays", "arrays"),
        ("import mxnet as mx", "mx.nd"),
        ("import mxnet", "mxnet.nd"),
        ("import mxnet.ndarray as arrays", "arrays"),
        ("import numpy\nfrom mxnet import nd", "nd"),
    ],
)
def test_modules_that_are_imported(head: str, name: str) -> None:
    assert ndarray_module(framed(f"{head}\n")) == (name, ())


@pytest.mark.parametrize("head", ["import numpy", "from mxnet.gluon import nn", "from .mxnet import nd as a"])
def test_the_import_of_those_that_are_not(head: str) -> None:
    assert ndarray_module(framed(f"{head}\n")) == ("nd", (ImportEdit("mxnet", "nd"),))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import numpy as nd\n\ndef f(x):\n    return x\n", None),
        ("import numpy\n\ndef f(nd):\n    return nd\n", None),
        ("from mxnet import nd\n\ndef f(x):\n    nd = x\n    return nd\n", None),
        ("import mxnet as mx\nfrom mxnet import nd\n\ndef f(nd):\n    return nd\n", "mx.nd"),
    ],
)
def test_names_that_mean_something_else_in_the_function(text: str, found: str | None) -> None:
    frame = framed(text)
    function = next(n for n in frame.source.tree.body if isinstance(n, ast.FunctionDef))
    reached = ndarray_module(replace(frame, function=function))
    assert (None if reached is None else reached[0]) == found
