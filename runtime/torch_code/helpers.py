"""Small classes that a converted module gets where PyTorch has no layer of that kind."""

from __future__ import annotations

import re

from hybridlint.runtime.torch_code.detection_helpers import DETECTION_HELPERS
from hybridlint.runtime.torch_code.layer_functions import LAYER_FUNCTIONS

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
        return loss.flatten(1).sum(dim=1)
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
    "SquaredHingeLoss": '''
class SquaredHingeLoss(nn.Module):
    """The squared hinge loss of each example, for labels of -1 and 1."""

    def __init__(self, margin=1):
        super().__init__()
        self.margin = margin

    def forward(self, pred, label):
        loss = F.relu(self.margin - pred * label.reshape(pred.shape)).square()
        return loss.reshape(len(loss), -1).mean(dim=1)
''',
    "LogisticLoss": '''
class LogisticLoss(nn.Module):
    """The logistic loss of each example, for labels of -1 and 1."""

    def forward(self, pred, label):
        label = (label.reshape(pred.shape) + 1) / 2
        loss = F.binary_cross_entropy_with_logits(pred, label, reduction="none")
        return loss.reshape(len(loss), -1).mean(dim=1)
''',
    "TripletLoss": '''
class TripletLoss(nn.Module):
    """The loss of each example by which it is nearer to what is alike than to what is not, in squared distances."""

    def __init__(self, margin=1):
        super().__init__()
        self.margin = margin

    def forward(self, pred, positive, negative):
        gaps = (positive.reshape(pred.shape) - pred).square() - (negative.reshape(pred.shape) - pred).square()
        return F.relu(gaps.flatten(1).sum(dim=1) + self.margin)
''',
    "SoftmaxCELoss": '''
class SoftmaxCELoss(nn.Module):
    """The cross-entropy of each example, averaged over its predictions. Labels are classes or distributions."""

    def __init__(self, dim=-1, from_logits=False):
        super().__init__()
        self.dim = dim
        self.from_logits = from_logits

    def forward(self, pred, label):
        pred = pred if self.from_logits else F.log_softmax(pred, dim=self.dim)
        if label.dim() == pred.dim():
            loss = -(pred * label).sum(dim=self.dim)
        else:
            loss = -pred.gather(self.dim, label.long().unsqueeze(self.dim))
        return loss.reshape(len(loss), -1).mean(dim=1)
''',
    "CTCLoss": '''
class CTCLoss(nn.Module):
    """The CTC loss of each example. The last class is the blank, and labels end at the first negative number."""

    def __init__(self, layout="NTC", label_layout="NT"):
        super().__init__()
        self.layout = layout
        self.label_layout = label_layout

    def forward(self, pred, label, pred_lengths=None, label_lengths=None):
        pred = pred.transpose(0, 1) if self.layout == "NTC" else pred
        label = label if self.label_layout == "NT" else label.t()
        if pred_lengths is None:
            pred_lengths = torch.full((pred.shape[1],), pred.shape[0])
        if label_lengths is None:
            label_lengths = (label >= 0).long().cumprod(dim=1).sum(dim=1)
        return F.ctc_loss(
            F.log_softmax(pred, dim=-1),
            label.long().clamp(min=0),
            pred_lengths.long(),
            label_lengths.long(),
            blank=pred.shape[-1] - 1,
            reduction="none",
        )
''',
    "FixedBatchNorm": '''
class FixedBatchNorm(nn.modules.batchnorm._BatchNorm):
    """A batch normalization that uses its moving statistics in training, too."""

    def forward(self, x):
        return F.batch_norm(x, self.running_mean, self.running_var, self.weight, self.bias, eps=self.eps)
''',
    "crop_like": '''
def crop_like(x, other, center=False, offset=(0, 0)):
    """Return the part of images that is as high and wide as other ones."""
    height, width = other.shape[2:]
    if center:
        offset = (x.shape[2] - height) // 2, (x.shape[3] - width) // 2
    return x[:, :, offset[0] : offset[0] + height, offset[1] : offset[1] + width]
''',
    "topk_with_indices": '''
def topk_with_indices(x, k, dim=-1, largest=True):
    """Return the largest elements along an axis, and their positions as numbers of the same kind."""
    values, indices = x.topk(k, dim=dim, largest=largest)
    return values, indices.to(x.dtype)
''',
    "unroll": '''
def unroll(cell, inputs, states=None, dim=1, merge=True):
    """Run a cell over the steps of a sequence. Return its outputs of all steps, and its last states."""
    outputs = []
    for step in inputs if isinstance(inputs, (list, tuple)) else inputs.unbind(dim):
        states = cell(step, states)
        outputs.append(states[0] if isinstance(states, tuple) else states)
    return torch.stack(outputs, dim) if merge else outputs, states
''',
    "unroll_stack": '''
def unroll_stack(cells, inputs, states=None, dim=1, merge=True):
    """Run a stack of cells over the steps of a sequence. Return its outputs of all steps, and its last states."""
    outputs = []
    for step in inputs if isinstance(inputs, (list, tuple)) else inputs.unbind(dim):
        output, states = cells(step, states)
        outputs.append(output)
    return torch.stack(outputs, dim) if merge else outputs, states
''',
    "SequentialCell": '''
class SequentialCell(nn.Sequential):
    """Recurrent cells on top of each other. Their states are one list: two of each LSTM, one of other cells."""

    def forward(self, x, states=None):
        old, new = list(states or ()), []
        for cell in self:
            if not isinstance(cell, nn.RNNCellBase):
                x = cell(x)
                continue
            own = [old.pop(0) for _ in range(2 if isinstance(cell, nn.LSTMCell) else 1)] if states else []
            state = cell(x, tuple(own) if len(own) == 2 else own[0] if own else None)
            new += state if isinstance(state, tuple) else [state]
            x = state[0] if isinstance(state, tuple) else state
        return x, new
''',
    "run_recurrent": '''
def run_recurrent(layer, x, states):
    """Run a recurrent layer of any kind. Return its output, and its last states in a list."""
    output, last = layer(x, tuple(states) if isinstance(layer, nn.LSTM) else states[0])
    return output, list(last) if isinstance(last, tuple) else [last]
''',
    "begin_state": '''
def begin_state(layer, batch_size):
    """Return the first states of a recurrent layer or cell, or of a stack of cells: zeros."""
    states = []
    for part in layer if isinstance(layer, nn.Sequential) else [layer]:
        if isinstance(part, nn.RNNBase):
            shape = part.num_layers * (2 if part.bidirectional else 1), batch_size, part.hidden_size
        elif isinstance(part, nn.RNNCellBase):
            shape = batch_size, part.hidden_size
        else:
            continue
        zeros = next(part.parameters()).new_zeros(shape)
        states += [zeros] * (2 if isinstance(part, (nn.LSTM, nn.LSTMCell)) else 1)
    return states
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
HELPERS = {**_OF_LAYERS, **LAYER_FUNCTIONS, **DETECTION_HELPERS}


def helpers_of(code: str) -> list[str]:
    """Return the helpers that code calls or passes on, directly or through other helpers, each before its callers.

    A name that the code itself defines is no helper.
    """
    own = set(re.findall(r"^(?:class|def) (\w+)", code, re.MULTILINE))
    texts: dict[str, str] = {}

    def add(text: str) -> None:
        for name, helper in HELPERS.items():
            use = rf"(?<![\w.]){name}{'' if name in LAYER_FUNCTIONS else '[(]'}"
            if name not in {*texts, *own} and helper is not text and re.search(use, text):
                add(helper)
                texts[name] = helper

    add(code)
    return [text.strip() for text in texts.values()]
