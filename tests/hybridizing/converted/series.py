"""Plain blocks of time series and control."""

from mxnet import nd
from mxnet.gluon import HybridBlock, nn, rnn


class Positions(HybridBlock):
    """Adds what tells a step from the others."""

    def __init__(self, units, longest=32, dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        self.dropout = nn.Dropout(dropout)
        table = nd.zeros((1, longest, units))
        steps = nd.arange(longest).reshape((-1, 1)) / nd.power(10000, nd.arange(0, units, 2) / units)
        table[:, :, 0::2] = nd.sin(steps)
        table[:, :, 1::2] = nd.cos(steps)
        self.table = self.params.get_constant("table", table)

    def hybrid_forward(self, F, x, table):
        x = F.broadcast_add(x, F.slice_like(table, x, axes=(1,)))
        return self.dropout(x)


class Scaled(HybridBlock):
    def __init__(self, hidden, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.rnn = rnn.LSTM(hidden, layout="NTC")
            self.out = nn.Dense(1, flatten=False)

    def hybrid_forward(self, F, x):
        mean = x.mean(axis=1, keepdims=True)
        spread = F.sqrt(F.mean(F.square(F.broadcast_sub(x, mean)), axis=1, keepdims=True) + 1e-5)
        z = F.broadcast_div(F.broadcast_sub(x, mean), spread)
        return self.out(self.rnn(z))


class Actor(HybridBlock):
    def __init__(self, actions, hidden=16, **kwargs):
        super().__init__(**kwargs)
        self.body = nn.Dense(hidden, activation="relu")
        self.mean = nn.Dense(actions)
        self.spread = nn.Dense(actions)

    def hybrid_forward(self, F, state):
        features = self.body(state)
        mean = self.mean(features)
        log_spread = F.clip(self.spread(features), -5, 2)
        return mean, F.exp(log_spread)


class Dueling(nn.HybridBlock):
    def __init__(self, actions, hidden=16):
        super().__init__()
        self.shared = nn.Dense(hidden, activation="tanh")
        self.value = nn.Dense(1)
        self.advantage = nn.Dense(actions)

    def hybrid_forward(self, F, x):
        x = self.shared(x)
        advantage = self.advantage(x)
        centred = F.broadcast_sub(advantage, F.mean(advantage, axis=1, keepdims=True))
        return F.broadcast_add(centred, self.value(x))


class LeakyCell(rnn.HybridRecurrentCell):
    """A cell that forgets at a rate of its own for each unit."""

    def __init__(self, units, prefix=None, params=None):
        super().__init__(prefix=prefix, params=params)
        self._units = units
        with self.name_scope():
            self.rate = self.params.get("rate", shape=(units,), init="zeros")
            self.inside = nn.Dense(units)

    def state_info(self, batch_size=0):
        return [{"shape": (batch_size, self._units), "__layout__": "NC"}]

    def _alias(self):
        return "leaky"

    def hybrid_forward(self, F, inputs, states, rate):
        keep = F.sigmoid(rate).expand_dims(0)
        state = F.broadcast_mul(states[0], keep) + F.broadcast_mul(F.tanh(self.inside(inputs)), 1 - keep)
        return state, [state]
