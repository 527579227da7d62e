import mxnet as mx
from mxnet import nd, gluon
from mxnet.gluon import nn, rnn


class GRUClassifier(gluon.HybridBlock):
    def __init__(self, vocab=40, dim=8, hidden=12, classes=3, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.embed = nn.Embedding(vocab, dim)
            self.gru = rnn.GRU(hidden, num_layers=1, layout='NTC')
            self.fc = nn.Dense(classes)

    def hybrid_forward(self, F, tokens):
        h = self.gru(self.embed(tokens))
        last = F.slice_axis(h, axis=1, begin=-1, end=None)
        return self.fc(F.squeeze(last, axis=1))


class StepDecoder(gluon.HybridBlock):
    """One step of a decoder."""

    def __init__(self, hidden=10, vocab=20, **kwargs):
        super().__init__(**kwargs)
        self.hidden = hidden
        with self.name_scope():
            self.cell = rnn.LSTMCell(hidden, input_size=6)
            self.embed = nn.Embedding(vocab, 6)
            self.out = nn.Dense(vocab)

    def hybrid_forward(self, F, token, h, c):
        x = self.embed(token)
        out, states = self.cell(x, [h, c])
        return self.out(out), states[0], states[1]


class PlainBlock(gluon.Block):
    def __init__(self, units=5, **kwargs):
        super(PlainBlock, self).__init__(**kwargs)
        with self.name_scope():
            self.dense = nn.Dense(units)
            self.scale = self.params.get('scale', shape=(1, units), init=mx.init.One())

    def forward(self, x):
        y = nd.relu(self.dense(x))
        return nd.broadcast_mul(y, self.scale.data())


class Highway(nn.HybridBlock):
    def __init__(self, size=6, layers=2, **kwargs):
        super().__init__(**kwargs)
        self._layers = layers
        with self.name_scope():
            self.gates = nn.HybridSequential()
            self.linears = nn.HybridSequential()
            for i in range(layers):
                self.gates.add(nn.Dense(size, activation='sigmoid', in_units=size))
                self.linears.add(nn.Dense(size, activation='relu', in_units=size))

    def hybrid_forward(self, F, x):
        for i in range(self._layers):
            g = self.gates[i](x)
            x = g * self.linears[i](x) + (1 - g) * x
        return x
