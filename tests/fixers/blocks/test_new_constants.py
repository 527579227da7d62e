"""Arrays that `hybrid_forward` makes of literals and settings: constants among the parameters of the block."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed_text, lines

HEAD = "import numpy as np\nimport mxnet as mx\nfrom mxnet import nd\nfrom mxnet.gluon import HybridBlock, nn\n\n\n"

CASES = {
    "by the name that it is bound to": (
        """
        class Net(HybridBlock):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv2D(8, 3)

            def hybrid_forward(self, F, x):
                mean = nd.array([0.5, 0.4, 0.1]).reshape((1, 3, 1, 1))  # of all pictures
                return self.conv(x - mean)
        """,
        """
        class Net(HybridBlock):
            def __init__(self):
                super().__init__()
                self.conv = nn.Conv2D(8, 3)
                self.mean = self.params.get_constant("mean", nd.array([0.5, 0.4, 0.1]).reshape((1, 3, 1, 1)))

            def hybrid_forward(self, F, x, mean):
                # of all pictures
                return self.conv(F.broadcast_sub(x, mean))
        """,
    ),
    "in a shape by a local name": (
        """
        class Net(HybridBlock):
            def __init__(self, sizes):
                super().__init__()
                self.sizes = sizes

            def hybrid_forward(self, F, x):
                n = len(self.sizes)
                scale = nd.array(self.sizes, ctx=x.context).reshape((1, n, 1))
                return x * scale
        """,
        """
        class Net(HybridBlock):
            def __init__(self, sizes):
                super().__init__()
                self.sizes = sizes
                self.scale = self.params.get_constant("scale", nd.array(self.sizes).reshape((1, len(self.sizes), 1)))

            def hybrid_forward(self, F, x, scale):
                return F.broadcast_mul(x, scale)
        """,
    ),
    "of a setting, whose name is taken": (
        """
        class Net(HybridBlock):
            def __init__(self, mean):
                super().__init__()
                self.mean = mean
                with self.name_scope():
                    self.conv = nn.Conv2D(8, 3)

            def hybrid_forward(self, F, x):
                mean = mx.nd.array(self.mean).reshape((1, -1, 1, 1)).as_in_context(x.context)
                return self.conv(x - mean)
        """,
        """
        class Net(HybridBlock):
            def __init__(self, mean):
                super().__init__()
                self.mean = mean
                with self.name_scope():
                    self.conv = nn.Conv2D(8, 3)
                    self.constant = self.params.get_constant("constant", mx.nd.array(self.mean).reshape((1, -1, 1, 1)))

            def hybrid_forward(self, F, x, constant):
                mean = constant
                return self.conv(F.broadcast_sub(x, mean))
        """,
    ),
    "made by numpy, in a block without parameters": (
        """
        class Net(HybridBlock):
            def hybrid_forward(self, F, x):
                k = nd.array(np.array([[1, 2], [0, -1]]), ctx=x.context).reshape((1, 1, 2, 2))
                return F.Convolution(x, k, kernel=(2, 2), num_filter=1, no_bias=True)
        """,
        """
        class Net(HybridBlock):
            def __init__(self, *args, **kwargs):
                super().__init__(*args, **kwargs)
                with self.name_scope():
                    self.k = self.params.get_constant("k", nd.array(np.array([[1, 2], [0, -1]])).reshape((1, 1, 2, 2)))

            def hybrid_forward(self, F, x, k):
                return F.Convolution(x, k, kernel=(2, 2), num_filter=1, no_bias=True)
        """,
    ),
    "computed in several statements": (
        """
        class Net(HybridBlock):
            def __init__(self, size):
                super().__init__()
                self.size = size
                self.fc = nn.Dense(4)

            def hybrid_forward(self, F, x):
                t = np.linspace(0, 1, self.size)
                half = t / 2
                basis = nd.array(np.stack([half ** k for k in range(3)]))
                return F.dot(self.fc(x), basis)
        """,
        """
        class Net(HybridBlock):
            def __init__(self, size):
                super().__init__()
                self.size = size
                self.fc = nn.Dense(4)
                self.basis = self.params.get_constant(
                    "basis", nd.array(np.stack([(np.linspace(0, 1, self.size) / 2) ** k for k in range(3)]))
                )

            def hybrid_forward(self, F, x, basis):
                return F.dot(self.fc(x), basis)
        """,
    ),
    "of numbers of the module, through F": (
        """
        SCALE = [0.5, 0.25, 2]


        class Net(HybridBlock):
            def __init__(self):
                super().__init__()
                self.fc = nn.Dense(3)

            def hybrid_forward(self, F, x):
                return self.fc(F.broadcast_mul(x, F.array(SCALE)))
        """,
        """
        SCALE = [0.5, 0.25, 2]


        class Net(HybridBlock):
            def __init__(self):
                super().__init__()
                self.fc = nn.Dense(3)
                self.constant = self.params.get_constant("constant", mx.nd.array(SCALE))

            def hybrid_forward(self, F, x, constant):
                return self.fc(F.broadcast_mul(x, constant))
        """,
    ),
    "that a function of the module makes": (
        """
        def causal(n, value=-1e9):
            return nd.array(np.triu(np.ones((n, n)), k=1) * value)


        class Net(HybridBlock):
            def __init__(self, n):
                super().__init__()
                self.n = n
                self.fc = nn.Dense(n, flatten=False)

            def hybrid_forward(self, F, x):
                size = self.n
                mask = causal(size).expand_dims(0)
                return F.broadcast_add(self.fc(x), mask)
        """,
        """
        def causal(n, value=-1e9):
            return nd.array(np.triu(np.ones((n, n)), k=1) * value)


        class Net(HybridBlock):
            def __init__(self, n):
                super().__init__()
                self.n = n
                self.fc = nn.Dense(n, flatten=False)
                self.mask = self.params.get_constant("mask", causal(self.n).expand_dims(0))

            def hybrid_forward(self, F, x, mask):
                return F.broadcast_add(self.fc(x), mask)
        """,
    ),
    "that a method makes, in an expression": (
        """
        class Net(HybridBlock):
            def __init__(self, n):
                super().__init__()
                self.n = n
                self.fc = nn.Dense(n)

            def _signs(self):
                signs = np.ones(self.n)
                signs[1::2] *= -1
                return nd.array(signs)

            def hybrid_forward(self, F, x):
                return self.fc(x) * self._signs()
        """,
        """
        class Net(HybridBlock):
            def __init__(self, n):
                super().__init__()
                self.n = n
                self.fc = nn.Dense(n)
                self.signs = self.params.get_constant("signs", self._signs())

            def _signs(self):
                signs = np.ones(self.n)
                signs[1::2] *= -1
                return nd.array(signs)

            def hybrid_forward(self, F, x, signs):
                return F.broadcast_mul(self.fc(x), signs)
        """,
    ),
    "that a method fills item by item": (
        """
        class Net(HybridBlock):
            def __init__(self, n):
                super().__init__()
                self.n = n
                self.fc = nn.Dense(n, flatten=False)

            def _band(self, F, width=2):
                band = F.ones((self.n, self.n))
                for i in range(self.n):
                    band[i, i + width:] = 0
                return band.expand_dims(0)

            def hybrid_forward(self, F, x):
                y = self.fc(x)
                return F.broadcast_mul(y, self._band(F, width=3))
        """,
        """
        class Net(HybridBlock):
            def __init__(self, n):
                super().__init__()
                self.n = n
                self.fc = nn.Dense(n, flatten=False)
                self.band = self.params.get_constant("band", self._band(mx.nd, width=3))

            def _band(self, F, width=2):
                band = F.ones((self.n, self.n))
                for i in range(self.n):
                    band[i, i + width:] = 0
                return band.expand_dims(0)

            def hybrid_forward(self, F, x, band):
                y = self.fc(x)
                return F.broadcast_mul(y, band)
        """,
    ),
    "that a function of the module fills": (
        """
        def corner(F, n):
            rows = F.zeros((n, n))
            rows[0, n - 1] = 1
            return rows


        class Net(HybridBlock):
            def __init__(self):
                super().__init__()
                self.fc = nn.Dense(4)

            def hybrid_forward(self, F, x):
                return F.dot(self.fc(x), corner(F, 4).reshape((4, -1)))
        """,
        """
        def corner(F, n):
            rows = F.zeros((n, n))
            rows[0, n - 1] = 1
            return rows


        class Net(HybridBlock):
            def __init__(self):
                super().__init__()
                self.fc = nn.Dense(4)
                self.constant = self.params.get_constant("constant", corner(mx.nd, 4))

            def hybrid_forward(self, F, x, constant):
                return F.dot(self.fc(x), constant.reshape((4, -1)))
        """,
    ),
    "that a function fills for two callers stays": (
        """
        def diagonal(F, n):
            eye = F.zeros((n, n))
            for i in range(n):
                eye[i, i] = 1
            return eye


        class Net(HybridBlock):
            def __init__(self):
                super().__init__()
                self.fc = nn.Dense(4)

            @staticmethod
            def shift(F, n):
                return diagonal(F, n) * 2

            def hybrid_forward(self, F, x):
                return F.dot(self.fc(x), diagonal(F, 4))
        """,
        """
        def diagonal(F, n):
            eye = F.zeros((n, n))
            for i in range(n):
                eye[i, i] = 1
            return eye


        class Net(HybridBlock):
            def __init__(self):
                super().__init__()
                self.fc = nn.Dense(4)

            @staticmethod
            def shift(F, n):
                return diagonal(F, n) * 2

            def hybrid_forward(self, F, x):
                return F.dot(self.fc(x), diagonal(F, 4))
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES.keys())
def test_constants(before: str, after: str) -> None:
    assert fixed_text(HEAD + lines(before) + "\n", unsafe=True).endswith(lines(after) + "\n")


OTHERS = {
    "of random numbers": "nd.array(np.random.rand(3))",
    "of an argument": "nd.array(y)",
    "of an attribute that changes": "nd.array(self.scale)",
    "of a name that is bound twice": "nd.array(TWICE)",
    "of numbers that the code changes": "nd.array(rows)",
    "of drawn numbers, one by one": "nd.array([np.random.rand() for _ in range(3)])",
}


@pytest.mark.parametrize("array", OTHERS.values(), ids=OTHERS.keys())
def test_no_constants(array: str) -> None:
    text = f"""
    TWICE = [1.0, 3.5]
    TWICE = [2.0, 2.5]


    class Net(HybridBlock):
        def __init__(self):
            super().__init__()
            self.scale = [1, 3]
            self.fc = nn.Dense(3)

        def rescale(self, scale):
            self.scale = scale

        def hybrid_forward(self, F, x, y=None):
            rows = np.zeros((3,))
            rows[0] = 1
            return self.fc(x) * {array}
    """
    assert "get_constant" not in fixed_text(HEAD + lines(text) + "\n", unsafe=True)
