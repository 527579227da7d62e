"""``mx.executor_manager``: splitting a batch between contexts. Several devices are not supported here."""

from __future__ import annotations

from collections.abc import Sequence

from hybridlint.runtime.contrib.refused import refused

_REASON = "several devices are not supported; train with mx.mod.Module or with gluon.Trainer"

DataParallelExecutorGroup = refused("executor_manager.DataParallelExecutorGroup", _REASON)
DataParallelExecutorManager = refused("executor_manager.DataParallelExecutorManager", _REASON)


def _split_input_slice(batch_size: int, work_load_list: Sequence[float]) -> list[slice]:
    """Return the slice of a batch for each share of the work. Raises ValueError if one is empty."""
    total = sum(work_load_list)
    counts = [round(share * batch_size / total) for share in work_load_list]
    counts[-1] += max(0, batch_size - sum(counts))
    slices = []
    end = 0
    for count in counts:
        begin, end = min(end, batch_size), min(min(end, batch_size) + count, batch_size)
        if begin >= end:
            raise ValueError("Too many slices. Some splits are empty.")
        slices.append(slice(begin, end))
    return slices
