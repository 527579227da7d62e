"""``mx.kvstore``: key-value stores that sum what is pushed."""

from hybridlint.runtime.kvstore.base import KVStoreBase
from hybridlint.runtime.kvstore.kvstore import KVStore, create

__all__ = ["KVStore", "KVStoreBase", "create"]
