"""A multilayer perceptron for handwritten digits."""

from mxnet import gluon
from mxnet.gluon import nn


class MLP(gluon.HybridBlock):
    """Three fully connected layers with dropout between them.

    Parameters
    ----------
    hidden : int
        Units of the hidden layers.
    classes : int
        Number of classes.
    """

    def __init__(self, hidden=128, classes=10, **kwargs):
        super(MLP, self).__init__(**kwargs)
        with self.name_scope():
            self.fc1 = nn.Dense(hidden, activation="relu")
            self.fc2 = nn.Dense(hidden // 2, activation="relu")
            self.drop = nn.Dropout(0.5)  # only while training
            self.output = nn.Dense(classes)

    def hybrid_forward(self, F, x):
        x = self.fc1(x)
        # a narrower layer
        x = self.drop(self.fc2(x))
        return self.output(x)
