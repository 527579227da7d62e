import collections
import contextlib
import heapq
import itertools
import queue
import random
import types

import mxnet as mx
from mxnet import autograd
from mxnet.gluon import HybridBlock, nn

numbers = itertools.count()


class Shared:
    calls = 0
    ones = mx.nd.ones((1,))


@contextlib.contextmanager
def frozen():
    with autograd.pause():
        yield


def counter():
    n = 0

    def tick():
        nonlocal n
        n += 1  # -> SideEffect.nonlocal
        return n

    return tick


def note(log):
    log.append(1)  # -> SideEffect.append


class Stores(HybridBlock):
    def __init__(self, given, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.dense = nn.Dense(1)  # -> ChildDef.attribute
        self.n = 0
        self.lines = []
        self.given = given
        self.heap = [3.0, 2.0]
        self.seen = collections.Counter()
        self.state = types.SimpleNamespace(n=0)
        self.tick = counter()

    def hybrid_forward(self, F, x, kept={}):
        Shared.calls += 1  # -> SideEffect.attribute
        type(self).calls = getattr(type(self), "calls", 0) + 1  # -> SideEffect.attribute
        note.calls = getattr(note, "calls", 0) + 1  # -> SideEffect.attribute
        self.dense.calls = x  # -> SideEffect.attribute
        self.dense.quiet = True
        self.state.n += 1  # -> SideEffect.attribute
        self.__dict__["n"] = 1
        vars(self)["n"] = 2  # -> SideEffect.append
        object.__setattr__(self, "n", 3)  # -> SideEffect.attribute
        kept["n"] = 1  # -> SideEffect.append
        self.given.append(1)  # -> SideEffect.append
        self.seen["n"] += 1  # -> SideEffect.append
        log = self.lines
        log.append(1)  # -> SideEffect.append
        own = list(self.lines)
        own.append(1)
        note(self.lines)
        note([])
        list.append(self.lines, 2)  # -> SideEffect.append
        heapq.heappop(self.heap)  # -> SideEffect.append
        del self.lines[0]  # -> SideEffect.append
        del self.n  # -> SideEffect.attribute
        self.tick()
        return F.relu(x)


class Reads(HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.steps = iter([1, 2])
        self.queue = queue.Queue()

    def hybrid_forward(self, F, x):
        a = next(self.steps)  # -> TraceConstant
        b = self.steps.__next__()  # -> TraceConstant
        c = numbers.__next__()  # -> TraceConstant
        d = sum(itertools.islice(self.steps, 1))  # -> TraceConstant
        e = self.queue.get()  # -> TraceConstant
        for f in self.steps:  # -> TraceConstant
            x = x * f
        mx.random.seed(1)  # -> TraceConstant
        random.seed(1)
        return x * (a + b + c + d + e + random.random())


class Modes(HybridBlock):
    def hybrid_forward(self, F, x):
        old = autograd.set_recording(False)  # -> ScopeEvent.set_recording
        a = x * x
        autograd.set_recording(old)
        with frozen():  # -> ScopeEvent.pause
            b = x * x
        with contextlib.ExitStack() as stack:
            stack.enter_context(autograd.pause())  # -> ScopeEvent.pause
        with autograd.predict_mode():  # -> ScopeEvent.predict_mode
            c = x * 2 if autograd.is_training() else x * 3
        return a + b + c + autograd.is_training()  # -> Binary.failure TraceConstant


class Always(HybridBlock):
    def hybrid_forward(self, F, x):
        for i in range(3):
            if i == 1:
                return x * 2
