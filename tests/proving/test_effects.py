"""Which functions only build: these alone are called without being asked to."""

from __future__ import annotations

import ast

import pytest

from hybridlint.proving.brief.effects import Effects

HEAD = """
import logging
import os
import subprocess

import gluoncv
import mxnet as mx
import numpy as np
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn

from .layers import ConvBlock, conv_block

STAGES = {18: [2, 2], 34: [3, 4]}
KINDS = {"plain": nn.Dense, "own": "Net"}
SEEN = []

class Net(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return x

def block(width):
    return nn.Dense(width)

def noisy(width):
    print(width)
    return nn.Dense(width)

BUILDERS = {"quiet": block}
LOUD = {"noisy": noisy}
"""

BUILDING = [
    "net = nn.HybridSequential()\nwith net.name_scope():\n    net.add(nn.Dense(4), block(3))\nreturn net",
    "net = nn.Sequential(prefix='a')\nfor k, width in enumerate(STAGES[18]):\n    net.add(nn.Dense(width))\nreturn net",
    "return BUILDERS['quiet'](3)",
    "return KINDS['plain'](3)",
    "net = Net()\nnet.initialize(mx.init.Xavier(), ctx=mx.cpu())\nnet.hybridize()\nreturn net",
    "def inner(x):\n    return block(x)\nreturn inner(3)",
    "class Inner(gluon.HybridBlock):\n    def hybrid_forward(self, F, x):\n        return x\nreturn Inner()",
    "return nn.HybridLambda(lambda F, x: F.relu(x))",
    "pretrained = False\nif pretrained:\n    net.load_parameters('x')\nreturn Net()",
    "return ConvBlock(3)",
    "return gluoncv.nn.Block(3)",
    "np.random.seed(3)\nreturn nn.Dense(int(np.sqrt(16)))",
    "if not os.path.exists('x'):\n    raise ValueError('no')\nreturn Net()",
    "net = Net()\nnet.output = nn.Dense(3)\nreturn net",
    "if 3 > 2:\n    return function()\nreturn Net()",
]
DOING = [
    ("print('x')\nreturn Net()", "print"),
    ("open('x')\nreturn Net()", "open"),
    ("net = Net()\nnet.load_parameters('x')\nreturn net", "load_parameters"),
    ("net = Net()\nnet.save_params('x')\nreturn net", "save_params"),
    ("with autograd.record():\n    Net()(nd.ones(3)).backward()\nreturn Net()", "record"),
    ("logging.info('x')\nreturn Net()", "logging"),
    ("os.remove('x')\nreturn Net()", "remove"),
    ("subprocess.run(['ls'])\nreturn Net()", "subprocess"),
    ("return map(os.remove, ['x'])", "os"),
    ("return noisy(3)", "noisy"),
    ("return LOUD['noisy'](3)", "noisy"),
    ("return conv_block(3)", "conv_block"),
    ("return gluoncv.model_zoo.get_model('x')", "get_model"),
    ("global SEEN\nSEEN = 3\nreturn Net()", "SEEN"),
    ("SEEN[0] = 3\nreturn Net()", "SEEN"),
    ("Net.width = 3\nreturn Net()", "Net"),
    ("import shutil\nshutil.rmtree('x')\nreturn Net()", "shutil"),
    ("gluon.utils.download('x')\nreturn Net()", "download"),
    ("return list(map(lambda p: open(p), ['x']))", "open"),
    ("return unknown(3)", "unknown"),
    ("yield Net()", "step by step"),
]


def _effect(body: str) -> str | None:
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return Effects(ast.parse(f"{HEAD}\ndef function():\n{lines}\n")).of("function")


@pytest.mark.parametrize("body", BUILDING)
def test_what_only_builds_has_no_effect(body: str) -> None:
    assert _effect(body) is None


@pytest.mark.parametrize(("body", "named"), DOING)
def test_what_does_something_else_is_named(body: str, named: str) -> None:
    effect = _effect(body)
    assert effect is not None
    assert named in effect


def test_lambdas_that_have_a_name_are_functions_too() -> None:
    effects = Effects(ast.parse(f"{HEAD}\nnet = lambda width=3: block(width)\nloud = lambda: noisy(3)\n"))
    assert {"net", "loud"} <= set(effects.functions())
    assert effects.of("net") is None
    assert effects.of("loud") is not None


def test_what_does_not_exist_is_no_factory() -> None:
    assert Effects(ast.parse(HEAD)).of("missing") is not None
