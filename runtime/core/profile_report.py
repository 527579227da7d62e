"""Profiles as MXNet writes them: statistics as a table or JSON, and the events of a trace for Chrome's viewer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from hybridlint.runtime.core.profiling import Happening

#: Orders of the statistics -> the attribute that they depend on.
ORDERS = {"total": "total", "avg": "average", "min": "least", "max": "most", "count": "count"}

_TITLES = ("Total Count", "Time (ms)", "Min Time (ms)", "Max Time (ms)", "Avg Time (ms)")
#: Contexts that a trace lists, whether used or not; the first is that of all operators.
_DEVICES = ("cpu/0", "cpu/1", "cpu pinned/", "cpu shared/")


@dataclass(slots=True)
class Statistic:
    """How often something happened and how long it took in milliseconds; of a counter a thousandth of its values."""

    name: str
    count: int = 0
    total: float = 0.0
    least: float = 0.0
    most: float = 0.0
    counts: bool = False

    def take(self, amount: float) -> None:
        """Add one happening; the total of a counter is its last value."""
        self.least = amount if self.count == 0 else min(self.least, amount)
        self.most = max(self.most, amount) if self.count else amount
        self.total = amount if self.counts else self.total + amount
        self.count += 1

    @property
    def average(self) -> float:
        """The mean time, or half of a counter's range."""
        return (self.most - self.least) / 2 if self.counts else self.total / self.count


def statistics(happened: Iterable[Happening], order: str, ascending: bool) -> dict[str, list[Statistic]]:
    """Return statistics by category, each list in the order asked for. Markers have a category without any."""
    found: dict[str, dict[str, Statistic]] = {}
    for one in happened:
        category = found.setdefault(one.category, {})
        if one.kind != "marker":
            counts = one.kind == "counter"
            statistic = category.setdefault(one.name, Statistic(one.name, counts=counts))
            statistic.take((one.value if counts else one.own) / 1000)

    def key(statistic: Statistic) -> Any:
        return getattr(statistic, ORDERS[order])

    return {name: sorted(found[name].values(), key=key, reverse=not ascending) for name in sorted(found)}


def table(found: dict[str, list[Statistic]]) -> str:
    """Return statistics as text."""
    lines = ["", "Profile Statistics:", "\tNote the difference in units for different entries."]
    for category, rows in found.items():
        lines += [category, "=" * 17, _row("Name", _TITLES), _row("----", ["-" * len(title) for title in _TITLES])]
        for one in rows:
            times = (one.total, one.least, one.most, one.average)
            lines.append(_row(one.name, [str(one.count), *(f"{value:.4f}" for value in times)]))
        lines.append("")
    return "\n".join([*lines, ""])


def _row(name: str, columns: Sequence[str]) -> str:
    count, *times = columns
    return f"{name:<25}{count:>16}" + "".join(f"{column:>17}" for column in times)


def as_json(found: dict[str, list[Statistic]]) -> str:
    """Return statistics as JSON."""
    times = {category: {one.name: _numbers(one) for one in rows} for category, rows in found.items()}
    return json.dumps({"Time": times, "Memory": {}, "Unit": {"Time": "ms", "Memory": "kB"}}, indent=4)


def _numbers(one: Statistic) -> dict[str, float]:
    rounded = {"Total": one.total, "Min": one.least, "Max": one.most, "Avg": one.average}
    return {"Count": one.count, **{name: float(f"{value:.4g}") for name, value in rounded.items()}}


def trace(happened: Sequence[Happening]) -> dict[str, Any]:
    """Return the events for ``chrome://tracing``. Operators run on a device, all else in a process of its category."""
    events: list[dict[str, Any]] = [_process(name, number) for number, name in enumerate(_DEVICES)]
    known: set[str] = set()
    for one in happened:
        place = 0 if one.kind == "operator" else crc32(one.category.encode())
        if place and one.category not in known:
            known.add(one.category)
            events.append(_process(one.category, place))
        events += _events(one, {"pid": place, "tid": one.thread})
    return {"traceEvents": events, "displayTimeUnit": "ms"}


def _process(name: str, number: int) -> dict[str, Any]:
    return {"ph": "M", "args": {"name": name}, "pid": number, "name": "process_name"}


def _events(one: Happening, place: dict[str, int]) -> list[dict[str, Any]]:
    start: dict[str, Any] = {"name": one.name, "cat": one.category, "ts": one.began}
    if one.kind == "counter":
        return [{**start, "ph": "C", "args": {one.name: one.value}, **place}]
    if one.kind == "marker":
        return [{**start, "ph": "n", "s": one.scope[0], **place}]
    # A task may begin in one thread and end in another: its events are told by a number.
    opening, closing = {"task": ("b", "e"), "frame": ("(", ")")}.get(one.kind, ("B", "E"))
    number = {"id": place["tid"]} if one.kind == "task" else {}
    end = {**start, "ts": one.began + one.lasted}
    return [{**start, "ph": opening, **number, **place}, {**end, "ph": closing, **number, **place}]
