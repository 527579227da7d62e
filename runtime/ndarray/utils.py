"""``mx.nd.utils``: arrays made, read and written."""

from hybridlint.runtime.ndarray import array, empty, load, load_frombuffer, save, zeros

__all__ = ["array", "empty", "load", "load_frombuffer", "save", "zeros"]
