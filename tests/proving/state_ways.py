"""Small blocks whose traced pass reads state: in one collection other code changes it, in the other one nothing does.

Each name that ends in an underscore gets a number of its own, so that many of them fit into one module.
"""

from __future__ import annotations

import importlib
import re
import sys
from textwrap import dedent, indent
from types import ModuleType
from typing import NamedTuple

HEAD = """\
import abc
import asyncio
import bisect
import collections
import configparser
import contextlib
import contextvars
import copy
import ctypes
import dataclasses
import functools
import gc
import heapq
import importlib
import inspect
import io
import itertools
import json
import logging
import operator
import os
import pathlib
import pickle
import queue
import random
import struct
import sys
import tempfile
import threading
import types
import weakref
from collections import Counter, OrderedDict, defaultdict, deque
from operator import attrgetter

import mxnet as mx
import numpy as np
from mxnet import gluon, nd
from mxnet.gluon import nn
"""


class StateWay(NamedTuple):
    """A block whose constructor runs `init` and whose traced pass multiplies its input by `read`.

    `change` is the body of a function of `net`, or several definitions, of which ``change_`` is called with the block.
    `before` stands before the class, and `members` in it.
    """

    init: str
    read: str
    change: str
    before: str = ""
    members: str = ""
    bases: str = "nn.HybridBlock"
    parameters: str = ""
    make: str = "Net_()"

    def code(self, number: int) -> str:
        """Return the definitions, with the names numbered."""
        change = dedent(self.change).strip("\n")
        if "def change_" not in change:
            change = "def change_(net):\n" + indent(change, "    ")
        parts = [
            dedent(self.before),
            f"class Net_({self.bases}):",
            f"    def __init__(self{self.parameters}):",
            "        super().__init__()",
            indent(dedent(self.init).strip("\n"), "        "),
            "    def hybrid_forward(self, F, x):",
            f"        return x * ({self.read})",
            indent(dedent(self.members), "    "),
            change,
            f"def make_():\n    return {self.make}",
        ]
        return re.sub(r"\b([A-Za-z]\w*_)(?!\w)", rf"\g<1>{number}", "\n".join(parts)) + "\n\n"


_ITEMS = "self.items_ = [1.0, 2.0]"
_TABLE = 'self.table_ = {"a": 1.0, "b": 2.0}'
_QUEUE = "self.queue_ = deque([1.0, 2.0, 4.0], maxlen=4)"
_ARRAY = "self.rates_ = np.array([1.0, 2.0])"
_SUM, _VALUES = "sum(self.items_)", "sum(self.table_.values())"

