"""Normalization layers."""

from __future__ import annotations

from hybridlint.runtime.torch_code.errors import NoTranslationError
from hybridlint.runtime.torch_code.layer_call import LayerCall, TorchLayer, builds, written
from hybridlint.runtime.torch_code.texts import infix, number

#: Initial values of the parameters, which both libraries set to the same by default.
_STARTS = {"gamma_initializer": "weight", "beta_initializer": "bias"}


def _epsilon(call: LayerCall) -> str:
    return f"eps={call.text('epsilon')}" if call.given("epsilon") else ""


def _momentum(call: LayerCall) -> str:
    if not call.given("momentum"):
        return ""
    argument = call.arguments["momentum"]
    return f"momentum={number(1 - argument.value) if argument.known else infix('1', '-', argument.text)}"


def _affine(call: LayerCall) -> tuple[str, tuple[str, ...]]:
    """Return the argument for a layer without scale and offset, and statements that keep one of them as it is."""
    center, scale = call.value("center"), call.value("scale")
    if not center and not scale:
        return "affine=False", ()
    fixed = [f"{{}}.{name}.requires_grad_(False)" for name, on in (("weight", scale), ("bias", center)) if not on]
    return "", tuple(fixed)


@builds("BatchNorm", "SyncBatchNorm")
def _batch_norm(call: LayerCall) -> TorchLayer:
    if call.given("axis") and call.value("axis") != 1:
        raise NoTranslationError(f"`BatchNorm` over axis {call.text('axis')}: PyTorch's layers take axis 1")
    call.only_default("running_mean_initializer", "running_variance_initializer")
    if call.value("use_global_stats"):
        return _fixed_statistics(call)
    rank = call.rank
    # Without a run, images are the likeliest.
    axes = {2: 1, 3: 1, 4: 2, 5: 3}.get(rank or 4)
    if axes is None:
        raise NoTranslationError(f"`BatchNorm` of tensors with {rank} axes")
    size = call.size("in_channels")
    affine, fixed = _affine(call)
    name = f"nn.{'Lazy' if size is None else ''}BatchNorm{axes}d"
    text = written(name, size or "", _epsilon(call), _momentum(call), affine)
    return TorchLayer(text, starts=(*call.starts(**_STARTS), *fixed), lazy=size is None)


def _fixed_statistics(call: LayerCall) -> TorchLayer:
    """Return a normalization that uses its moving statistics in training, too."""
    affine, fixed = _affine(call)
    text = written("FixedBatchNorm", call.needed_size("in_channels"), _epsilon(call), affine)
    return TorchLayer(text, starts=(*call.starts(**_STARTS), *fixed))


@builds("LayerNorm")
def _layer_norm(call: LayerCall) -> TorchLayer:
    if call.given("axis") and call.value("axis") != (call.rank or 0) - 1:
        raise NoTranslationError(f"`LayerNorm` over axis {call.text('axis')}: PyTorch's takes the last axes")
    affine, fixed = _affine(call)
    affine = affine.replace("affine", "elementwise_affine")
    text = written("nn.LayerNorm", call.needed_size("in_channels"), _epsilon(call), affine)
    return TorchLayer(text, starts=(*call.starts(**_STARTS), *fixed))


@builds("GroupNorm")
def _group_norm(call: LayerCall) -> TorchLayer:
    affine, fixed = _affine(call)
    groups = call.text("num_groups")
    text = written("nn.GroupNorm", groups, call.needed_size("in_channels"), _epsilon(call), affine)
    return TorchLayer(text, starts=(*call.starts(**_STARTS), *fixed))


@builds("InstanceNorm")
def _instance_norm(call: LayerCall) -> TorchLayer:
    call.only_default("axis")
    axes = {3: 1, 4: 2, 5: 3}.get(call.rank or 4)
    if axes is None:
        raise NoTranslationError(f"`InstanceNorm` of tensors with {call.rank} axes")
    affine, fixed = _affine(call)
    size = call.size("in_channels")
    name = f"nn.{'Lazy' if size is None else ''}InstanceNorm{axes}d"
    text = written(name, size or "", _epsilon(call), "" if affine else "affine=True")
    return TorchLayer(text, starts=(*call.starts(**_STARTS), *fixed), lazy=size is None)
