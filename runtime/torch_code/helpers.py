"""Small classes that a converted module gets where PyTorch has no layer of that kind."""

from __future__ import annotations

import re

from hybridlint.runtime.torch_code.detection_helpers import DETECTION_HELPERS

_OF_LAYERS = {
    "activation_layer": '''
def activation_layer(name):
    """Return the layer for an activation of Gluon."""
    layers = {"relu": nn.ReLU, "sigmoid": nn.Sigmoid, "tanh": nn.Tanh, "softrelu": nn.Softplus, None: nn.Identity}
    return layers[name]()
''',
    "L1Loss": '''
class L1Loss(nn.Module):
    """The absolute error of each example."""

    def forward(self, pred, label):
        loss = (pred - label.reshape(pred.shape)).abs()
        return loss.reshape(len(loss), -1).mean(dim=1)
''',
    "L2Loss": '''
class L2Loss(nn.Module):
    """Half of the squared error of each example."""

    def forward(self, pred, label):
        loss = 0.5 * (pred - label.reshape(pred.shape)).square()
        return loss.reshape(len(loss), -1).mean(dim=1)
''',
    "SigmoidBCELoss": '''
class SigmoidBCELoss(nn.Module):
    """The cross-entropy of each example, for scores before the sigmoid."""

    def forward(self, pred, label):
        loss = F.binary_cross_entropy_with_logits(pred, label.reshape(pred.shape).float(), reduction="none")
        return loss.reshape(len(loss), -1).mean(dim=1)
''',
    "KLDivLoss": '''
class KLDivLoss(nn.Module):
    """The Kullback-Leibler divergence of each example, from logarithms of probabilities."""

    def forward(self, pred, label):
        loss = label * (torch.log(label + 1e-12) - pred)
        return loss.reshape(len(loss), -1).mean(dim=1)
''',
    "HuberLoss": '''
class HuberLoss(nn.Module):
    """The error of each example, squared up to a bound."""

    def __init__(self, rho=1):
        super().__init__()
        self.rho = rho

    def forward(self, pred, label):
        error = (pred - label.reshape(pred.shape)).abs()
        loss = torch.where(error > self.rho, error - 0.5 * self.rho, 0.5 / self.rho * error.square())
        return loss.reshape(len(loss), -1).mean(dim=1)
''',
    "HingeLoss": '''
class HingeLoss(nn.Module):
    """The hinge loss of each example, for labels of -1 and 1."""

    def __init__(self, margin=1):
        super().__init__()
        self.margin = margin

    def forward(self, pred, label):
        loss = F.relu(self.margin - pred * label.reshape(pred.shape))
        return loss.reshape(len(loss), -1).mean(dim=1)
''',
    "topk_with_indices": '''
def topk_with_indices(x, k, dim=-1, largest=True):
    """Return the largest elements along an axis, and their positions as numbers of the same kind."""
    values, indices = x.topk(k, dim=dim, largest=largest)
    return values, indices.to(x.dtype)
''',
    "unroll": '''
def unroll(cell, inputs, states=None, dim=1):
    """Run a cell over the steps of a sequence. Return its outputs of all steps, and its last states."""
    outputs = []
    for step in inputs.unbind(dim):
        states = cell(step, states)
        outputs.append(states[0] if isinstance(states, tuple) else states)
    return torch.stack(outputs, dim), states
''',
    "Concurrent": '''
class Concurrent(nn.Sequential):
    """Runs layers on the same input, and joins their outputs along an axis."""

    def __init__(self, dim=-1):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        return torch.cat([layer(x) for layer in self], dim=self.dim)
''',
    "_apply_weighting": '''
def _apply_weighting(loss, weight=None, sample_weight=None):
    """Return a loss that is multiplied by weights, of all samples and of each."""
    if sample_weight is not None:
        loss = loss * sample_weight
    return loss if weight is None else loss * weight
''',
    "Lambda": '''
class Lambda(nn.Module):
    """Calls a function."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)
''',
}

#: Classes and functions by name.
HELPERS = {**_OF_LAYERS, **DETECTION_HELPERS}


def helpers_of(code: str) -> list[str]:
    """Return the helpers that code calls, directly or through other helpers, each before its callers."""
    texts: dict[str, str] = {}

    def add(text: str) -> None:
        for name, helper in HELPERS.items():
            if name not in texts and helper is not text and re.search(rf"(?<![\w.]){name}\(", text):
                add(helper)
                texts[name] = helper

    add(code)
    return [text.strip() for text in texts.values()]
