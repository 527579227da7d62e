"""``mx.contrib.text``: vocabularies and vectors of words."""

from hybridlint.runtime.contrib.text import embedding, utils, vocab

__all__ = ["embedding", "utils", "vocab"]
