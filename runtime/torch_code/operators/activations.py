"""Activations, softmax, dropout and the outputs of losses."""

from __future__ import annotations

from hybridlint.runtime.torch_code.call import OperatorCall
from hybridlint.runtime.torch_code.errors import NoTranslationError
from hybridlint.runtime.torch_code.table import translates
from hybridlint.runtime.torch_code.texts import infix, number

#: MXNet's name -> the function that PyTorch's users call.
ACTIVATIONS = {
    "relu": "F.relu", "sigmoid": "torch.sigmoid", "tanh": "torch.tanh", "softrelu": "F.softplus",
    "softsign": "F.softsign",
}  # fmt: skip


@translates("Activation")
def _activation(call: OperatorCall) -> str:
    kind = call.params["act_type"]
    if not kind.known:
        return f"activation_layer({kind.text})({call.arg(0)})"
    if kind.value not in ACTIVATIONS:
        raise NoTranslationError(f"the activation {kind.value!r}")
    return f"{ACTIVATIONS[kind.value]}({call.arg(0)})"


@translates("relu")
def _relu(call: OperatorCall) -> str:
    return f"F.relu({call.arg(0)})"


@translates("softsign")
def _softsign(call: OperatorCall) -> str:
    return f"F.softsign({call.arg(0)})"


@translates("hard_sigmoid")
def _hard_sigmoid(call: OperatorCall) -> str:
    scaled = infix(infix(call.text("alpha"), "*", call.arg(0)), "+", call.text("beta"))
    return f"({scaled}).clamp(0, 1)"


@translates("LeakyReLU")
def _leaky_relu(call: OperatorCall) -> str:
    kind = call.value("act_type")
    if kind == "leaky":
        return f"F.leaky_relu({call.arg(0)}, {call.text('slope')})"
    if kind == "elu":
        alpha = call.text("slope")
        return f"F.elu({call.arg(0)})" if alpha in ("1", "1.0") else f"F.elu({call.arg(0)}, {alpha})"
    if kind == "prelu":
        return f"F.prelu({call.arg(0)}, {call.arg(1)})"
    if kind in ("gelu", "selu"):
        return f"F.{kind}({call.arg(0)})"
    raise NoTranslationError(f"`LeakyReLU` of the kind {kind!r}")


def _scaled(call: OperatorCall) -> str:
    """Return the data, divided by the temperature."""
    call.only_default("dtype", "use_length")
    return infix(call.arg(0), "/", call.text("temperature")) if call.given("temperature") else call.arg(0)


@translates("softmax")
def _softmax(call: OperatorCall) -> str:
    return f"F.softmax({_scaled(call)}, dim={call.text('axis')})"


@translates("log_softmax")
def _log_softmax(call: OperatorCall) -> str:
    return f"F.log_softmax({_scaled(call)}, dim={call.text('axis')})"


@translates("softmin")
def _softmin(call: OperatorCall) -> str:
    return f"F.softmin({_scaled(call)}, dim={call.text('axis')})"


@translates("SoftmaxActivation")
def _softmax_activation(call: OperatorCall) -> str:
    if call.value("mode") == "channel":
        return f"F.softmax({call.arg(0)}, dim=1)"
    if call.rank() == 2:
        return f"F.softmax({call.arg(0)}, dim=1)"
    raise NoTranslationError("`SoftmaxActivation` over each example as a whole")


@translates("SoftmaxOutput")
def _softmax_output(call: OperatorCall) -> str:
    """Softmax, as when predicting; the label is for MXNet's own gradient."""
    if call.flag("multi_output"):
        return f"F.softmax({call.arg(0)}, dim=1)"
    return f"F.softmax({call.arg(0)}, dim=-1)"


@translates("LinearRegressionOutput", "MAERegressionOutput", "SVMOutput")
def _linear_output(call: OperatorCall) -> str:
    return call.arg(0)


@translates("LogisticRegressionOutput")
def _logistic_output(call: OperatorCall) -> str:
    return f"torch.sigmoid({call.arg(0)})"


@translates("Dropout")
def _dropout(call: OperatorCall) -> str:
    call.only_default("axes")
    training = "" if call.value("mode") == "always" else ", self.training"
    return f"F.dropout({call.arg(0)}, {call.text('p')}{training})"


#: Up to here, PyTorch's least norm and what MXNet adds to the squared norm make no difference.
_TINY = 1e-6


@translates("L2Normalization")
def _l2_normalization(call: OperatorCall) -> str:
    mode = call.value("mode")
    eps = number(call.value("eps")) if "eps" not in call.params or call.params["eps"].known else call.text("eps")
    if mode == "instance":
        rank = call.rank()
        dims = "1" if rank == 2 else f"tuple(range(1, {call.x}.dim()))" if rank is None else _axes(1, rank)
    elif mode == "channel":
        dims = "1"
    else:
        dims = _axes(2, call.needed_rank())
    if isinstance(call.value("eps"), float) and call.value("eps") <= _TINY:
        return f"F.normalize({call.arg(0)}, dim={dims})"
    total = f"{call.x}.square().sum({dims}, keepdim=True)"
    return infix(call.arg(0), "/", f"({total} + {eps}).sqrt()")


def _axes(first: int, rank: int) -> str:
    axes = list(range(first, rank))
    return str(axes[0]) if len(axes) == 1 else f"({', '.join(map(str, axes))})"


@translates("LRN")
def _lrn(call: OperatorCall) -> str:
    size, alpha, beta, k = (call.text(name) for name in ("nsize", "alpha", "beta", "knorm"))
    return f"F.local_response_norm({call.arg(0)}, {size}, alpha={alpha}, beta={beta}, k={k})"
