"""Losses of Gluon, which return one number for each example; those that PyTorch lacks are small classes."""

from __future__ import annotations

from hybridlint.runtime.torch_code.errors import NoTranslationError
from hybridlint.runtime.torch_code.layer_call import LayerCall, TorchLayer, builds


@builds("SoftmaxCrossEntropyLoss", "SoftmaxCELoss")
def _softmax_cross_entropy(call: LayerCall) -> TorchLayer:
    call.only_default("sparse_label", "from_logits", "weight", "batch_axis")
    if call.rank not in (None, 2) or call.value("axis") not in (-1, 1):
        raise NoTranslationError("`SoftmaxCrossEntropyLoss` of more than one prediction for an example")
    return TorchLayer('nn.CrossEntropyLoss(reduction="none")')


@builds("L1Loss", "L2Loss", "HuberLoss", "HingeLoss", "SigmoidBCELoss", "SigmoidBinaryCrossEntropyLoss", "KLDivLoss")
def _loss(call: LayerCall) -> TorchLayer:
    """Return the class that `helpers` has for a loss with its usual arguments."""
    call.only_default("weight", "batch_axis", "from_sigmoid", "from_logits", "axis")
    kind = "SigmoidBCELoss" if call.kind.startswith("Sigmoid") else call.kind
    if kind == "HuberLoss":
        return TorchLayer(f"HuberLoss({call.text('rho')})" if call.given("rho") else "HuberLoss()")
    if kind == "HingeLoss":
        return TorchLayer(f"HingeLoss({call.text('margin')})" if call.given("margin") else "HingeLoss()")
    return TorchLayer(f"{kind}()")
