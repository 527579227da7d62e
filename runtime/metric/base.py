"""The base of metrics, and metrics that combine other metrics or call functions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

from hybridlint.runtime.base import _as_list
from hybridlint.runtime.ndarray.ndarray import NDArray

_metrics: dict[str, type[EvalMetric]] = {}
M = TypeVar("M", bound="type[EvalMetric]")


def register(klass: M) -> M:
    """Make a metric known to `create` under its name in lower case."""
    _metrics[klass.__name__.lower()] = klass
    return klass


def alias(*names: str) -> Callable[[M], M]:
    """Make a metric known under further names."""

    def decorate(klass: M) -> M:
        _metrics.update(dict.fromkeys(names, klass))
        return register(klass)

    return decorate


def create(metric: Any, *args: Any, **kwargs: Any) -> EvalMetric:
    """Return a metric from its name, its configuration (also as JSON), a function, or a list of these.

    Raises AssertionError for an unknown name.
    """
    if isinstance(metric, EvalMetric):
        return metric
    if isinstance(metric, str) and metric.startswith("{"):
        metric = json.loads(metric)
    if isinstance(metric, Mapping):
        given = dict(metric)
        return create(given.pop("metric"), **given)
    if isinstance(metric, (list, tuple)):
        composite = CompositeEvalMetric()
        for one in metric:
            composite.add(create(one, *args, **kwargs))
        return composite
    if callable(metric):
        return CustomMetric(metric, *args, **kwargs)
    found = _metrics.get(str(metric).lower())
    if found is None:
        raise AssertionError(f"{metric} is no metric; known are {sorted(_metrics)}")
    return found(*args, **kwargs)


def check_label_shapes(labels: Any, preds: Any, wrap: bool = False, shape: bool = False) -> tuple[Any, Any]:
    """Raise ValueError if labels and predictions differ in number, or in shape; with `wrap` return lists."""
    sizes = (labels.shape, preds.shape) if shape else (len(labels), len(preds))
    if sizes[0] != sizes[1]:
        raise ValueError(f"Shape of labels {sizes[0]} does not match shape of predictions {sizes[1]}")
    if not wrap:
        return labels, preds
    return ([labels], [preds]) if isinstance(labels, NDArray) else (labels, preds)


def pairs(labels: Any, preds: Any) -> list[tuple[Any, Any]]:
    """Return numpy pairs of labels and predictions. Raises ValueError if their numbers differ.

    Raises AttributeError for anything but MXNet's arrays, numpy's too, as MXNet's metrics do.
    """
    return [(label.asnumpy(), pred.asnumpy()) for label, pred in array_pairs(labels, preds)]


def array_pairs(labels: Any, preds: Any) -> list[tuple[Any, Any]]:
    """Return pairs of labels and predictions. Raises ValueError if their numbers differ."""
    left, right = (_as_list(arrays) for arrays in (labels, preds))
    check_label_shapes(left, right)
    return list(zip(left, right, strict=True))


class EvalMetric:
    """The base of metrics: an average since the last reset, and with `has_global_stats` one since the last full reset.

    Subclasses define ``update(labels, preds)``.
    """

    def __init__(
        self,
        name: str,
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> None:
        self.name = str(name)
        self.output_names = output_names
        self.label_names = label_names
        self._has_global_stats = bool(kwargs.pop("has_global_stats", False))
        self._kwargs = kwargs
        self.reset()

    def __str__(self) -> str:
        return f"EvalMetric: {dict(self.get_name_value())}"

    def get_config(self) -> dict[str, Any]:
        """Return the metric's constructor arguments."""
        names = {"name": self.name, "output_names": self.output_names, "label_names": self.label_names}
        return {**self._kwargs, "metric": type(self).__name__, **names}

    def update_dict(self, label: Mapping[str, Any], pred: Mapping[str, Any]) -> None:
        """Update the metric with the labels and predictions of a batch by name."""
        labels = [label[n] for n in self.label_names] if self.label_names is not None else list(label.values())
        preds = [pred[n] for n in self.output_names] if self.output_names is not None else list(pred.values())
        self.update(labels, preds)

    def update(self, labels: Any, preds: Any) -> None:
        """Update the metric with the labels and predictions of a batch."""
        raise NotImplementedError(f"{type(self).__name__} does not implement update")

    def reset(self) -> None:
        """Forget everything."""
        self.num_inst, self.sum_metric = 0, 0.0
        self.global_num_inst, self.global_sum_metric = 0, 0.0

    def reset_local(self) -> None:
        """Forget all but the global average."""
        self.num_inst, self.sum_metric = 0, 0.0

    def _value_(self, total: float, count: int) -> float:
        """Return the metric from a sum and a number of instances."""
        return total / count

    def get(self) -> tuple[Any, Any]:
        """Return name and value; nan before the first batch."""
        return self.name, self._value_(self.sum_metric, self.num_inst) if self.num_inst else float("nan")

    def get_global(self) -> tuple[Any, Any]:
        """Return name and value since the last full reset; of a metric that keeps none, since the last reset."""
        if not self._has_global_stats:
            return self.get()
        if not self.global_num_inst:
            return self.name, float("nan")
        return self.name, self._value_(self.global_sum_metric, self.global_num_inst)

    def get_name_value(self) -> list[tuple[str, float]]:
        """Return pairs of names and values."""
        return _named(self.get())

    def get_global_name_value(self) -> list[tuple[str, float]]:
        """Return pairs of names and values since the last full reset; of a metric that keeps none, since the last."""
        return _named(self.get_global()) if self._has_global_stats else self.get_name_value()


