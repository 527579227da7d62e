"""Small classes that a converted module gets where PyTorch has no layer of that kind."""

from __future__ import annotations

HELPERS = {
    "activation_layer": '''
def activation_layer(name):
    """Return the layer for an activation of Gluon."""
    layers = {"relu": nn.ReLU, "sigmoid": nn.Sigmoid, "tanh": nn.Tanh, "softrelu": nn.Softplus, None: nn.Identity}
    return layers[name]()
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