#: State that a function of the same module changes.
CHANGED: dict[str, StateWay] = {
    # Methods of containers.
    "list append": StateWay(_ITEMS, _SUM, "net.items_.append(3.0)"),
    "list extend": StateWay(_ITEMS, _SUM, "net.items_.extend((3.0,))"),
    "list insert": StateWay(_ITEMS, _SUM, "net.items_.insert(0, 3.0)"),
    "list pop": StateWay(_ITEMS, _SUM, "return net.items_.pop()"),
    "list reverse": StateWay(_ITEMS, "self.items_[0]", "net.items_.reverse()"),
    "list sort": StateWay("self.items_ = [2.0, 1.0]", "self.items_[0]", "net.items_.sort()"),
    "list clear": StateWay(_ITEMS, "1 + sum(self.items_)", "net.items_.clear()"),
    "list +=": StateWay(_ITEMS, _SUM, "net.items_ += [3.0]"),
    "list *=": StateWay(_ITEMS, _SUM, "net.items_ *= 2"),
    "list slice": StateWay(_ITEMS, _SUM, "net.items_[:] = [5.0]"),
    "list item": StateWay(_ITEMS, _SUM, "net.items_[0] = 5.0"),
    "list del": StateWay(_ITEMS, _SUM, "del net.items_[0]"),
    "list __setitem__": StateWay(_ITEMS, _SUM, "net.items_.__setitem__(0, 5.0)"),
    "list __iadd__": StateWay(_ITEMS, _SUM, "net.items_.__iadd__([5.0])"),
    "deque extendleft": StateWay(_QUEUE, "self.queue_[0]", "net.queue_.extendleft([3.0])"),
    "deque appendleft": StateWay(_QUEUE, "self.queue_[0]", "net.queue_.appendleft(3.0)"),
    "deque rotate": StateWay(_QUEUE, "self.queue_[0]", "net.queue_.rotate(1)"),
    "deque +=": StateWay(_QUEUE, "sum(self.queue_)", "queue = net.queue_\nqueue += [3.0]"),
    "deque popleft": StateWay(_QUEUE, "sum(self.queue_)", "net.queue_.popleft()"),
    "set add": StateWay("self.kinds_ = {1, 2}", "len(self.kinds_)", "net.kinds_.add(3)"),
    "set |=": StateWay("self.kinds_ = {1, 2}", "len(self.kinds_)", "kinds = net.kinds_\nkinds |= {3}"),
    "set intersection_update": StateWay(
        "self.kinds_ = {1, 2}", "len(self.kinds_)", "net.kinds_.intersection_update({1})"
    ),
    "set symmetric_difference_update": StateWay(
        "self.kinds_ = {1, 2}", "len(self.kinds_)", "net.kinds_.symmetric_difference_update({1})"
    ),
    "set difference_update": StateWay("self.kinds_ = {1, 2}", "sum(self.kinds_)", "net.kinds_.difference_update({1})"),
    "set in a membership": StateWay(
        "self.kinds_ = set()", "2.0 if 'deep' in self.kinds_ else 1.0", "net.kinds_.add('deep')"
    ),
    "dict update": StateWay(_TABLE, _VALUES, "net.table_.update(a=5.0)"),
    "dict item": StateWay(_TABLE, "self.table_['a']", "net.table_['a'] = 5.0"),
    "dict item by a variable": StateWay(
        _TABLE, "self.table_['a']", "for key in list(net.table_):\n    net.table_[key] = 5.0"
    ),
    "dict setdefault": StateWay(_TABLE, "len(self.table_)", "net.table_.setdefault('c', 3.0)"),
    "dict popitem": StateWay(_TABLE, _VALUES, "net.table_.popitem()"),
    "dict |= by update of a copy's list": StateWay(
        "self.table_ = {'a': [1.0]}", "sum(self.table_['a'])", "dict(net.table_)['a'].append(3.0)"
    ),
    "dict unbound __setitem__": StateWay(_TABLE, _VALUES, "dict.__setitem__(net.table_, 'a', 5.0)"),
    "list unbound append": StateWay(_ITEMS, _SUM, "list.append(net.items_, 5.0)"),
    "deque unbound extendleft": StateWay(_QUEUE, "sum(self.queue_)", "deque.extendleft(net.queue_, [9.0])"),
    "OrderedDict move_to_end": StateWay(
        "self.order_ = OrderedDict([('a', 1.0), ('b', 2.0)])",
        "next(iter(self.order_.values()))",
        "net.order_.move_to_end('a')",
    ),
    "Counter subtract": StateWay("self.counts_ = Counter(a=3)", "self.counts_['a']", "net.counts_.subtract(a=1)"),
    "defaultdict item": StateWay("self.seen_ = defaultdict(list)", "1 + len(self.seen_)", "net.seen_['a'].append(1)"),
    "ChainMap new maps": StateWay(
        "self.maps_ = collections.ChainMap({'a': 1.0}, {'a': 2.0})",
        "self.maps_['a']",
        "net.maps_.maps[0]['a'] = 9.0",
    ),
    "bytearray": StateWay("self.raw_ = bytearray(b'ab')", "float(self.raw_[0])", "net.raw_[0] = 5"),
    # numpy arrays.
    "array item": StateWay(_ARRAY, "float(self.rates_[0])", "net.rates_[0] = 5.0"),
    "array slice": StateWay(_ARRAY, "float(self.rates_.sum())", "net.rates_[:] = 5.0"),
    "array fill": StateWay(_ARRAY, "float(self.rates_.sum())", "net.rates_.fill(5.0)"),
    "array *=": StateWay(_ARRAY, "float(self.rates_.sum())", "rates = net.rates_\nrates *= 0.5"),
    "array sort": StateWay("self.rates_ = np.array([2.0, 1.0])", "float(self.rates_[0])", "net.rates_.sort()"),
    "array resize": StateWay(_ARRAY, "len(self.rates_)", "net.rates_.resize((4,), refcheck=False)"),
    "array copyto": StateWay(_ARRAY, "float(self.rates_.sum())", "np.copyto(net.rates_, 5.0)"),
    "array out": StateWay(_ARRAY, "float(self.rates_.sum())", "np.multiply(net.rates_, 3.0, out=net.rates_)"),
    "array positional out": StateWay(_ARRAY, "float(self.rates_.sum())", "np.add(net.rates_, 3.0, net.rates_)"),
    "array ufunc.at": StateWay(_ARRAY, "float(self.rates_.sum())", "np.add.at(net.rates_, [0], 3.0)"),
    "array method out": StateWay(_ARRAY, "float(self.rates_.sum())", "net.rates_.clip(3.0, 4.0, out=net.rates_)"),
    "array view": StateWay(_ARRAY, "float(self.rates_.sum())", "flat = net.rates_.ravel()\nflat[0] = 7.0"),
    "array transposed": StateWay(
        "self.rates_ = np.ones((2, 2))", "float(self.rates_.sum())", "net.rates_.T[0, 0] = 7.0"
    ),
    "array asarray": StateWay(_ARRAY, "float(self.rates_.sum())", "np.asarray(net.rates_)[0] = 7.0"),
    "array flat": StateWay(_ARRAY, "float(self.rates_.sum())", "net.rates_.flat[0] = 7.0"),
    "array shuffle": StateWay(
        "self.rates_ = np.arange(64.0)", "float(self.rates_[0])", "np.random.shuffle(net.rates_)"
    ),
    # Functions that get the object.
    "heappush": StateWay("self.heap_ = [1.0, 2.0]", "self.heap_[0]", "heapq.heappush(net.heap_, 0.5)"),
    "heapreplace": StateWay("self.heap_ = [1.0, 2.0]", "self.heap_[0]", "heapq.heapreplace(net.heap_, 7.0)"),
    "insort": StateWay(_ITEMS, _SUM, "bisect.insort(net.items_, 1.5)"),
    "operator setitem": StateWay(_ITEMS, _SUM, "operator.setitem(net.items_, 0, 7.0)"),
    "operator iadd": StateWay(_ITEMS, _SUM, "operator.iadd(net.items_, [7.0])"),
    "shuffle": StateWay(
        "self.items_ = [float(i) for i in range(64)]", "self.items_[0]", "random.Random(3).shuffle(net.items_)"
    ),
    "setattr": StateWay("self.rate_ = 1.0", "self.rate_", "setattr(net, 'rate_', 3.0)"),
    "setattr by a variable": StateWay(
        "self.rate_ = 1.0",
        "self.rate_",
        """
        def configure_(net, settings):
            for name, value in settings.items():
                setattr(net, name, value)

        def change_(net):
            configure_(net, json.loads('{"rate_": 3.0}'))
        """,
    ),
    "vars update": StateWay("self.rate_ = 1.0", "self.rate_", "vars(net).update(rate_=3.0)"),
    "__dict__ update": StateWay("self.rate_ = 1.0", "self.rate_", "net.__dict__.update({'rate_': 3.0})"),
    "bound method passed on": StateWay(_ITEMS, _SUM, "list(map(net.items_.append, [3.0]))"),
    "bound method kept": StateWay(_ITEMS, _SUM, "push = net.items_.append\npush(3.0)"),
    "bound method in a partial": StateWay(_ITEMS, _SUM, "functools.partial(net.items_.append, 3.0)()"),
    "methodcaller": StateWay(_ITEMS, _SUM, "operator.methodcaller('append', 3.0)(net.items_)"),
    "getattr of a method": StateWay(_ITEMS, _SUM, "getattr(net.items_, 'append')(3.0)"),
    # Aliases.
    "alias by a local name": StateWay(_ITEMS, _SUM, "items = net.items_\nitems.append(3.0)"),
    "alias in a tuple": StateWay(
        "self.first_ = [1.0]\nself.pair_ = (self.first_, 2)", "sum(self.first_)", "net.pair_[0].append(3.0)"
    ),
    "alias in a dict": StateWay(
        "self.first_ = [1.0]\nself.by_name_ = {'first': self.first_}",
        "sum(self.first_)",
        "net.by_name_['first'].append(3.0)",
    ),
    "alias in another attribute": StateWay(
        "self.first_ = [1.0]\nself.second_ = self.first_", "sum(self.first_)", "net.second_.append(3.0)"
    ),
    "alias of a global": StateWay("self.items_ = SHARED_", _SUM, "SHARED_.append(3.0)", before="SHARED_ = [1.0, 2.0]"),
    "alias in a list of globals": StateWay(
        "pass", "sum(RATES_)", "for rates in ALL_:\n    rates.append(3.0)", before="RATES_ = [1.0]\nALL_ = (RATES_,)"
    ),
    "alias by unpacking": StateWay(
        "self.pair_ = ([1.0], [2.0])", "sum(self.pair_[0])", "first, _ = net.pair_\nfirst.append(3.0)"
    ),
    "loop over values": StateWay(
        "self.table_ = {'a': [1.0], 'b': [2.0]}",
        "sum(self.table_['a'])",
        "for values in net.table_.values():\n    values.append(3.0)",
    ),
    "loop over enumerated rows": StateWay(
        "self.rows_ = [[1.0], [2.0]]",
        "self.rows_[0][0]",
        "for index, row in enumerate(net.rows_):\n    row[0] = 3.0 + index",
    ),
    "comprehension of effects": StateWay(
        "self.rows_ = [[1.0], [2.0]]", "sum(self.rows_[0])", "[row.append(3.0) for row in net.rows_]"
    ),
    "next of an iterator": StateWay(
        "self.rows_ = [[1.0], [2.0]]", "sum(self.rows_[0])", "next(iter(net.rows_)).append(3.0)"
    ),
    "items of a mapping": StateWay(
        "self.table_ = {'a': [1.0]}",
        "sum(self.table_['a'])",
        "for _, row in net.table_.items():\n    row.pop()\n    row += [4.0]",
    ),
    "alias by a property": StateWay(
        "self._items_ = [1.0]",
        "sum(self._items_)",
        "net.all_.append(3.0)",
        members="@property\ndef all_(self):\n    return self._items_",
    ),
    "alias by a getter": StateWay(
        _ITEMS, _SUM, "net.get_().append(3.0)", members="def get_(self):\n    return self.items_"
    ),
    "helper that gets the list": StateWay(
        _ITEMS,
        _SUM,
        """
        def push_(values, value):
            values.append(value)

        def change_(net):
            push_(net.items_, 3.0)
        """,
    ),
    "method that gets the list": StateWay(
        _ITEMS,
        _SUM,
        "net.grow_()",
        members="""
        def grow_(self):
            self._push_(self.items_)

        @staticmethod
        def _push_(values):
            values.append(3.0)
        """,
    ),
    "alias in another object": StateWay(
        _ITEMS,
        _SUM,
        """
        class Editor_:
            def __init__(self, net):
                self.target = net.items_

            def push(self):
                self.target.append(3.0)

        def change_(net):
            Editor_(net).push()
        """,
    ),
    "swap by tuple assignment": StateWay(
        "self.low_, self.high_ = 1.0, 2.0", "self.low_", "net.low_, net.high_ = net.high_, net.low_"
    ),
    "loop target": StateWay("self.rate_ = 1.0", "self.rate_", "for net.rate_ in (3.0, 4.0):\n    pass"),
    "deleted attribute": StateWay("self.rate_ = 3.0", "self.rate_", "del net.rate_", members="rate_ = 1.0"),
    # Classes and objects.
    "class attribute by the class": StateWay("pass", "self.rate_", "Net_.rate_ = 3.0", members="rate_ = 1.0"),
    "class attribute by type()": StateWay("pass", "self.rate_", "type(net).rate_ = 3.0", members="rate_ = 1.0"),
    "class list": StateWay("pass", "sum(self.rates_)", "Net_.rates_.append(3.0)", members="rates_ = [1.0]"),
    "class dict by an instance": StateWay(
        "pass", "self.table_['a']", "net.table_['a'] = 3.0", members="table_ = {'a': 1.0}"
    ),
    "object attribute": StateWay(
        "self.options_ = Options_()",
        "self.options_.rate",
        "net.options_.rate = 3.0",
        before="class Options_:\n    def __init__(self):\n        self.rate = 1.0",
    ),
    "object method": StateWay(
        "self.options_ = Options_()",
        "self.options_.rate",
        "net.options_.set(3.0)",
        before="class Options_:\n    rate = 1.0\n    def set(self, rate):\n        self.rate = rate",
    ),
    "object list": StateWay(
        "self.options_ = Options_()",
        "sum(self.options_.rates)",
        "net.options_.rates.append(3.0)",
        before="class Options_:\n    def __init__(self):\n        self.rates = [1.0]",
    ),
    "dataclass field": StateWay(
        "self.options_ = Options_()",
        "sum(self.options_.rates)",
        "net.options_.rates.extend([3.0])",
        before=(
            "@dataclasses.dataclass\nclass Options_:\n    rates: list = dataclasses.field(default_factory=lambda: [1])"
        ),
    ),
    "SimpleNamespace": StateWay(
        "self.options_ = types.SimpleNamespace(rate=1.0)", "self.options_.rate", "net.options_.rate = 3.0"
    ),
    "SimpleNamespace dict": StateWay(
        "self.options_ = types.SimpleNamespace(rate=1.0)",
        "self.options_.rate",
        "net.options_.__dict__.update(rate=3.0)",
    ),
    "own list class": StateWay(
        "self.items_ = Values_([1.0])",
        _SUM,
        "net.items_.push(3.0)",
        before="class Values_(list):\n    def push(self, value):\n        self.append(value)",
    ),
    "own container": StateWay(
        "self.items_ = Values_()",
        "self.items_[0]",
        "net.items_[0] = 3.0",
        before="""
        class Values_:
            def __init__(self):
                self._values = [1.0]

            def __getitem__(self, index):
                return self._values[index]

            def __setitem__(self, index, value):
                self._values[index] = value
        """,
    ),
    "singleton": StateWay(
        "pass",
        "Registry_.get().rate",
        "Registry_.get().rate = 3.0",
        before="""
        class Registry_:
            _only = None
            rate = 1.0

            @classmethod
            def get(cls):
                if cls._only is None:
                    cls._only = cls()
                return cls._only
        """,
    ),
    "descriptor": StateWay(
        "self.rate_ = 1.0",
        "self.rate_",
        "net.rate_ = 3.0",
        before="""
        class Rate_:
            def __get__(self, owner, kind):
                return owner.__dict__.get("_rate", 0.0)

            def __set__(self, owner, value):
                owner.__dict__["_rate"] = value
        """,
        members="rate_ = Rate_()",
    ),
    "replaced method": StateWay(
        "pass", "self.scale_()", "net.scale_ = lambda: 3.0", members="def scale_(self):\n    return 1.0"
    ),
    "replaced function of a class": StateWay(
        "pass", "self.scale_()", "Net_.scale_ = lambda self: 3.0", members="def scale_(self):\n    return 1.0"
    ),
    "list of a child block": StateWay(
        "self.child_ = Child_()",
        "1",
        "net.child_.rates_.append(3.0)",
        before="""
        class Child_(nn.HybridBlock):
            def __init__(self):
                super().__init__()
                self.rates_ = [1.0]

            def hybrid_forward(self, F, x):
                return x * sum(self.rates_)
        """,
        members="def hybrid_forward(self, F, x):\n    return self.child_(x)",
    ),
    # Globals, functions and closures.
    "global list": StateWay("pass", "sum(RATES_)", "RATES_.append(3.0)", before="RATES_ = [1.0]"),
    "global number": StateWay("pass", "RATE_", "global RATE_\nRATE_ = 3.0", before="RATE_ = 1.0"),
    "global by globals()": StateWay("pass", "RATE_", "globals()['RATE_'] = 3.0", before="RATE_ = 1.0"),
    "global array": StateWay("pass", "float(RATES_[0])", "RATES_[0] = 3.0", before="RATES_ = np.ones(2)"),
    "global read by a helper": StateWay(
        "pass",
        "rate_()",
        "STATE_['rate'] = 3.0",
        before="STATE_ = {'rate': 1.0}\n\ndef rate_():\n    return STATE_['rate']",
    ),
    "closure list": StateWay(
        """
        rates = [1.0]
        self.rate_ = lambda: sum(rates)
        self.push_ = lambda value: rates.append(value)
        """,
        "self.rate_()",
        "net.push_(3.0)",
    ),
    "closure nonlocal": StateWay(
        """
        rate = 1.0

        def get():
            return rate

        def put(value):
            nonlocal rate
            rate = value

        self.get_, self.put_ = get, put
        """,
        "self.get_()",
        "net.put_(3.0)",
    ),
    "closure of a factory": StateWay(
        "self.get_ = GET_",
        "self.get_()",
        "PUT_(3.0)",
        before="""
        def pair_():
            rates = [1.0]

            def get():
                return rates[-1]

            def put(value):
                rates.append(value)

            return get, put

        GET_, PUT_ = pair_()
        """,
    ),
    "list shared by a factory": StateWay(
        "self.items_ = items",
        _SUM,
        """
        def build_():
            items = [1.0]
            net = Net_(items)
            net.push_ = lambda: items.append(3.0)
            return net

        def change_(net):
            net.push_()
        """,
        parameters=", items=(1.0,)",
        make="build_()",
    ),
    "default dict": StateWay(
        "pass",
        "self.rate_()",
        "Net_.rate_.__defaults__[0]['rate'] = 3.0",
        members="def rate_(self, table={'rate': 1.0}):\n    return table['rate']",
    ),
    "default dict changed by a method": StateWay(
        "pass",
        "rate_()",
        "rate_(put=3.0)",
        before="""
        def rate_(put=None, table={'rate': 1.0}):
            if put is not None:
                table['rate'] = put
            return table['rate']
        """,
    ),
    "default shared by two functions": StateWay(
        "pass",
        "rate_()",
        "put_(3.0)",
        before="""
        TABLE_ = {'rate': 1.0}

        def rate_(table=TABLE_):
            return table['rate']

        def put_(value, table=TABLE_):
            table['rate'] = value
        """,
    ),
    "replaced defaults": StateWay(
        "pass", "rate_()", "rate_.__defaults__ = (3.0,)", before="def rate_(rate=1.0):\n    return rate"
    ),
    "keyword defaults": StateWay(
        "pass", "rate_()", "rate_.__kwdefaults__['rate'] = 3.0", before="def rate_(*, rate=1.0):\n    return rate"
    ),
    "replaced code": StateWay(
        "pass",
        "rate_()",
        "rate_.__code__ = other_.__code__",
        before="def rate_():\n    return 1.0\n\ndef other_():\n    return 3.0",
    ),
    "function attribute": StateWay(
        "pass", "rate_()", "rate_.value = 3.0", before="def rate_():\n    return rate_.value\n\nrate_.value = 1.0"
    ),
    "function attribute list": StateWay(
        "pass",
        "rate_()",
        "rate_.values.append(3.0)",
        before="def rate_():\n    return sum(rate_.values)\n\nrate_.values = [1.0]",
    ),
    "cache of a function": StateWay(
        "pass",
        "rate_('a')",
        "CACHE_['a'] = 3.0",
        before="""
        CACHE_ = {}

        def rate_(name):
            if name not in CACHE_:
                CACHE_[name] = 1.0
            return CACHE_[name]
        """,
    ),
    "cache of a block": StateWay(
        "self._cache_ = {}",
        "self.rate_('a')",
        "net._cache_['a'] = 3.0",
        members="""
        def rate_(self, name):
            if name not in self._cache_:
                self._cache_[name] = 1.0
            return self._cache_[name]
        """,
    ),
    "lru_cache": StateWay(
        "pass",
        "rate_()",
        "SOURCE_['rate'] = 3.0\nrate_.cache_clear()",
        before="""
        SOURCE_ = {'rate': 1.0}

        @functools.lru_cache(maxsize=None)
        def rate_():
            return SOURCE_['rate']
        """,
    ),
    "partial": StateWay(
        "self.scale_ = functools.partial(scale_, {'rate': 1.0})",
        "self.scale_()",
        "net.scale_.args[0]['rate'] = 3.0",
        before="def scale_(table):\n    return table['rate']",
    ),
    "bound method of an object": StateWay(
        "self.scale_ = Scale_().value",
        "self.scale_()",
        "net.scale_.__self__.rate = 3.0",
        before="class Scale_:\n    rate = 1.0\n    def value(self):\n        return self.rate",
    ),
    "change by a context manager": StateWay(
        "self.rates_ = [1.0]",
        "sum(self.rates_)",
        """
        @contextlib.contextmanager
        def more_(net):
            net.rates_.append(3.0)
            yield

        def change_(net):
            more_(net).__enter__()
        """,
    ),
    "nested list": StateWay("self.rows_ = [[1.0], [2.0]]", "sum(self.rows_[1])", "net.rows_[1].append(3.0)"),
    "nested list read whole": StateWay(
        "self.rows_ = [[1.0], [2.0]]", "float(np.sum(self.rows_))", "net.rows_[1][0] = 3.0"
    ),
    "method of the class": StateWay(
        _ITEMS, _SUM, "net.grow_([3.0])", members="def grow_(self, more):\n    self.items_.extend(more)"
    ),
    "inherited method": StateWay(
        "pass",
        "sum(self.items_)",
        "net.grow_(3.0)",
        before="""
        class Mixin_:
            items_ = [1.0]

            def grow_(self, value):
                self.items_.append(value)
        """,
        bases="Mixin_, nn.HybridBlock",
    ),
    "callback that holds the block": StateWay(
        _ITEMS,
        _SUM,
        """
        class Callback_:
            def __init__(self, net):
                self.net = net

            def on_epoch(self, epoch):
                self.net.items_.append(epoch)

        def change_(net):
            Callback_(net).on_epoch(3.0)
        """,
    ),
    "all parts of a block": StateWay(
        "self.rates_ = [1.0]",
        "sum(self.rates_)",
        """
        def more_(part):
            if hasattr(part, "rates_"):
                part.rates_.append(3.0)

        def change_(net):
            net.apply(more_)
        """,
    ),
    "changed after a call": StateWay(
        _ITEMS,
        _SUM,
        """
        def change_(net):
            net.items_.append(3.0)

        def main_():
            net = Net_()
            net(nd.ones((2, 2)))
            net.items_.append(3.0)
        """,
    ),
    "walrus": StateWay(_ITEMS, _SUM, "if (items := net.items_):\n    items.append(3.0)"),
    "choice of two": StateWay(
        "self.low_, self.high_ = [1.0], [2.0]",
        "sum(self.low_)",
        "(net.low_ if net.low_[0] < net.high_[0] else net.high_).append(3.0)",
    ),
    "or": StateWay(_ITEMS, _SUM, "(net.items_ or []).append(3.0)"),
    "starred": StateWay(
        "self.rows_ = ([1.0], [2.0], [3.0])", "sum(self.rows_[1])", "_, *rest = net.rows_\nrest[0].append(3.0)"
    ),
    "zip": StateWay(
        "self.rows_ = ([1.0], [2.0])",
        "sum(self.rows_[1])",
        "for row, value in zip(net.rows_, (3.0, 4.0)):\n    row.append(value)",
    ),
    "sorted rows": StateWay("self.rows_ = ([1.0], [2.0])", "sum(self.rows_[1])", "sorted(net.rows_)[-1].append(3.0)"),
    "chain": StateWay(
        "self.rows_ = ([1.0], [2.0])",
        "sum(self.rows_[1])",
        "for row in itertools.chain(net.rows_, [[5.0]]):\n    row.append(3.0)",
    ),
    "max by a key": StateWay(
        "self.rows_ = ([1.0], [2.0])", "sum(self.rows_[1])", "max(net.rows_, key=sum).append(3.0)"
    ),
    "getattr": StateWay(_ITEMS, _SUM, "getattr(net, 'items_').append(3.0)"),
    "attrgetter": StateWay(_ITEMS, _SUM, "operator.attrgetter('items_')(net).append(3.0)"),
    "vars": StateWay(_ITEMS, _SUM, "vars(net)['items_'].append(3.0)"),
    "iterator kept": StateWay("self.steps_ = itertools.count(1)", "next(copy.copy(self.steps_))", "next(net.steps_)"),
    "shallow copy": StateWay(
        "self.rows_ = [[1.0], [2.0]]", "sum(self.rows_[0])", "copy.copy(net.rows_)[0].append(3.0)"
    ),
    "slice of rows": StateWay(
        "self.rows_ = [[1.0], [2.0]]", "sum(self.rows_[0])", "for row in net.rows_[:1]:\n    row[:] = [3.0]"
    ),
    "with as": StateWay(_ITEMS, _SUM, "with contextlib.nullcontext(net.items_) as items:\n    items.append(3.0)"),
    "hybridized earlier": StateWay(
        _ITEMS, _SUM, "if net._active:\n    net.hybridize()\nnet(nd.ones((2, 2)))\nnet.items_.append(3.0)"
    ),
    "own scheduler": StateWay(
        "self.schedule_ = mx.lr_scheduler.FactorScheduler(step=1, base_lr=1.0)",
        "self.schedule_.base_lr",
        "net.schedule_.base_lr = 3.0",
    ),
    "scheduler that is called": StateWay(
        "self.schedule_ = mx.lr_scheduler.FactorScheduler(step=1, factor=0.5, base_lr=1.0)",
        "self.schedule_.base_lr",
        "net.schedule_(5)",
    ),
    "dict copy shares its items": StateWay(
        "self.table_ = {'opt': {'rate': 1.0}}",
        "self.table_['opt']['rate']",
        "table = net.table_.copy()\ntable['opt']['rate'] = 3.0",
    ),
    "blocks in a display": StateWay(
        _ITEMS,
        _SUM,
        "for part in [net, *net._children.values()]:\n    if hasattr(part, 'items_'):\n        part.items_.append(3.0)",
    ),
    "partial of an unbound method": StateWay(_ITEMS, _SUM, "functools.partial(list.append, net.items_)(3.0)"),
    "array constant": StateWay("self.rate_ = nd.array([1.0])", "float(self.rate_.asscalar())", "net.rate_[:] = 5.0"),
    "cell of a closure": StateWay(
        "rate = 1.0\nself.rate_ = lambda: rate", "self.rate_()", "net.rate_.__closure__[0].cell_contents = 3.0"
    ),
    "list of a named tuple": StateWay(
        "self.pair_ = Pair_([1.0])",
        "sum(self.pair_.first)",
        "net.pair_.first.append(3.0)",
        before="Pair_ = collections.namedtuple('Pair_', ['first'])",
    ),
    "frozen dataclass": StateWay(
        "self.options_ = Options_()",
        "self.options_.rate",
        "object.__setattr__(net.options_, 'rate', 3.0)",
        before="@dataclasses.dataclass(frozen=True)\nclass Options_:\n    rate: float = 1.0",
    ),
    "mapping behind a proxy": StateWay(
        "self.table_ = types.MappingProxyType(TABLE_)",
        "self.table_['a']",
        "TABLE_['a'] = 4.0",
        before="TABLE_ = {'a': 1.0}",
    ),
    "attribute of a dict class": StateWay(
        "self.options_ = Options_(rate=1.0)",
        "self.options_.rate",
        "net.options_.rate = 3.0",
        before="""
        class Options_(dict):
            def __getattr__(self, name):
                return self[name]

            def __setattr__(self, name, value):
                self[name] = value
        """,
    ),
    "keywords of a partial": StateWay(
        "self.scale_ = functools.partial(scale_, rate=1.0)",
        "self.scale_()",
        "net.scale_.keywords['rate'] = 4.0",
        before="def scale_(rate=0):\n    return rate",
    ),
    "setattr of the base class": StateWay(
        "self.rate_ = 1.0",
        "self.rate_",
        "net.put_(3.0)",
        members="def put_(self, value):\n    super().__setattr__('rate_', value)",
    ),
    "executed text": StateWay("self.rate_ = 1.0", "self.rate_", "exec('net.rate_ = 3.0')"),
    "function passed to a thread": StateWay(
        _ITEMS,
        _SUM,
        "thread = threading.Thread(target=net.items_.append, args=(3.0,))\nthread.start()\nthread.join()",
        before="import threading",
    ),
    "attribute that is not there yet": StateWay("pass", "getattr(self, 'rate_', 1.0)", "net.rate_ = 4.0"),
    "attribute that is asked for": StateWay("pass", "2.0 if hasattr(self, 'rate_') else 1.0", "net.rate_ = 4.0"),
    "attribute by a variable": StateWay(
        "self.rate_, self.name_ = 1.0, 'rate_'", "getattr(self, self.name_)", "net.rate_ = 4.0"
    ),
    "operator ior": StateWay("self.kinds_ = {1}", "len(self.kinds_)", "operator.ior(net.kinds_, {2})"),
    "another layer": StateWay(
        "self.body_ = nn.HybridSequential()\nself.body_.add(nn.Activation('tanh'))",
        "1",
        "net.grow_()",
        members="""
        def grow_(self):
            self.body_.add(nn.HybridLambda(lambda F, x: x * 3))

        def hybrid_forward(self, F, x):
            return self.body_(x)
        """,
    ),
    "another layer in a list": StateWay(
        "self.layers_ = [nn.Activation('tanh')]",
        "1",
        "net.layers_.append(nn.HybridLambda(lambda F, x: x * 3))",
        members="""
        def hybrid_forward(self, F, x):
            for layer in self.layers_:
                x = layer(x)
            return x
        """,
    ),
}

