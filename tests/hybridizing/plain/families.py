"""Plain blocks that derive from each other, and that hold each other."""

from mxnet import nd
from mxnet.gluon import Block, nn


class Encoder(Block):
    """What all encoders have."""

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.project = nn.Dense(units)

    def activate(self, x):
        return nd.relu(x)

    def forward(self, x):
        return self.activate(self.project(x))


class Gated(Encoder):
    def __init__(self, units, **kwargs):
        super().__init__(units, **kwargs)
        self.gate = nn.Dense(units, activation="sigmoid")

    def activate(self, x):
        return nd.tanh(x)

    def forward(self, x):
        return super().forward(x) * self.gate(x)


class Pair(Block):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.encoders = [Encoder(units), Gated(units)]
        for encoder in self.encoders:
            self.register_child(encoder)

    def forward(self, x):
        first, second = [encoder(x) for encoder in self.encoders]
        return nd.concat(first, second, dim=1)


class Stack(nn.Sequential):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.add(Gated(units))
            self.add(nn.Dense(2))
