"""Settings that change outside of the trace: which changes count, and which have the block traced anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

HEAD = """from mxnet.gluon import Block, HybridBlock, nn

STATE = {"epoch": 0}


class Net(HybridBlock):
    def __init__(self, rate=0.1):
        super().__init__()
        self.rate = rate
        self.last = False
"""
FORWARD = "\n    def hybrid_forward(self, F, x):\n        return F.Dropout(x, p=self.rate)\n"

RAMP = """

class Ramp:
    def __init__(self):
        self.now = 0.0

    def step(self):
        self.now += 0.1

    @property
    def half(self):
        return self.now / 2
"""

CHANGED = {
    "a method that is given the value": "    def set_rate(self, rate):\n        self.rate = min(rate, 0.9)\n" + FORWARD,
    "a method that changes it": "    def decay(self):\n        self.rate *= 0.5\n" + FORWARD,
    "a method that moves it on from where it is": (
        "    def step(self):\n        self.rate = min(0.9, self.rate + 0.1)\n" + FORWARD
    ),
    "a method that computes it from what it counts": (
        "    def step(self):\n        self.epoch += 1\n        self.rate = 0.9**self.epoch\n" + FORWARD
    ),
    "an object whose method moves it on": (
        "        self.ramp = Ramp()\n\n    def hybrid_forward(self, F, x):\n        return x * self.ramp.now\n" + RAMP
    ),
    "an object that somebody hands over, by a local name": (
        "        self.ramp = made()\n\n    def hybrid_forward(self, F, x):\n        ramp = self.ramp\n"
        "        return x * ramp.now\n" + RAMP
    ),
    "an object that is read as a number": (
        "        self.ramp = made()\n\n    def hybrid_forward(self, F, x):\n        return x * float(self.ramp)\n"
        + RAMP.replace("    @property\n    def half(", "    def __float__(")
    ),
    "an object that is called": (
        "        self.ramp = Ramp()\n\n    def hybrid_forward(self, F, x):\n        return x * self.ramp()\n"
        + RAMP.replace("    @property\n    def half(", "    def __call__(")
    ),
    "an object of the module, by a property": (
        "    def hybrid_forward(self, F, x):\n        return x * RAMP.half\n" + RAMP + "\n\nRAMP = Ramp()\n"
    ),
    "a call that notes a size": (
        "    def __call__(self, x):\n        self.rate = 1 / len(x)\n        return super().__call__(x)\n" + FORWARD
    ),
    "a switch": (
        "    def freeze(self):\n        self.last = True\n\n"
        "    def hybrid_forward(self, F, x):\n        return F.BlockGrad(x) if self.last else F.relu(x)\n"
    ),
    "a property in between": (
        "    @property\n    def p(self):\n        return self.rate\n\n"
        "    def set_rate(self, rate):\n        self.rate = rate\n\n"
        "    def hybrid_forward(self, F, x):\n        return F.Dropout(x, p=self.p)\n"
    ),
    "the block around": (
        FORWARD + "\n\nclass Outer(Block):\n    def __init__(self):\n        super().__init__()\n"
        "        self.net = Net()\n\n    def forward(self, x):\n        self.net.rate = 1 / x.shape[0]\n"
        "        return self.net(x)\n"
    ),
    "a hook of the block itself": (
        "        self.register_forward_pre_hook(self._next)\n\n"
        "    def _next(self, block, args):\n        self.rate *= 0.9\n" + FORWARD
    ),
    "a hook of the block around": (
        FORWARD + "\n\ndef anneal(block, args):\n    block.net.rate = block.net.rate * 0.9\n\n\n"
        "class Outer(HybridBlock):\n    def __init__(self):\n        super().__init__()\n"
        "        self.net = Net()\n        self.register_forward_pre_hook(anneal)\n\n"
        "    def hybrid_forward(self, F, x):\n        return self.net(x)\n"
    ),
    "a property with a setter": (
        "    @property\n    def p(self):\n        return self.rate\n\n"
        "    @p.setter\n    def p(self, value):\n        self.rate = value\n\n"
        "    def hybrid_forward(self, F, x):\n        return F.Dropout(x, p=self.p)\n"
    ),
    "a function that gets the block": FORWARD + "\n\ndef anneal(net, epoch):\n    net.rate = 0.1 * epoch\n",
    "a method of what holds the block": (
        FORWARD + "\n\nclass Program:\n    def __init__(self, net):\n        self.net = net\n\n"
        "    def epoch(self, number):\n        self.net.body.rate = 0.1 * number\n"
    ),
    "a global that a function counts on": (
        "    def hybrid_forward(self, F, x):\n        return x * EPOCH\n\n\nEPOCH = 0\n\n\n"
        "def next_epoch():\n    global EPOCH\n    EPOCH += 1\n"
    ),
    "an attribute of a class, by a method of it": (
        "    def hybrid_forward(self, F, x):\n        return x * Settings.scale\n\n\n"
        "class Settings:\n    scale = 1.0\n\n    @classmethod\n    def choose(cls, scale):\n        cls.scale = scale\n"
    ),
    "a scope around the calls": (
        "    def hybrid_forward(self, F, x):\n        return x * STATE['epoch']\n\n\n"
        "@contextlib.contextmanager\ndef first():\n    old = STATE['epoch']\n    STATE['epoch'] = 0\n    yield\n"
        "    STATE['epoch'] = old\n"
    ),
    "a function of the module": (
        "    def hybrid_forward(self, F, x):\n        return x * STATE['epoch']\n\n\n"
        "def set_epoch(epoch):\n    STATE['epoch'] = epoch\n"
    ),
}

KEPT = {
    "a method that drops the graph": (
        "    def set_rate(self, rate):\n        self.rate = rate\n        self._clear_cached_op()\n" + FORWARD
    ),
    "a method that drops it by another": (
        "    def set_rate(self, rate):\n        self.rate = rate\n        self._again()\n\n"
        "    def _again(self):\n        self.hybridize()\n" + FORWARD
    ),
    "a method that gives the block a new child": (
        "    def grow(self, rate):\n        self.rate = rate\n        self.head = nn.Dense(3)\n" + FORWARD
    ),
    "an object that only its constructor fills": (
        "        self.ramp = made()\n\n    def hybrid_forward(self, F, x):\n        return x * self.ramp.now\n"
        + RAMP.replace("self.now += 0.1", "return self")
    ),
    "a count that is only printed": (
        "        self.ramp = made()\n\n    def hybrid_forward(self, F, x):\n        print(self.ramp.now)\n"
        "        return x * 2\n" + RAMP
    ),
    "a function that makes the block": (
        FORWARD + "\n\ndef tuned(rate):\n    net = Net()\n    net.rate = rate\n    return net\n"
    ),
    "a function after which another has it traced anew": (
        FORWARD + "\n\ndef anneal(net, epoch):\n    net.rate = 0.1 * epoch\n\n\n"
        "def start(net, epoch):\n    anneal(net, epoch)\n    net.hybridize()\n"
    ),
    "an attribute that several classes have": (
        FORWARD + "\n\ndef anneal(net, epoch):\n    net.rate = 0.1 * epoch\n\n\n"
        "class Plan:\n    def __init__(self):\n        self.rate = 1\n"
    ),
    "an object put together by chained methods": (
        "        self.ramp = made()\n\n    def hybrid_forward(self, F, x):\n        return x * self.ramp.now\n"
        + RAMP.replace("self.now += 0.1", "self.now += 0.1\n        return self")
    ),
    "a method that runs beforehand": "    def init_rate(self, rate):\n        self.rate = rate\n" + FORWARD,
    "a method that the constructor calls": (
        "        self.set_rate(rate)\n\n    def set_rate(self, rate):\n        self.rate = rate\n" + FORWARD
    ),
    "a method that the trace calls": (
        "    def set_rate(self, rate):\n        self.rate = rate\n"
        + FORWARD
        + "\n\nclass Outer(HybridBlock):\n    def __init__(self):\n        super().__init__()\n"
        "        self.net = Net()\n\n    def hybrid_forward(self, F, x):\n        self.net.set_rate(0.5)\n"
        "        return self.net(x)\n"
    ),
    "a method that a parent's constructor calls": (
        "    def set_rate(self, rate):\n        self.rate = rate\n"
        + FORWARD
        + "\n\nclass Outer(HybridBlock):\n    def __init__(self):\n        super().__init__()\n"
        "        self.net = Net()\n        self.net.set_rate(0.5)\n"
    ),
    "a setting that only others read": (
        "    def set_rate(self, rate):\n        self.rate = rate\n\n"
        "    def hybrid_forward(self, F, x):\n        return F.relu(x)\n"
    ),
    "a hook that sets the same each time": (
        "        self.register_forward_pre_hook(self._begin)\n\n"
        "    def _begin(self, block, args):\n        self.rate = 0.5\n" + FORWARD
    ),
    "a hook that drops the graph": (
        "        self.register_forward_pre_hook(self._next)\n\n"
        "    def _next(self, block, args):\n        self.rate *= 0.9\n        self._clear_cached_op()\n" + FORWARD
    ),
    "a registry of functions": (
        "    def hybrid_forward(self, F, x):\n        return STATE['epoch'](x)\n\n\n"
        "def register(name, function):\n    STATE[name] = function\n"
    ),
}


def _codes(body: str) -> list[str]:
    return [finding.rule.code for finding in analyze_file(SourceFile(Path("net.py"), HEAD + body))]


@pytest.mark.parametrize("case", CHANGED)
def test_what_changes_without_effect_is_reported(case: str) -> None:
    assert _codes(CHANGED[case]).count("HYB611") == 1


@pytest.mark.parametrize("case", KEPT)
def test_what_keeps_its_effect_is_not(case: str) -> None:
    assert "HYB611" not in _codes(KEPT[case])