#: State that nothing changes once the block has run, beside code that looks as if it did.
UNCHANGED: dict[str, StateWay] = {
    "copy": StateWay(_ITEMS, _SUM, "items = list(net.items_)\nitems.append(3.0)"),
    "copy method": StateWay(_ITEMS, _SUM, "items = net.items_.copy()\nitems.append(3.0)"),
    "slice": StateWay(_ITEMS, _SUM, "items = net.items_[:]\nitems.append(3.0)"),
    "sum of lists": StateWay(_ITEMS, _SUM, "items = net.items_ + [3.0]\nitems.append(4.0)"),
    "display": StateWay(_ITEMS, _SUM, "items = [*net.items_]\nitems.append(4.0)"),
    "comprehension": StateWay(_ITEMS, _SUM, "items = [item for item in net.items_]\nitems.append(4.0)"),
    "sorted": StateWay(_ITEMS, _SUM, "items = sorted(net.items_)\nitems.append(4.0)"),
    "deepcopy": StateWay(
        "self.rows_ = [[1.0], [2.0]]", "sum(self.rows_[0])", "rows = copy.deepcopy(net.rows_)\nrows[0].append(4.0)"
    ),
    "copied dict": StateWay(_TABLE, _VALUES, "table = dict(net.table_)\ntable['a'] = 4.0"),
    "display of a dict": StateWay(_TABLE, _VALUES, "table = {**net.table_, 'c': 1.0}\ntable['a'] = 4.0"),
    "dict of the arguments": StateWay(_TABLE, _VALUES, "def take(**table):\n    table['a'] = 4.0\ntake(**net.table_)"),
    "reads": StateWay(
        _ITEMS, _SUM, "print(len(net.items_), net.items_.index(1.0), net.items_.count(2.0), max(net.items_))"
    ),
    "dict reads": StateWay(_TABLE, _VALUES, "return [net.table_.get('a'), *net.table_.items(), *net.table_.keys()]"),
    "deque reads": StateWay(_QUEUE, "sum(self.queue_)", "return net.queue_.index(1.0), net.queue_.maxlen"),
    "set reads": StateWay(
        "self.kinds_ = {1, 2}", "len(self.kinds_)", "return net.kinds_.union({3}), net.kinds_.issubset({1})"
    ),
    "saved": StateWay(_TABLE, _VALUES, "return json.dumps(net.table_), str(net.table_), repr(net.table_)"),
    "array reads": StateWay(
        _ARRAY, "float(self.rates_.sum())", "return net.rates_.mean(), net.rates_.argmax(), net.rates_.tolist()"
    ),
    "array copy": StateWay(_ARRAY, "float(self.rates_.sum())", "rates = net.rates_.copy()\nrates[0] = 5.0"),
    "array made of it": StateWay(_ARRAY, "float(self.rates_.sum())", "rates = np.array(net.rates_)\nrates[0] = 5.0"),
    "array computed": StateWay(_ARRAY, "float(self.rates_.sum())", "rates = net.rates_ * 2\nrates += 5.0"),
    "array functions": StateWay(
        _ARRAY, "float(self.rates_.sum())", "return np.sort(net.rates_), np.clip(net.rates_, 0, 1), np.sum(net.rates_)"
    ),
    "another attribute": StateWay(_ITEMS + "\nself.log_ = []", _SUM, "net.log_.append(3.0)"),
    "another key": StateWay("self.table_ = {'a': 1.0, 'log': 0}", "self.table_['a']", "net.table_['log'] = 4.0"),
    "another attribute of an object": StateWay(
        "self.options_ = types.SimpleNamespace(rate_=1.0, seen_=0)", "self.options_.rate_", "net.options_.seen_ = 3"
    ),
    "another list of a tuple": StateWay(
        "self.pair_ = ([1.0], [2.0])\nself.first_ = self.pair_[0]", "sum(self.first_)", "net.pair_[1].append(3.0)"
    ),
    "another class": StateWay(
        _ITEMS,
        _SUM,
        """
        class Dataset_:
            def __init__(self):
                self.items_ = []

            def add(self, item):
                self.items_.append(item)

        def change_(net):
            Dataset_().add(3.0)
        """,
    ),
    "a parameter of another class": StateWay(
        _ITEMS,
        _SUM,
        """
        class Dataset_:
            def __init__(self):
                self.items_ = []

        def add_(dataset, item):
            dataset.items_.append(item)

        def change_(net):
            add_(Dataset_(), 3.0)
        """,
    ),
    "a local list": StateWay(_ITEMS, _SUM, "items_ = []\nfor item in net.items_:\n    items_.append(item)"),
    "a parameter of the same name": StateWay(
        _ITEMS,
        _SUM,
        """
        def collect_(items_):
            items_.append(3.0)
            return items_

        def change_(net):
            collect_([])
        """,
    ),
    "a global of the same name": StateWay(_ITEMS, _SUM, "items_.append(3.0)", before="items_ = []"),
    "a global that no pass reads": StateWay(_ITEMS, _SUM, "LOG_.append(3.0)", before="LOG_ = []"),
    "set up by the constructor": StateWay(
        "self.items_ = []\nself._fill_()",
        _SUM + " + 1",
        "pass",
        members="def _fill_(self):\n    self.items_.append(1.0)",
    ),
    "set up by a factory": StateWay(
        _ITEMS,
        _SUM,
        """
        def build_():
            net = Net_()
            net.items_.append(3.0)
            net.initialize()
            return net

        def change_(net):
            build_()
        """,
    ),
    "a list filled before the block": StateWay(
        "self.items_ = items",
        _SUM,
        """
        def build_():
            items = []
            for value in (1.0, 2.0):
                items.append(value)
            return Net_(items)

        def change_(net):
            build_()
        """,
        parameters=", items=(1.0,)",
    ),
    "traced anew": StateWay(_ITEMS, _SUM, "net.items_.append(3.0)\nnet.hybridize()"),
    "cleared": StateWay(
        _ITEMS,
        _SUM,
        "net.grow_()",
        members="def grow_(self):\n    self.items_.append(3.0)\n    self._clear_cached_op()",
    ),
    "logged by the pass only": StateWay(
        "self.rate_, self.log_ = 2.0, []",
        "self.rate_",
        "net.log_.clear()",
        members="def note_(self, value):\n    self.log_.append(value)\n    return value",
    ),
    "read in forward only": StateWay(
        "self.rate_ = 2.0",
        "1.0",
        "net.rate_ = 3.0",
        members="def forward(self, x):\n    return super().forward(x * self.rate_)",
    ),
    "immutable tuple": StateWay("self.shape_ = (1.0, 2.0)", "sum(self.shape_)", "shape = net.shape_\nshape += (3.0,)"),
    "number by a local name": StateWay("self.rate_ = 2.0", "self.rate_", "rate = net.rate_\nrate += 1.0\nreturn rate"),
    "text methods": StateWay(
        "self.kind_ = 'relu'",
        "1.0 if self.kind_.startswith('r') else 2.0",
        "return net.kind_.upper().replace('R', 'r')",
    ),
    "frozen dataclass": StateWay(
        "self.options_ = Options_()",
        "self.options_.rate",
        "return dataclasses.replace(net.options_, rate=3.0)",
        before="@dataclasses.dataclass(frozen=True)\nclass Options_:\n    rate: float = 1.0",
    ),
    "named tuple": StateWay(
        "self.options_ = Options_(1.0)",
        "self.options_.rate",
        "return net.options_._replace(rate=3.0), net.options_._asdict()",
        before="Options_ = collections.namedtuple('Options_', ['rate'])",
    ),
    "object's own copy": StateWay(
        "self.options_ = types.SimpleNamespace(rate=1.0)",
        "self.options_.rate",
        "options = copy.copy(net.options_)\noptions.rate = 3.0",
    ),
    "closure that is only read": StateWay(
        "rates = [1.0]\nself.rate_ = lambda: sum(rates)", "self.rate_()", "rates = [3.0]\nrates.append(net.rate_())"
    ),
    "default that is only read": StateWay(
        "pass",
        "rate_()",
        "return rate_({'rate': 3.0})",
        before="def rate_(table={'rate': 1.0}):\n    return table['rate']",
    ),
    "another child, which Gluon notices": StateWay(
        "self.head_ = nn.Activation('tanh')",
        "1",
        "net.head_ = nn.Activation('relu')",
        members="def hybrid_forward(self, F, x):\n    return self.head_(x)",
    ),
    "a stage that is made anew": StateWay(
        "self.body_ = self.stage_(2)",
        "1",
        "return net.stage_(3)",
        members="""
        def stage_(self, layers):
            stage = nn.HybridSequential()
            for _ in range(layers):
                stage.add(nn.Activation("tanh"))
            return stage

        def hybrid_forward(self, F, x):
            return self.body_(x)
        """,
    ),
    "settings that a parser returns": StateWay(
        _ITEMS,
        _SUM,
        """
        def parsed_():
            arguments = argparse.ArgumentParser().parse_args([])
            arguments.items_ = []
            arguments.items_.append(3.0)
            return arguments

        def change_(net):
            parsed_()
        """,
        before="import argparse",
    ),
    "parameters and children": StateWay(
        "self.dense_ = nn.Dense(3)\nself.scales_ = [1.0]",
        "sum(self.scales_)",
        """
        def change_(net):
            net.collect_params().setattr("grad_req", "write")
            net.dense_.weight.lr_mult = 0.5
        """,
    ),
    "a training function": StateWay(
        "self.scales_ = [1.0]",
        "sum(self.scales_)",
        """
        def train_(net, batches, epochs=2):
            losses, best = [], {}
            for epoch in range(epochs):
                for x in batches:
                    with mx.autograd.record():
                        loss = net(x).mean()
                    losses.append(loss.asscalar())
                best[epoch] = min(losses)
            return losses, best

        def change_(net):
            train_(net, [nd.ones((2, 2))])
        """,
    ),
    "items drawn": StateWay(
        _ITEMS, _SUM, "return random.choice(net.items_), random.sample(net.items_, 1), heapq.nlargest(1, net.items_)"
    ),
    "iterated": StateWay(
        _ITEMS,
        _SUM,
        "for index, item in enumerate(net.items_):\n    print(index, item)\nreturn dict(zip('ab', net.items_))",
    ),
}


def measure() -> list[str]:
    """Return the ways of which the installed MXNet says otherwise, after a first call and one after the change."""
    mx = importlib.import_module("mxnet")
    more = importlib.import_module(f"{__package__}.indirect_state_ways")
    wrong = []
    changed = {**CHANGED, **more.INDIRECT}
    for name, way in [*changed.items(), *UNCHANGED.items(), *more.UNTOUCHED.items()]:
        answers = []
        for hybridized in (False, True):
            sys.modules["way"] = module = ModuleType("way")
            exec(compile(HEAD + way.code(0), "way", "exec"), vars(module))
            net = vars(module)["make_0"]()
            net.initialize()
            net.hybridize(hybridized)
            x = mx.nd.ones((2, 2))
            net(x)
            vars(module)["change_0"](net)
            answers.append(net(x).asnumpy().tolist())
        if (answers[0] != answers[1]) is not (changed.get(name) is way):
            wrong.append(name)
    return wrong


if __name__ == "__main__":
    print(f"{len(CHANGED)} plain ways to change state, {len(UNCHANGED)} that look like it; wrong: {measure()}")
