from mxnet import gluon
from mxnet.gluon import nn, rnn


class Encoder(gluon.HybridBlock):
    def __init__(self, hidden=8, **kwargs):
        super().__init__(**kwargs)
        self.lstm = rnn.LSTM(hidden, bidirectional=True)
        self.fc = nn.Dense(4, flatten=False)

    def hybrid_forward(self, F, x):
        out = self.lstm(x)
        return self.fc(F.SequenceReverse(out))


class Unrolled(gluon.HybridBlock):
    def __init__(self, hidden=8, steps=5, **kwargs):
        super().__init__(**kwargs)
        self.steps = steps
        self.cell = rnn.LSTMCell(hidden)
        self.fc = nn.Dense(2)

    def hybrid_forward(self, F, x):
        outputs, states = self.cell.unroll(self.steps, x, layout='NTC', merge_outputs=True)
        return self.fc(states[0]), outputs


class CustomDense(gluon.HybridBlock):
    def __init__(self, units=4, in_units=0, **kwargs):
        super().__init__(**kwargs)
        self._units = units
        with self.name_scope():
            self.weight = self.params.get('weight', shape=(units, in_units), allow_deferred_init=True)
            self.bias = self.params.get('bias', shape=(units,), init='zeros')

    def hybrid_forward(self, F, x, weight, bias):
        return F.FullyConnected(x, weight, bias, num_hidden=self._units)


class PixelNet(gluon.HybridBlock):
    def __init__(self, factor=2, **kwargs):
        super().__init__(**kwargs)
        self.factor = factor
        self.conv = nn.Conv2D(3 * factor ** 2, 3, padding=1)

    def hybrid_forward(self, F, x):
        f = self.factor
        y = self.conv(x)
        y = F.reshape(y, (0, -4, -1, f * f, 0, 0))
        y = F.reshape(y, (0, 0, -4, f, f, 0, 0))
        y = F.transpose(y, (0, 1, 4, 2, 5, 3))
        return F.reshape(y, (0, 0, -3, -3))


class Bilinear(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.conv = nn.Conv2D(4, 3, padding=1, activation='relu')

    def hybrid_forward(self, F, x):
        y = self.conv(x)
        y = F.contrib.BilinearResize2D(y, height=12, width=14)
        return F.Pooling(y, kernel=(3, 3), stride=(2, 2), pool_type='max', pooling_convention='full')


class NCE(gluon.HybridBlock):
    def __init__(self, vocab=30, size=6, **kwargs):
        super().__init__(**kwargs)
        self.center = nn.Embedding(vocab, size)
        self.context = nn.Embedding(vocab, size)

    def hybrid_forward(self, F, center, context):
        v = self.center(center).expand_dims(1)
        u = self.context(context)
        return F.batch_dot(v, u.swapaxes(1, 2)).squeeze(axis=1)
