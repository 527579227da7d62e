import mxnet as mx
from mxnet import gluon
from mxnet.gluon import nn, rnn

# hybridlint: verify(x=("N", 4, 3))
class Stack(gluon.HybridBlock):
    def __init__(self, hidden=5, **kwargs):
        super().__init__(**kwargs)
        self.cell = rnn.HybridSequentialRNNCell()
        for k in range(2):
            self.cell.add(rnn.LSTMCell(hidden))
            self.cell.add(rnn.DropoutCell(0.2))
        self.cell.add(rnn.GRUCell(hidden))
        self.fc = nn.Dense(3, flatten=False)
    def hybrid_forward(self, F, x):
        out, states = self.cell.unroll(4, x, layout='NTC', merge_outputs=True)
        return self.fc(out), states[0], states[-1]


class Gated(gluon.HybridBlock):
    def __init__(self, hidden=5, **kwargs):
        super().__init__(**kwargs)
        self.cell = rnn.GRUCell(hidden, input_size=3)
        self.fc = nn.Dense(3)
    def hybrid_forward(self, F, x):
        outs, states = self.cell.unroll(4, x, layout='NTC')
        return self.fc(outs[-1]), states[0]

# hybridlint: verify(x=("N", 4, 3), h=(2, "N", 5))
class Layer(gluon.HybridBlock):
    def __init__(self, hidden=5, **kwargs):
        super().__init__(**kwargs)
        self.gru = rnn.GRU(hidden, num_layers=2, layout='NTC', input_size=3)
        self.rnn = rnn.RNN(hidden, activation='relu', num_layers=2, layout='NTC', input_size=5)
    def hybrid_forward(self, F, x, h):
        y, [s] = self.gru(x, [h])
        z, states = self.rnn(y, [s])
        return self.rnn(z, states)

class Old(gluon.Block):
    def __init__(self, hidden=5, **kwargs):
        super().__init__(**kwargs)
        self.hidden = hidden
        self.gru = rnn.GRU(hidden, num_layers=2, layout='NTC', input_size=3)
        self.lstm = rnn.LSTM(hidden, layout='NTC', input_size=5)
    def forward(self, x):
        state = self.gru.begin_state(batch_size=x.shape[0])
        y, state = self.gru(x, state)
        z, s = self.lstm(y, self.lstm.begin_state(x.shape[0]))
        return z, state, s
