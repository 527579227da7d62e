"""Monte Carlo dropout: layers that drop out in every mode, in place of a scope that no graph keeps."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed_text, lines

HEAD = "from mxnet import autograd\nfrom mxnet.gluon import HybridBlock, nn\n\n\n"
NET = """
class Net(HybridBlock):
    def __init__(self, rate=0.5):
        super().__init__()
        self.fc = nn.Dense(4)
        self.drop = {drop}  # active in every mode
        {more}

    def once(self, x):
        return self.drop(self.fc(x))

    def hybrid_forward(self, F, x):
        with autograd.train_mode():
            draws = [{call}(x) for _ in range(3)]  # as at training
        return F.stack(*draws).mean(axis=0){behind}
"""
LAMBDA = 'nn.HybridLambda(lambda F, x: F.Dropout(x, p={rate}, mode="always"))'


def _net(
    drop: str = "nn.Dropout(rate)", call: str = "self.once", more: str = "self.rate = rate", behind: str = ""
) -> str:
    return HEAD + lines(NET.format(drop=drop, call=call, more=more, behind=behind)) + "\n"


@pytest.mark.parametrize(
    ("drop", "rate"), [("nn.Dropout(rate)", "rate"), ("nn.Dropout(0.3)", "0.3"), ("nn.Dropout(rate=rate)", "rate")]
)
def test_layers_of_the_scope_drop_out_always(drop: str, rate: str) -> None:
    fixed = fixed_text(_net(drop))
    assert "autograd" not in fixed
    assert "        draws = [self.once(x) for _ in range(3)]  # as at training\n" in fixed
    assert LAMBDA.format(rate=rate) in "".join(line.strip() for line in fixed.splitlines())


def test_layers_in_a_container_keep_their_places() -> None:
    more = "self.body = nn.HybridSequential(); self.body.add(nn.Dense(2), nn.Dropout(rate), nn.Dense(1))"
    fixed = fixed_text(_net("nn.Dense(2)", "self.body", more))
    assert f"self.body.add(nn.Dense(2), {LAMBDA.format(rate='rate')}, nn.Dense(1))".replace(" ", "") in "".join(
        fixed.split()
    )


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(_net(behind=" + self.drop(x)"), id="the layer is used outside of the scope too"),
        pytest.param(_net(behind=" + self.once(x)"), id="so is the method that calls it"),
        pytest.param(_net(call="self.norm", more="self.norm = nn.BatchNorm()"), id="another layer asks for the mode"),
        pytest.param(_net(more="rate = 0.1"), id="the rate changes before the lambda reads it"),
        pytest.param(_net("nn.Dropout(self.rate)"), id="the rate is an attribute, which may change"),
        pytest.param(_net(call="self.other", more="self.other = rate"), id="what is called is not known"),
    ],
)
def test_other_scopes_stay(text: str) -> None:
    assert "HybridLambda" not in fixed_text(text)