class TrackedMetric(EvalMetric):
    """The base of MXNet's own metrics, which add to both averages with `_add_`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, has_global_stats=True, **kwargs)

    def _add_(self, total: float, count: int) -> None:
        self.sum_metric += total
        self.global_sum_metric += total
        self.num_inst += count
        self.global_num_inst += count


def number_of(value: Any) -> Any:
    """Return a metric's value as a number: an array of one element, which numpy 2 writes as none, too."""
    return value.item() if getattr(value, "ndim", 0) and value.size == 1 and hasattr(value, "item") else value


def _named(found: tuple[Any, Any]) -> list[tuple[str, float]]:
    names, values = map(_as_list, found)
    return list(zip(names, values, strict=True))


@alias("composite")
class CompositeEvalMetric(TrackedMetric):
    """Several metrics at once."""

    def __init__(
        self,
        metrics: Sequence[Any] | None = None,
        name: str = "composite",
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        self.metrics = [create(metric) for metric in metrics or ()]
        super().__init__(name, output_names, label_names)

    def get_config(self) -> dict[str, Any]:
        """Return the constructor arguments, including those of the contained metrics."""
        return {**super().get_config(), "metrics": [metric.get_config() for metric in self.metrics]}

    def add(self, metric: Any) -> None:
        """Add a metric, or an argument of `create` for a metric."""
        self.metrics.append(create(metric))

    def get_metric(self, index: int) -> EvalMetric | ValueError:
        """Return a metric by index. For an invalid index the ValueError is returned, not raised, as in MXNet."""
        try:
            return self.metrics[index]
        except IndexError:
            return ValueError(f"Metric index {index} is out of range 0 and {len(self.metrics)}")

    def update_dict(self, labels: Mapping[str, Any], preds: Mapping[str, Any]) -> None:
        """Update the metric with the labels and predictions of a batch by name."""
        for metric in self.metrics:
            metric.update_dict(labels, preds)

    def update(self, labels: Any, preds: Any) -> None:
        """Update the metric with the labels and predictions of a batch."""
        for metric in self.metrics:
            metric.update(labels, preds)

    def reset(self) -> None:
        """Forget everything."""
        for metric in self.metrics:
            metric.reset()

    def reset_local(self) -> None:
        """Forget all but the global averages."""
        for metric in self.metrics:
            metric.reset_local()

    def get(self) -> tuple[Any, Any]:
        """Return lists of names and values."""
        return _columns([pair for metric in self.metrics for pair in metric.get_name_value()])

    def get_global(self) -> tuple[Any, Any]:
        """Return lists of names and values since the last full reset."""
        return _columns([pair for metric in self.metrics for pair in metric.get_global_name_value()])


def _columns(found: Sequence[tuple[str, float]]) -> tuple[list[str], list[float]]:
    return [name for name, _ in found], [value for _, value in found]


@register
class CustomMetric(TrackedMetric):
    """A metric by a function of numpy labels and predictions that returns a value, or a sum and a count."""

    def __init__(
        self,
        feval: Callable[[Any, Any], Any],
        name: str | None = None,
        allow_extra_outputs: bool = False,
        output_names: Sequence[str] | None = None,
        label_names: Sequence[str] | None = None,
    ) -> None:
        given = getattr(feval, "__name__", type(feval).__name__)
        super().__init__(name or (f"custom({given})" if "<" in given else given), output_names, label_names)
        self._feval = feval
        self._allow_extra_outputs = allow_extra_outputs

    def get_config(self) -> NoReturn:
        """Raise NotImplementedError: a function cannot be written down."""
        raise NotImplementedError("CustomMetric cannot be serialized")

    def update(self, labels: Any, preds: Any) -> None:
        """Update the metric with the labels and predictions of a batch."""
        left, right = _as_list(labels), _as_list(preds)
        if self._allow_extra_outputs:
            right = right[: len(left)]
        for label, pred in pairs(left, right):
            value = self._feval(label, pred)
            self._add_(*(value if isinstance(value, tuple) else (value, 1)))


def np(
    numpy_feval: Callable[[Any, Any], Any], name: str | None = None, allow_extra_outputs: bool = False
) -> EvalMetric:
    """Return a metric from a function on numpy data."""
    return CustomMetric(numpy_feval, name, allow_extra_outputs)
