"""``mx.gluon.model_zoo``: known networks, and where their weights are kept."""

from hybridlint.runtime.gluon.model_zoo import model_store, vision

__all__ = ["model_store", "vision"]
