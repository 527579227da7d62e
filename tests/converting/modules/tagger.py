"""A tagger of words: embeddings, a bidirectional LSTM and a projection."""

from mxnet.gluon import nn, rnn


class Tagger(nn.HybridBlock):
    def __init__(self, vocab_size=50, embed_size=16, hidden=24, tags=5, **kwargs):
        super(Tagger, self).__init__(**kwargs)
        with self.name_scope():
            self.embedding = nn.Embedding(vocab_size, embed_size)
            self.encoder = rnn.LSTM(hidden, num_layers=2, layout="NTC", bidirectional=True, dropout=0.2)
            self.drop = nn.Dropout(0.3)
            self.decoder = nn.Dense(tags, flatten=False)

    def hybrid_forward(self, F, words):
        embedded = self.drop(self.embedding(words))
        encoded = self.encoder(embedded)
        scores = self.decoder(self.drop(encoded))
        return F.log_softmax(scores, axis=-1)
