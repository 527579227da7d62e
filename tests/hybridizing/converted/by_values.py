"""Plain blocks that need the numbers in their inputs."""

import numpy as np
from mxnet import nd
from mxnet.gluon import Block, nn


class Sampler(Block):
    def __init__(self, ratio, **kwargs):
        super().__init__(**kwargs)
        self._ratio = ratio

    def forward(self, x):
        kept = np.where(x.asnumpy().sum(axis=1) > 0)[0]
        return nd.take(x, nd.array(kept[: int(len(kept) * self._ratio)]))


class UntilSmall(Block):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.dense = nn.Dense(units)

    def forward(self, x):
        x = self.dense(x)
        while nd.abs(x).sum() > 1:
            x = x / 2
        return x


class Keyed(Block):
    def forward(self, x, *, scale=1.0):
        return x * scale


class Styled(Block):
    """Another array than that of `__init__` may take part, which no constant can be."""

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.gram = nd.ones((units, units))

    def adopt(self, gram):
        self.gram = gram

    def forward(self, x):
        return nd.dot(x, self.gram)
