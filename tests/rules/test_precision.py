"""What released projects write, and no rule reports."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

HEAD = "import mxnet as mx\nimport numpy as np\nfrom mxnet import autograd\n"
HEAD += "from mxnet.gluon import HybridBlock, nn\n\n\nclass Net(HybridBlock):\n"

CLEAN = {
    "draws for each element of what may be a tensor": (
        "def hybrid_forward(self, F, x):\n    low = self.bounds(x)\n"
        "    return F.broadcast_mul(x, F.random.uniform(-low, high=low, dtype='float32'))"
    ),
    "a count that eager runs alone keep and read": (
        "def __init__(self):\n    super().__init__()\n    self.calls = 0\n\n"
        "def hybrid_forward(self, F, x):\n    if F is mx.nd:\n        self.calls += 1\n    y = x / 2\n"
        "    if F is mx.nd and self.calls % 100 == 0:\n        print(y)\n    return y"
    ),
    "a mask that eager runs take from numpy": (
        "def hybrid_forward(self, F, x):\n    if F is mx.nd:\n"
        "        keep = mx.nd.array((x.asnumpy() > 0.5).astype('float32'))\n    else:\n        keep = x > 0.5\n"
        "    return x * keep"
    ),
    "ones that each run makes in its own way": (
        "def hybrid_forward(self, F, x):\n    if F is mx.nd:\n        ones = mx.nd.ones((2, 1)) * 1\n    else:\n"
        "        ones = F.ones_like(F.slice_axis(x, axis=1, begin=0, end=1))\n    return F.broadcast_mul(x, ones)"
    ),
    "a copy by numpy where the graph stops gradients": (
        "def hybrid_forward(self, F, x):\n    if F is mx.nd:\n        y = mx.nd.array((x * 2).asnumpy())\n    else:\n"
        "        y = F.BlockGrad(x * 2)\n    return x * y"
    ),
    "a copy of a constant by numpy": (
        "def __init__(self):\n    super().__init__()\n"
        "    self.table = self.params.get_constant('table', [[1.0, 2.0, 3.0]])\n\n"
        "def hybrid_forward(self, F, x, table):\n    if F is mx.nd:\n        table = mx.nd.array(table.asnumpy())\n"
        "    return F.broadcast_mul(x, table)"
    ),
    "a number of numpy, and an array of it that is a setting": (
        "def __init__(self):\n    super().__init__()\n    self.scale = np.float32(2)\n"
        "    self.shape = np.array([0, -1])\n\n"
        "def hybrid_forward(self, F, x):\n    return F.reshape(x * self.scale, self.shape)"
    ),
    "arguments that are there to be ignored": "def hybrid_forward(self, F, x, *args, **kwargs):\n    return F.relu(x)",
    "arrays on the current context": (
        "def hybrid_forward(self, F, x):\n    ctx = mx.current_context()\n"
        "    return F.broadcast_add(x, F.zeros((1, 3), ctx=ctx) + F.ones((1, 3), ctx=mx.context.current_context()))"
    ),
    "a PReLU of the input, and slopes that nobody learns": (
        "def __init__(self):\n    super().__init__()\n    self.act = nn.PReLU()\n    self.leaky = nn.LeakyReLU(0.1)\n\n"
        "def hybrid_forward(self, F, x):\n    y = self.leaky(self.act(x))\n"
        "    return F.LeakyReLU(F.tanh(y), act_type='leaky') + F.LeakyReLU(F.exp(y), act_type='elu')"
    ),
    "a size of 1 that may be the other's too": (
        "def hybrid_forward(self, F, x, y):\n    return x.expand_dims(-1) + y.expand_dims(-1)"
    ),
    "new axes that may be one": "def hybrid_forward(self, F, x, y):\n    return x.expand_dims(-1) * y.expand_dims(2)",
    "a size of 1 that the caller made": (
        "def loss(self, F, y, mu):\n    return y - mu\n\n"
        "def hybrid_forward(self, F, x, mu):\n    return self.loss(F, x.expand_dims(2), F.exp(mu))"
    ),
    "an operator of one output with keywords that nobody knows": (
        "def __init__(self, **settings):\n    super().__init__()\n    self.settings = settings\n\n"
        "def hybrid_forward(self, F, x, w):\n    y = F.Convolution(x, weight=w, num_filter=4, **self.settings)\n"
        "    return y + y"
    ),
    "a pair out of a list of pairs": (
        "def hybrid_forward(self, F, x, cache):\n    key, value = cache\n"
        "    return F.relu(key), [F.relu(value), F.relu(x)]\n\n\n"
        "class Stack(HybridBlock):\n    def __init__(self):\n        super().__init__()\n"
        "        self.cells = nn.HybridSequential()\n        self.cells.add(Net(), Net())\n\n"
        "    def hybrid_forward(self, F, x, caches):\n        made = []\n"
        "        for cell, cache in zip(self.cells, caches):\n            x, cache = cell(x, cache)\n"
        "            made.append(cache)\n        return F.tanh(x), made"
    ),
    "a child of a list that is registered by a computed name": (
        "def __init__(self):\n    super().__init__()\n    self.heads = [nn.Dense(3)]\n"
        "    self.__setattr__('head' + str(0), self.heads[0])\n\n"
        "def hybrid_forward(self, F, x):\n    return self.heads[0](x)"
    ),
    "levels of a pyramid, each twice as large as the next": (
        "def __init__(self, levels):\n    super().__init__()\n    self.downs = nn.HybridSequential()\n"
        "    for _ in range(levels):\n        self.downs.add(nn.Conv2D(4, 3, strides=2))\n\n"
        "def hybrid_forward(self, F, x):\n    found = []\n    for down in self.downs:\n        x = down(x)\n"
        "        found.append(x)\n    i = len(self.downs) - 1\n"
        "    return found[i - 1] + F.UpSampling(found[i], scale=2, sample_type='nearest')"
    ),
    "a vector of parameters beside a piece cut from a vector": (
        "def __init__(self, units):\n    super().__init__()\n    self.units = units\n"
        "    self.mu = self.params.get('mu', shape=(units,))\n    self.sigma = self.params.get('sigma', shape=(units,))"
        "\n\n"
        "def hybrid_forward(self, F, x, noise, mu, sigma):\n"
        "    drawn = F.sign(F.slice_axis(noise, axis=0, begin=0, end=self.units))\n"
        "    return F.FullyConnected(x, num_hidden=self.units, no_bias=True, weight=mu + sigma * drawn)"
    ),
    "the area of boxes beside a mask with a new axis": (
        "def hybrid_forward(self, F, boxes, kinds):\n"
        "    x1, y1, x2, y2 = F.split(boxes, num_outputs=4, axis=-1)\n"
        "    return (x2 - x1) * (y2 - y1) * F.expand_dims(kinds > 0, axis=2)"
    ),
    "two constants, one made of a list with a setting": (
        "def __init__(self, n):\n    super().__init__()\n    self.n = self.params.get_constant('n', [n])\n"
        "    self.two = self.params.get_constant('two', [2])\n\n"
        "def hybrid_forward(self, F, x, n, two):\n    return F.broadcast_mul(x, two * F.exp(n))"
    ),
    "an empty list beside tensors": "def hybrid_forward(self, F, x):\n    return F.relu(x), []",
    "an input in a branch that the block's own list rules out": (
        "def __init__(self):\n    super().__init__()\n    self.sizes = [1, 2]\n\n"
        "def hybrid_forward(self, F, x):\n    if len(self.sizes) > 1:\n        return x * 2\n    return x"
    ),
    "a child without a prefix beside a parameter called data": (
        "def __init__(self):\n    super().__init__()\n    self.body = nn.Dense(2, prefix='')\n"
        "    self.data = self.params.get('data', shape=(1,))\n\n"
        "def hybrid_forward(self, F, x, data):\n    return F.broadcast_add(self.body(x), data)"
    ),
    "an argument with an element for each child": (
        "def hybrid_forward(self, F, x0, x):\n    for i in range(4):\n        x[i] = self.branches[i](x[i])\n"
        "    return F.relu(x0), self.branches[0](x[0])"
    ),
    "an argument that is zipped with the children": (
        "def hybrid_forward(self, F, x):\n    return [block(each) for block, each in zip(self._children.values(), x)]"
    ),
    "an argument that a list is added to": (
        "def hybrid_forward(self, F, x0, x_rest):\n    x = [x0] + x_rest\n    return [F.relu(x[i]) for i in range(2)]"
    ),
    "what stands with others beside tensors": (
        "def hybrid_forward(self, F, x, extra):\n    return F.concat(x, *extra, dim=1)"
    ),
    "states that the caller may have none of": (
        "def hybrid_forward(self, F, x, hc=None):\n    if hc is None:\n        h = c = F.zeros_like(x)\n"
        "    else:\n        h, c = hc\n    return x + h * c"
    ),
    "a size that the caller knows": (
        "def hybrid_forward(self, F, x, out_size):\n"
        "    return F.contrib.BilinearResize2D(x, height=out_size[0], width=out_size[1])"
    ),
    "a cache with names": "def hybrid_forward(self, F, x, cache):\n    cache['k'] = x\n    return F.relu(cache['k'])",
    "a type that is asked for": (
        "def hybrid_forward(self, F, x):\n    assert type(x) in (list, tuple)\n    x, y = x\n    return F.relu(x) * y"
    ),
    "blocks without parameters, in a list and made on the way": (
        "def __init__(self):\n    super().__init__()\n    self.acts = [nn.Activation('relu'), nn.Dropout(0.1)]\n\n"
        "def hybrid_forward(self, F, x):\n    return nn.LeakyReLU(0.1)(self.acts[0](x)) * 2"
    ),
    "settings of a child": (
        "def __init__(self):\n    super().__init__()\n    self.body = nn.Dense(2)\n\n"
        "def hybrid_forward(self, F, x):\n    self.body.start = 0\n    return self.body(x)"
    ),
    "a hook that does nothing": (
        "def __init__(self):\n    super().__init__()\n    self.body = nn.Dense(2)\n"
        "    self.body.register_forward_hook(lambda block, inputs, output: output * 2)\n\n"
        "def hybrid_forward(self, F, x):\n    return self.body(x)"
    ),
    "a handler that nothing leads to": (
        "def hybrid_forward(self, F, x):\n    try:\n        return x * 2\n    except ValueError:\n        return None"
    ),
    "a constant beside what it makes": (
        "def __init__(self):\n    super().__init__()\n    self.c = self.params.get_constant('c', [[1.0]])\n\n"
        "def hybrid_forward(self, F, x, c):\n    return F.broadcast_add(x, c), c"
    ),
    "the size of a parameter that is told": (
        "def __init__(self):\n    super().__init__()\n    self.body = nn.Dense(2, in_units=3)\n\n"
        "def hybrid_forward(self, F, x):\n    return self.body(x) / self.body.weight.shape[1]"
    ),
    "a mode in which the block only complains": (
        "def hybrid_forward(self, F, x, *args):\n    if args and not autograd.is_training():\n"
        "        raise TypeError('one input')\n    assert autograd.is_training()\n"
        "    mode = autograd.is_training()\n    if not mode:\n        raise ValueError\n    return F.relu(x)"
    ),
    "a list that is emptied before hooks fill it": (
        "def __init__(self, net):\n    super().__init__()\n    self.net = net\n    self.taps = []\n"
        "    net[0].register_forward_hook(self.note)\n\n"
        "def note(self, block, inputs, output):\n    self.taps.append(output)\n\n"
        "def hybrid_forward(self, F, x):\n    self.taps.clear()\n    y = self.net(x)\n"
        "    return y, F.concat(*[F.relu(tap) for tap in self.taps], dim=1)"
    ),
    "a total that begins with nothing": (
        "def __init__(self, count):\n    super().__init__()\n    self.blocks = nn.HybridSequential()\n"
        "    for _ in range(count):\n        self.blocks.add(nn.Dense(2))\n\n"
        "def hybrid_forward(self, F, x):\n    total = None\n    for block in self.blocks:\n"
        "        y = block(x)\n        total = y if total is None else total + y\n    return total, F.relu(x)"
    ),
    "a pause whose results are stopped, beside what was there": (
        "def __init__(self, own):\n    super().__init__()\n    self.own = own\n\n"
        "def hybrid_forward(self, F, x, y):\n    if self.own:\n        box = F.exp(x)\n    else:\n"
        "        box = F.relu(y)\n    with autograd.pause():\n        roi = F.stop_gradient(box * 2)\n"
        "    return roi, box"
    ),
    "what a mask has chosen, beside the mask": (
        "def hybrid_forward(self, F, x, mask):\n    mask = F.expand_dims(mask, axis=-1)\n"
        "    return F.softmax(F.where(mask, x, F.zeros_like(x)), axis=1) * mask"
    ),
    "two new axes, one of them beside a setting": (
        "def __init__(self, k):\n    super().__init__()\n    self.k = k\n\n"
        "def hybrid_forward(self, F, x, y):\n    return self.k * x.expand_dims(1) + y.expand_dims(1)"
    ),
    "a list with a tensor for each output": (
        "def hybrid_forward(self, F, x, weight):\n    return F.add_n(*[F.broadcast_mul(w, one) "
        "for w, one in zip(F.split(F.relu(weight), len(x), axis=0), x)])"
    ),
}

REPORTED = {
    "an array that is moved and passed on": (
        "def __init__(self):\n    super().__init__()\n    self.window = make()\n\n"
        "def hybrid_forward(self, F, x):\n    self.window = self.window.as_in_context(mx.cpu())\n"
        "    return F.dot(x, self.window)",
        "HYB703",
    ),
    "a mode that chooses what is computed": (
        "def hybrid_forward(self, F, x):\n    if autograd.is_training():\n        return x * 2\n    return x * 3",
        "HYB603",
    ),
    "the same without a function that no MXNet has": (
        "def hybrid_forward(self, F, x, label):\n"
        "    loss = F.SoftmaxOutput(x, label.astype(x.dtype))\n    return loss / x.shape[0]",
        "HYB103",
    ),
    "one of two ways on which MXNet lacks a function": (
        "def __init__(self, own):\n    super().__init__()\n    self.own = own\n\n"
        "def hybrid_forward(self, F, x):\n    y = F.SumSquare(x) if self.own else F.square(x)\n"
        "    return y / x.shape[0]",
        "HYB101",
    ),
    "a pause that fills a list": (
        "def hybrid_forward(self, F, x):\n    outs = []\n    with autograd.pause():\n"
        "        outs.append(x * 2)\n    return outs[0] + x",
        "HYB606",
    ),
    "what a mask has chosen, beside a wider one": (
        "def hybrid_forward(self, F, x, mask):\n    return F.where(mask, x, F.zeros_like(x)) * mask.expand_dims(-1)",
        "HYB301",
    ),
    "a list that is emptied after it was read": (
        "def __init__(self):\n    super().__init__()\n    self.seen = []\n\n"
        "def hybrid_forward(self, F, x):\n    n = len(self.seen)\n    self.seen.clear()\n"
        "    self.seen.append(n)\n    return x * n",
        "HYB604",
    ),
    "an empty list alone": ("def hybrid_forward(self, F, x):\n    x = F.relu(x)\n    return [[]]", "HYB807"),
    "a size of 1 beside all of another": (
        "def hybrid_forward(self, F, x, m):\n    return x * m.expand_dims(-1)",
        "HYB301",
    ),
    "every one with every other": (
        "def hybrid_forward(self, F, a, b):\n    return F.maximum(a.expand_dims(1), b.expand_dims(2))",
        "HYB301",
    ),
    "a column that is written out": ("def hybrid_forward(self, F, x, n):\n    return x / n.reshape((-1, 1))", "HYB301"),
    "state that an assertion looks at is only written": (
        "def hybrid_forward(self, F, x):\n    assert self.seen is None or self.seen == 2\n"
        "    self.seen = len(self.name)\n    return F.relu(x)",
        "HYB703",
    ),
    "rows of a tensor": ("def hybrid_forward(self, F, x):\n    h, c = x\n    return h + c", "HYB208"),
    "rows alone": ("def hybrid_forward(self, F, x):\n    return F.concat(*x, dim=0)", "HYB209"),
    "an element of a tensor": ("def hybrid_forward(self, F, x):\n    return F.relu(x[0])", "HYB201"),
    "a child for another element": (
        "def hybrid_forward(self, F, x):\n    return self.branches[0](x[1])",
        "HYB202",
    ),
    "a block with parameters made on the way": (
        "def hybrid_forward(self, F, x):\n    body = nn.Dense(2)\n    body.initialize()\n    return body(x)",
        "HYB809",
    ),
    "a counter on a child": (
        "def __init__(self):\n    super().__init__()\n    self.body = nn.Dense(2)\n    self.body.n = 0\n\n"
        "def hybrid_forward(self, F, x):\n    self.body.n += 1\n    return self.body(x) * self.body.n",
        "HYB604",
    ),
    "an iterator of tensors": ("def hybrid_forward(self, F, x):\n    return zip([x * 2], [x * 3])", "HYB807"),
    "the keys of a dict": ("def hybrid_forward(self, F, x):\n    return list({'a': x * 2})", "HYB807"),
    "a probe that stands alone": (
        "def hybrid_forward(self, F, x):\n    try:\n        x.dtype\n        return x * 2\n"
        "    except AttributeError:\n        return x * 3",
        "HYB406",
    ),
    "data beside parameters that an operator has changed": (
        "def __init__(self, units):\n    super().__init__()\n"
        "    self.scale = self.params.get('scale', shape=(1, units))\n\n"
        "def hybrid_forward(self, F, x, scale):\n    return x * F.exp(scale)",
        "HYB301",
    ),
    "data beside a parameter that is declared by its name": (
        "def __init__(self):\n    super().__init__()\n    for name in ('scale', 'bias'):\n"
        "        setattr(self, name, self.params.get(name, shape=(1,)))\n\n"
        "def hybrid_forward(self, F, x, scale, bias):\n    return F.broadcast_mul(x, scale) + bias",
        "HYB301",
    ),
    "a tensor that only the trace leaves as it is": (
        "def scaled(self, F, y):\n    if not isinstance(y, mx.nd.NDArray):\n        return y\n"
        "    top = y.max(axis=1, keepdims=True)\n    return F.broadcast_div(y, top)\n\n"
        "def hybrid_forward(self, F, x):\n    return self.scaled(F, F.relu(x))",
        "HYB406",
    ),
    "data beside a constant that numpy has reshaped": (
        "def __init__(self, mean):\n    super().__init__()\n"
        "    self.mean = self.params.get_constant('mean', np.array(mean).reshape((1, 3, 1, 1)))\n\n"
        "def hybrid_forward(self, F, x, mean):\n    return x / 255 - mean",
        "HYB301",
    ),
    "a function that another one makes": (
        "pass\n\n\ndef shuffled(groups):\n    def fn(F, x):\n        n, c = x.shape\n"
        "        return x.reshape((n, groups, c // groups))\n    return fn\n\n\n"
        "block = nn.HybridLambda(shuffled(2))",
        "HYB101",
    ),
    "a count in the function that made this one": (
        "pass\n\n\ndef fading(steps):\n    done = 0\n\n    def fn(F, x):\n        nonlocal done\n"
        "        done += 1\n        return x * min(done, steps)\n    return fn\n\n\n"
        "block = nn.HybridLambda(fading(2))",
        "HYB703",
    ),
    "an argument with a name": ("def hybrid_forward(self, F, x, y, *args):\n    return F.relu(x)", "HYB806"),
}


def _codes(body: str) -> list[str]:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return [finding.rule.code for finding in analyze_file(SourceFile(Path("net.py"), HEAD + lines))]


@pytest.mark.parametrize("case", CLEAN)
def test_what_works_is_not_reported(case: str) -> None:
    assert _codes(CLEAN[case]) == []


@pytest.mark.parametrize("case", REPORTED)
def test_what_stands_beside_it_is(case: str) -> None:
    body, code = REPORTED[case]
    assert code in _codes(body)


RESULTS = {"return a * 2": ["HYB609", "HYB208"], "return a, a": ["HYB609"], "b = [a, a]\n        return b": ["HYB609"]}


@pytest.mark.parametrize("result", RESULTS)
def test_functions_of_autograd_give_what_their_forward_returns(result: str) -> None:
    lines = (
        "    def hybrid_forward(self, F, x):\n        a, b = Both()(x)\n        return a + b\n\n\n"
        f"class Both(autograd.Function):\n    def forward(self, a):\n        {result}\n"
    )
    codes = [finding.rule.code for finding in analyze_file(SourceFile(Path("net.py"), HEAD + lines))]
    assert sorted(codes) == sorted(RESULTS[result])


@pytest.mark.parametrize(
    ("product", "severity"), [("F.dot(x, F.transpose(x, axes=(1, 0)))", "error"), ("F.dot(x, y)", "warning")]
)
def test_a_size_of_one_is_spread_before_the_next_operator(product: str, severity: str) -> None:
    lines = (
        f"    def hybrid_forward(self, F, x, y):\n        d = {product}\n        s = F.sum(F.square(x), axis=1)\n"
        "        return F.expand_dims(s, 0) - F.relu(d) + F.expand_dims(s, 1)\n"
    )
    found = analyze_file(SourceFile(Path("net.py"), HEAD + lines))
    assert [finding.severity.value for finding in found if finding.rule.code == "HYB301"] == [severity, severity]


def test_an_array_that_is_only_moved_is_not_frozen() -> None:
    body, _ = REPORTED["an array that is moved and passed on"]
    assert "HYB604" not in _codes(body)


@pytest.mark.parametrize(("reader", "severity"), [("net.weights", "warning"), ("net.others", "info")])
def test_what_nothing_in_the_file_reads_is_only_told(reader: str, severity: str) -> None:
    lines = (
        "    def hybrid_forward(self, F, x):\n        w = F.relu(x)\n        self.weights = w\n        return w * 2\n"
    )
    shown = f"\n\ndef show(net):\n    return {reader}\n"
    found = analyze_file(SourceFile(Path("net.py"), HEAD + lines + shown))
    assert [finding.severity.value for finding in found if finding.rule.code == "HYB703"] == [severity]


COUNTED = "    def __init__(self):\n        super().__init__()\n        self.n = 0\n\n"
IDLE = {
    "a count that is logged, and shown to people": (
        f"{COUNTED}    def hybrid_forward(self, F, x):\n        self.n += 1\n        if self.n % 10 == 0:\n"
        "            print(self.n)\n        return x * 2\n\n"
        "    @property\n    def calls(self):\n        return self.n\n"
    ),
    "a count that only names operators": (
        f"{COUNTED}    def hybrid_forward(self, F, x):\n        self.n += 1\n        prefix = 't%d_' % self.n\n"
        "        y = F.relu(x, name=prefix + 'relu')\n        return F.exp(y, name='e%d' % self.n)\n"
    ),
    "texts that are shown to people": (
        "    def __init__(self):\n        super().__init__()\n        self.kinds = []\n\n"
        "    def hybrid_forward(self, F, x):\n        self.kinds.append(type(x).__name__)\n        return x * 2\n\n"
        "    def seen(self):\n        return list(self.kinds)\n"
    ),
    "a list that each call begins anew": (
        "    def gather(self, x):\n        self.parts = []\n        self.parts.append(x * 2)\n"
        "        self.parts.append(x * 3)\n\n"
        "    def hybrid_forward(self, F, x):\n        self.gather(x)\n"
        "        parts, self.parts = self.parts, None\n        return F.concat(*parts, dim=1)\n"
    ),
    "a count that each call begins anew": (
        f"{COUNTED}    def weight(self):\n        self.n += 1\n        return 1 / self.n\n\n"
        "    def hybrid_forward(self, F, x):\n        self.n = 0\n        return x * self.weight() + self.weight()\n"
    ),
    "what each step of a loop stores for the functions below it": (
        f"{COUNTED}    def step(self, x):\n        return x / (self.n + 1)\n\n"
        "    def hybrid_forward(self, F, x):\n        for i in range(3):\n            self.n = i\n"
        "            x = self.step(x)\n        return x\n"
    ),
    "a table that a property makes once": (
        "    def __init__(self):\n        super().__init__()\n        self._table = None\n\n"
        "    @property\n    def table(self):\n        if self._table is None:\n"
        "            self._table = [1 / (i + 1) for i in range(3)]\n        return self._table\n\n"
        "    def hybrid_forward(self, F, x):\n        return x * sum(self.table)\n"
    ),
    "an array that is shown": (
        "    def hybrid_forward(self, F, x):\n        self.w = F.relu(x)\n        return self.w * 2\n\n"
        "    def weights(self):\n        return self.w\n"
    ),
}
STIRRED = {
    "a count that the call itself goes on": (
        f"{COUNTED}    def hybrid_forward(self, F, x):\n        self.n = self.n + 1\n        return x * self.n\n"
    ),
    "a count that scales, and names operators": (
        f"{COUNTED}    def hybrid_forward(self, F, x):\n        self.n += 1\n        prefix = 't%d_' % self.n\n"
        "        return F.relu(x, name=prefix) * len(prefix)\n"
    ),
    "a count that only some calls begin anew": (
        f"{COUNTED}    def begin(self, x):\n        self.n = len(x.name)\n\n"
        "    def hybrid_forward(self, F, x):\n        if self.first:\n            self.begin(x)\n"
        "        return x * self.n\n"
    ),
    "a list of arrays that is shown": (
        "    def __init__(self):\n        super().__init__()\n        self.outs = []\n\n"
        "    def hybrid_forward(self, F, x):\n        self.outs.append(x * 2)\n        return x * 3\n\n"
        "    def seen(self):\n        return list(self.outs)\n"
    ),
}


@pytest.mark.parametrize("case", IDLE)
def test_state_that_reaches_no_result_is_only_told(case: str) -> None:
    found = analyze_file(SourceFile(Path("net.py"), HEAD + IDLE[case]))
    assert {finding.severity.value for finding in found} <= {"info"}


@pytest.mark.parametrize("case", STIRRED)
def test_state_that_reaches_one_is_more(case: str) -> None:
    found = analyze_file(SourceFile(Path("net.py"), HEAD + STIRRED[case]))
    assert {finding.severity.value for finding in found} & {"warning", "error"}


BEFORE = {
    "an object with a state of its own, made where none is given": (
        "class Rate:\n    def __init__(self):\n        self.calls = 0\n\n"
        "    def __call__(self):\n        self.calls += 1\n        return 1 / self.calls\n",
        "    def __init__(self, rate=None):\n        super().__init__()\n        self.rate = rate or Rate()\n\n"
        "    def hybrid_forward(self, F, x):\n        return x * self.rate()\n",
        "HYB604",
    ),
    "a plural name that only a block of the file gets": (
        "class Encoder(HybridBlock):\n    def hybrid_forward(self, F, x):\n        return F.sqrt(x) * 2\n",
        "    def __init__(self):\n        super().__init__()\n        self.encode = Encoder()\n\n"
        "    def hybrid_forward(self, F, queries):\n        return self.encode(queries) * len(queries)\n",
        "HYB206",
    ),
}


@pytest.mark.parametrize("case", BEFORE)
def test_what_the_class_above_decides(case: str) -> None:
    above, body, code = BEFORE[case]
    text = HEAD.replace("class Net", f"{above}\n\nclass Net") + body
    assert code in [finding.rule.code for finding in analyze_file(SourceFile(Path("net.py"), text))]
