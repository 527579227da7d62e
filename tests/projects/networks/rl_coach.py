"""What networks of rl-coach 1.0.1 are made of on MXNet: embedders, middlewares, heads, and losses."""

from __future__ import annotations

import importlib
from typing import Any

from ..drawn import image, mx
from .network import Build, Network, Networks

_PARTS = "rl_coach.architectures.mxnet_components"
_BATCH, _ACTIONS = 3, 4


def _of(module: str, name: str) -> Any:
    return getattr(importlib.import_module(f"rl_coach.{module}"), name)


def _embedder(kind: str, *shape: int, scheme: str = "Medium") -> Build:
    def build(module: Any) -> tuple[Any, list[Any]]:
        parameters = _of("architectures.embedder_parameters", "InputEmbedderParameters")
        chosen = getattr(_of("base_parameters", "EmbedderScheme"), scheme)
        return getattr(module, kind)(params=parameters(scheme=chosen)), [image(*shape).abs()]

    return build


def _middleware(kind: str, *shape: int, **options: Any) -> Build:
    def build(module: Any) -> tuple[Any, list[Any]]:
        parameters = _of("architectures.middleware_parameters", f"{kind}Parameters")
        scheme = _of("base_parameters", "MiddlewareScheme").Medium
        return getattr(module, kind)(params=parameters(scheme=scheme, **options)), [image(*shape)]

    return build


def _head(kind: str, actions: str = "DiscreteActionSpace") -> Build:
    def build(module: Any) -> tuple[Any, list[Any]]:
        action = _of("spaces", actions)(_ACTIONS)
        spaces = _of("spaces", "SpacesDefinition")(state=None, goal=None, action=action, reward=None)
        agent = _of("agents.clipped_ppo_agent", "ClippedPPOAgentParameters")()
        head = getattr(module, kind)(agent_parameters=agent, spaces=spaces, network_name="network")
        return head, [image(_BATCH, 16)]

    return build


def _loss(kind: str, *inputs: Any, **options: Any) -> Build:
    return lambda module: (getattr(module, kind)(**options), [make() for make in inputs])


def _values() -> Any:
    return image(_BATCH)


def _others() -> Any:
    return image(_BATCH) * 0.5 + 0.1


def _several() -> Any:
    return image(_BATCH, _ACTIONS)


def _deviations() -> Any:
    return image(_BATCH, _ACTIONS).abs() + 0.5


def _odds() -> Any:
    return image(_BATCH, _ACTIONS).softmax()


def _other_odds() -> Any:
    return (2 * image(_BATCH, _ACTIONS)).softmax()


def _taken() -> Any:
    return mx.nd.arange(_BATCH)


def _scale() -> Any:
    return mx.nd.ones((1,))


_CLIPPED: dict[str, Any] = {"num_actions": _ACTIONS, "clip_likelihood_ratio_using_epsilon": 0.2}
_BUILDS: dict[str, tuple[str, Build]] = {
    "ImageEmbedder": ("embedders.image_embedder", _embedder("ImageEmbedder", _BATCH, 84, 84, 3)),
    "ImageEmbedder, shallow": ("embedders.image_embedder", _embedder("ImageEmbedder", 2, 84, 84, 3, scheme="Shallow")),
    "VectorEmbedder": ("embedders.vector_embedder", _embedder("VectorEmbedder", _BATCH, 10)),
    "VectorEmbedder, deep": ("embedders.vector_embedder", _embedder("VectorEmbedder", _BATCH, 10, scheme="Deep")),
    "FCMiddleware": ("middlewares.fc_middleware", _middleware("FCMiddleware", _BATCH, 10)),
    "LSTMMiddleware": (
        "middlewares.lstm_middleware",
        _middleware("LSTMMiddleware", _BATCH, 5, 10, number_of_lstm_cells=8),
    ),
    "QHead": ("heads.q_head", _head("QHead")),
    "VHead": ("heads.v_head", _head("VHead")),
    "PPOHead": ("heads.ppo_head", _head("PPOHead")),
    "PPOHead, continuous": ("heads.ppo_head", _head("PPOHead", "BoxActionSpace")),
    "PPOVHead": ("heads.ppo_v_head", _head("PPOVHead")),
    "QHeadLoss": ("heads.q_head", _loss("QHeadLoss", _several, _odds)),
    "VHeadLoss": ("heads.v_head", _loss("VHeadLoss", _values, _others)),
    "PPOVHeadLoss": (
        "heads.ppo_v_head",
        _loss("PPOVHeadLoss", _values, _others, _values, clip_likelihood_ratio_using_epsilon=0.1),
    ),
    "ClippedPPOLossDiscrete": (
        "heads.ppo_head",
        _loss("ClippedPPOLossDiscrete", _odds, _taken, _other_odds, _scale, _values, **_CLIPPED),
    ),
    "ClippedPPOLossDiscrete, divergence": (
        "heads.ppo_head",
        _loss(
            "ClippedPPOLossDiscrete",
            *(_odds, _taken, _other_odds, _scale, _values),
            **{**_CLIPPED, "use_kl_regularization": True, "initial_kl_coefficient": 0.5},
        ),
    ),
    "ClippedPPOLossContinuous": (
        "heads.ppo_head",
        _loss(
            "ClippedPPOLossContinuous",
            *(_several, _deviations, _odds, _several, _deviations, _scale, _values),
            **_CLIPPED,
        ),
    ),
}

NETWORKS: Networks = {name: Network(f"{_PARTS}.{module}", build) for name, (module, build) in _BUILDS.items()}
