"""``mx.contrib.text``: vocabularies and word vectors."""

from hybridlint.runtime.contrib.text import embedding, utils, vocab

__all__ = ["embedding", "utils", "vocab"]
