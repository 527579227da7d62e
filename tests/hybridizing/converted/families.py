"""Plain blocks that derive from each other, and that hold each other."""

from mxnet.gluon import HybridBlock, nn


class Encoder(HybridBlock):
    """What all encoders have."""

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.project = nn.Dense(units)

    def activate(self, F, x):
        return F.relu(x)

    def hybrid_forward(self, F, x):
        return self.activate(F, self.project(x))


class Gated(Encoder):
    def __init__(self, units, **kwargs):
        super().__init__(units, **kwargs)
        self.gate = nn.Dense(units, activation="sigmoid")

    def activate(self, F, x):
        return F.tanh(x)

    def hybrid_forward(self, F, x):
        return super().hybrid_forward(F, x) * self.gate(x)


class Pair(HybridBlock):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.encoders = [Encoder(units), Gated(units)]
        for encoder in self.encoders:
            self.register_child(encoder)

    def hybrid_forward(self, F, x):
        first, second = [encoder(x) for encoder in self.encoders]
        return F.concat(first, second, dim=1)


class Stack(nn.HybridSequential):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.add(Gated(units))
            self.add(nn.Dense(2))
