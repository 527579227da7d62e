"""Graphs as matrices in compressed rows, whose elements are the numbers of edges."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hybridlint.runtime.facts.storage import Csr, Fallback, Storage


def _needs_csr(result: str, name: str) -> Callable[[Sequence[str], Mapping[str, Any]], str | Fallback]:
    def infer(stypes: Sequence[str], params: Mapping[str, Any]) -> str | Fallback:
        if stypes[0] != "csr":
            raise ValueError(f"{name} is not implemented for storage type {stypes[0]}, only for csr")
        return result

    return infer


def _edges(kernel: Callable[..., Any], xp: Any, data: Csr, u: Any, v: Any) -> Any:
    found = xp.full(len(u), -1, data.dtype)
    rows, columns = u.astype("int64"), v.astype("int64")
    for k in xp.flatnonzero((rows >= 0) & (rows < data.shape[0])):
        start, stop = data.indptr[rows[k]], data.indptr[rows[k] + 1]
        places = start + xp.flatnonzero(data.indices[start:stop] == columns[k])
        if len(places):
            found[k] = data.data[places[0]]
    return found


#: The numbers of the edges between vertices.
EDGE_NUMBERS = Storage(_needs_csr("default", "_contrib_edge_id"), _edges, from_dense=True, only=True)


def _adjacent(kernel: Callable[..., Any], xp: Any, data: Csr) -> Csr:
    return data.with_data(xp.ones(len(data.data), "float32"))


#: Ones in place of the numbers of edges.
ADJACENCY = Storage(_needs_csr("csr", "_contrib_dgl_adjacency"), _adjacent, from_dense=True, only=True)
