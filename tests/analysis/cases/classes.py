import mxnet as mx
from mxnet import autograd, gluon
from mxnet.gluon import Block, HybridBlock, nn


class Pair(HybridBlock):
    def hybrid_forward(self, F, a, b):
        return a + b, a - b


class Plain(Block):
    def forward(self, x):
        return x * x.shape[0]


class Net(HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.dense = nn.Dense(8)  # -> ChildDef.attribute
            self.pair = Pair()  # -> ChildDef.attribute
            self.plain = Plain()  # -> ChildDef.attribute
            self.loose = [nn.Dense(4)]  # -> ChildDef.list
            self.weight = self.params.get("weight", shape=(1, 8))
            self.constant = mx.nd.ones((1, 8))
            self.known = []
            for i in range(2):
                layer = nn.Dense(8)
                self.known.append(layer)
                self.register_child(layer, str(i))
            self.steps = 0

    def hybrid_forward(self, F, x, weight):
        self.steps += 1  # -> SideEffect.attribute
        x = self.dense(x)
        total, difference = self.pair(x, x)
        y = difference * weight  # -> Binary.failure
        z = self.helper(F, total)
        for layer in self.known:
            z = layer(z)
        size = self.weight.shape[1]  # -> AttributeRead.shape
        return y * size + z

    def helper(self, F, x):
        return x * x.shape[0]  # -> AttributeRead.shape


class Scopes(HybridBlock):
    def hybrid_forward(self, F, x):
        with autograd.pause():  # -> ScopeEvent.pause
            y = x * 2
        if autograd.is_training():  # -> TraceConstant
            y = y * 2
        return y


class Recurrent(HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.layer = gluon.rnn.LSTM(8)  # -> ChildDef.attribute
        self.cell = gluon.rnn.GRUCell(8)  # -> ChildDef.attribute

    def hybrid_forward(self, F, inputs, states):
        out, states = self.layer(inputs, states)
        row, cell_states = self.cell(inputs, [states[0]])
        only = self.layer(inputs)
        return out + row + cell_states[0] + only[0]  # -> Binary.failure Subscript


class Transformed(HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.act = nn.HybridLambda(lambda F, x: F.relu(x)[0])  # -> ChildDef.attribute Subscript

    def hybrid_forward(self, F, data, *args, **params):
        def step(row, state):
            return row * row.shape[0], state  # -> AttributeRead.shape

        outs, _ = F.contrib.foreach(step, data, args[0])
        return outs + params["bias"]


class Identity(HybridBlock):
    def hybrid_forward(self, F, x, y):
        return x, y * 2  # -> Return.input
