"""``mx.gluon.model_zoo``: predefined networks, and files of their pretrained weights."""

from hybridlint.runtime.gluon.model_zoo import model_store, vision

__all__ = ["model_store", "vision"]
