"""A program: what it calls does not depend on any generator of random numbers."""

import sys

import mxnet as mx
import numpy as np
from model import Head, Net, Steps, steps
from mxnet import autograd, nd
from mxnet.gluon import nn

net = Net(100)
net.initialize()
for batch, length in ((8, 7), (8, 9), (3, 7)):
    tokens = nd.array(np.arange(batch * length).reshape((batch, length)) % 90 + 1)
    with autograd.record():
        loss = net(tokens, nd.ones((batch, length, 1))).sum()
    loss.backward()

block = steps()
block.initialize()
block(nd.ones((2, 3)) / 4, [nd.zeros((2, 4)), nd.zeros((2, 4))])
shared = Steps(block.cell, mx.init.Uniform(0.5), {"a": np.float32(2), "b": [slice(1, None)]}, params=block.params)
shared(nd.ones((2, 3)) / 4, [nd.zeros((2, 4)), nd.zeros((2, 4))], None)

late = nn.HybridSequential()
late.add(Head(2, nn.Dense(3, flatten=False), prefix="late_"))
late.add(nn.Dense(2))
late.initialize()
late.hybridize()
late(nd.array(np.linspace(0, 1, 12).reshape((4, 3)), dtype="float32"))

if sys.argv[1:] == ["fail"]:
    raise ValueError("as it was asked to")
