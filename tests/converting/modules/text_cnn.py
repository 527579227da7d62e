from mxnet import nd
from mxnet.gluon import nn


class TextCNN(nn.HybridBlock):
    def __init__(self, vocab=100, embed_size=20, kernel_sizes=(3, 4, 5), num_channels=(8, 8, 8), **kwargs):
        super(TextCNN, self).__init__(**kwargs)
        self.embedding = nn.Embedding(vocab, embed_size)
        self.dropout = nn.Dropout(0.5)
        self.decoder = nn.Dense(2)
        self.pool = nn.GlobalMaxPool1D()
        self.convs = nn.HybridSequential()
        for c, k in zip(num_channels, kernel_sizes):
            self.convs.add(nn.Conv1D(c, k, activation="relu"))

    def hybrid_forward(self, F, inputs):
        embeddings = self.embedding(inputs).transpose((0, 2, 1))
        encoding = [F.flatten(self.pool(conv(embeddings))) for conv in self.convs]
        encoding = F.concat(*encoding, dim=1)
        return self.decoder(self.dropout(encoding))
