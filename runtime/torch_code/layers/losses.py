"""Losses of Gluon, which return one number for each example; those that PyTorch lacks are small classes."""

from __future__ import annotations

from hybridlint.runtime.torch_code.layer_call import LayerCall, TorchLayer, builds


@builds("SoftmaxCrossEntropyLoss", "SoftmaxCELoss")
def _softmax_cross_entropy(call: LayerCall) -> TorchLayer:
    call.only_default("weight", "batch_axis")
    if call.rank in (None, 2) and call.value("axis") in (-1, 1) and not call.value("from_logits"):
        return TorchLayer('nn.CrossEntropyLoss(reduction="none")')
    arguments = [
        f"dim={call.text('axis')}" if call.given("axis") else "",
        "from_logits=True" if call.value("from_logits") else "",
    ]
    return TorchLayer(f"SoftmaxCELoss({', '.join(filter(None, arguments))})")


@builds("CTCLoss")
def _ctc_loss(call: LayerCall) -> TorchLayer:
    call.only_default("weight")
    arguments = [f"{name}={call.text(name)}" for name in ("layout", "label_layout") if call.given(name)]
    return TorchLayer(f"CTCLoss({', '.join(arguments)})")


@builds("TripletLoss", "SquaredHingeLoss")
def _margin_loss(call: LayerCall) -> TorchLayer:
    call.only_default("weight", "batch_axis")
    return TorchLayer(f"{call.kind}({call.text('margin') if call.given('margin') else ''})")


@builds("PoissonNLLLoss")
def _poisson_loss(call: LayerCall) -> TorchLayer:
    call.only_default("weight", "batch_axis", "compute_full")
    return TorchLayer(f"nn.PoissonNLLLoss({'' if call.value('from_logits') else 'log_input=False'})")


@builds("LogisticLoss")
def _logistic_loss(call: LayerCall) -> TorchLayer:
    call.only_default("weight", "batch_axis", "label_format")
    return TorchLayer("LogisticLoss()")


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
