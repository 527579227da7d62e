"""One page for each operator, from its definition: what it takes and gives, its gradient, an example that was run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from inspect import cleandoc
from itertools import chain, islice, repeat
from typing import Any, NamedTuple

import numpy as np

from hybridlint import runtime as mx
from hybridlint.runtime.facts import lookup, properties, registry
from hybridlint.runtime.facts.definitions import Operator, Sample
from hybridlint.runtime.facts.types import TensorType, show_shape
from hybridlint.runtime.onnx import get_operator_support

_ROW = re.compile(r"^\| `([^`]+)` \|", re.MULTILINE)
_LINKED_ROW = re.compile(r"^\| \[`([^`]+)`\]\(operators/([^)]+)\.md\) \|", re.MULTILINE)
#: What holds of an operator where a field of its facts is set.
_SENTENCES = {
    "eager_only": "It cannot be used on Symbols: it changes its inputs, or has no names for them.",
    "dynamic_shape": "The shape of its result depends on the values of its inputs, and no compiled graph can hold it.",
    "positions": "Its results are positions along an axis.",
    "unpredictable": "Two calls may differ.",
    "written_beside_first": "A graph that does not use its first output leaves the others unwritten.",
}


class Example(NamedTuple):
    """A call of an operator that was run: the code, and what it printed."""

    code: str
    printed: str


def pages(table: str) -> dict[str, str]:
    """Return the pages of the operators that a table lists, by the names of the pages."""
    return {f"operators/{file}": page(name) for name, file in files(table).items()}


def index(table: str) -> str:
    """Return the table of operators with a link in each row."""
    known = files(table)
    return _ROW.sub(lambda row: f"| [`{row[1]}`](operators/{known[row[1]]}.md) |" if row[1] in known else row[0], table)


def files(table: str) -> Mapping[str, str]:
    """Return the name of the page of each operator in a table; two that differ in case alone get different names."""
    found: dict[str, str] = {}
    seen: set[str] = set()
    for name in _ROW.findall(table):
        if registry.find(name) is None:
            continue
        found[name] = f"{name}-2" if name.lower() in seen else name
        seen.add(name.lower())
    return found


def linked(index: str) -> dict[str, str]:
    """Return the pages that the rows of an index link to, by the operators' names."""
    return dict(_LINKED_ROW.findall(index))


def page(name: str) -> str:
    """Return the page of an operator by one of its names."""
    operator = registry.get(name)
    parts = (_head(name, operator), _arguments(operator), _shapes(operator), _gradient(operator), _behaviour(operator))
    return "\n".join(part for part in (*parts, _example(operator)) if part)


def calls(operator: Operator) -> tuple[str, ...]:
    """Return the functions that call an operator, by their paths below F, as far as the runtime has them there."""
    return tuple(name for name in lookup.paths_of(operator) if _has(name))


def _has(name: str) -> bool:
    *path, last = name.split(".")
    space: Any = mx if path[:1] and path[0] in {"np", "npx"} else mx.nd
    for part in path:
        space = getattr(space, part, None)
    return hasattr(space, last)


def _head(title: str, operator: Operator) -> str:
    functions = calls(operator)
    rows = []
    if functions:
        rows.append(("called as", ", ".join(f"`F.{name}`" for name in functions)))
    if operator.facts.operator is not None:
        rows.append(("operator of Python", f"`{_cell(operator.facts.operator)}`"))
    if operator.method is not None:
        rows.append(("method of tensors", f"`{operator.method}`"))
    others = sorted({operator.name, *operator.aliases} - {title})
    rows += [("other names in files", ", ".join(f"`{name}`" for name in others))] if others else []
    rows.append(("exported to ONNX", "yes" if operator.name in _exported() else "no"))
    table = "".join(f"| {name} | {text} |\n" for name, text in rows)
    return f"# {title}\n\n{cleandoc(operator.doc)}\n\n| | |\n| --- | --- |\n{table}"


@cache
def _exported() -> frozenset[str]:
    return frozenset(get_operator_support())


def _arguments(operator: Operator) -> str:
    rows = [(name, _role(operator, name), "") for name in operator.inputs]
    rows += [
        (param.name, f"`{_cell(param.annotation)}`", "" if param.required else f"`{_cell(repr(param.default))}`")
        for param in operator.params.values()
    ]
    if not rows:
        return ""
    table = "".join(f"| `{name}` | {kind} | {default} |\n" for name, kind, default in rows)
    return f"## Arguments\n\n| name | kind | default |\n| --- | --- | --- |\n{table}"


def _role(operator: Operator, name: str) -> str:
    if operator.variadic:
        return "any number of inputs"
    if name in operator.aux:
        return "auxiliary state"
    notes = [", may be left out"] if name in operator.optional_inputs else []
    notes += [", holds indices"] if name in operator.facts.indices else []
    return f"input{''.join(notes)}"


def _shapes(operator: Operator) -> str:
    rows = "".join(
        f"| {_cell(inputs)} | {_cell(params)} | {_cell(result)} |\n"
        for inputs, params, result in (_typed(operator, sample) for sample in operator.samples)
    )
    return f"## Shapes\n\n| inputs | parameters | result |\n| --- | --- | --- |\n{rows}"


def _typed(operator: Operator, sample: Sample) -> tuple[str, str, str]:
    params = {**operator.defaults(), **sample.params}
    types = tuple(TensorType(shape, dtype) for shape, dtype in zip(sample.shapes, _dtypes(sample), strict=False))
    found = operator.infer_types(operator.complete_types(types, params), params)[: operator.visible(params)]
    given = ", ".join(f"{name}={value!r}" for name, value in sample.params.items())
    inputs = ", ".join(f"`{show_shape(shape)}`" for shape in sample.shapes)
    return inputs, f"`{given}`" if given else "", ", ".join(f"`{each}`" for each in found)


def _gradient(operator: Operator) -> str:
    blocked = sorted(properties.without_gradient(operator)) if operator.differentiable else []
    if operator.grad is None:
        text = "It has none: a graph with it cannot be prepared once it is hybridized, not even for predicting."
    elif not operator.differentiable:
        text = "Its gradient is zero."
    elif blocked:
        text = f"A gradient passes through it, but none comes to {', '.join(f'`{name}`' for name in blocked)}."
    else:
        text = "A gradient passes through it."
    if operator.differentiable_twice:
        text += " It can be differentiated twice."
    return f"## Gradient\n\n{text}\n"


def _behaviour(operator: Operator) -> str:
    facts = operator.facts
    said = [sentence for field, sentence in _SENTENCES.items() if getattr(facts, field)]
    if operator.modal:
        said.append("It does something else in train mode (inside `autograd.record()`) than for predicting.")
    if operator.random:
        said.append("It draws random numbers.")
    if facts.broadcast_twin is not None:
        said.append(f"On Symbols the shapes of both inputs must be equal; `F.{facts.broadcast_twin}` broadcasts.")
    if facts.traced_required:
        named = ", ".join(f"`{name}`" for name in facts.traced_required)
        said.append(f"A traced call must give {named} in spite of the default.")
    if operator.aux:
        said.append("Running values are written in `backward`, and by graphs of training.")
    return "## Behaviour\n\n" + "".join(f"- {sentence}\n" for sentence in said) if said else ""


def _example(operator: Operator) -> str:
    found = next(examples(operator), None)
    if found is None:
        return ""
    return f"## Example\n\n```python\n{found.code}\n```\n\nprints\n\n```text\n{found.printed}\n```\n"


def examples(operator: Operator) -> Iterator[Example]:
    """Yield calls of an operator that run, with the shapes that they print."""
    for call in _forms(operator):
        for sample in operator.samples:
            found = _run(call, sample)
            if found is not None:
                yield found


def _forms(operator: Operator) -> Iterator[str]:
    """Yield how an operator may be called, with a place for its inputs and one for parameters."""
    for name in calls(operator):
        space = "mx." if name.partition(".")[0] in {"np", "npx"} else "nd."
        yield f"{space}{name}({{inputs}}{{params}})"
        # Functions that join arrays want them as one list.
        yield f"{space}{name}([{{inputs}}]{{params}})"
    symbol = operator.facts.operator
    if symbol is not None and len(operator.inputs) == len("ab"):
        yield f"a {symbol} b"


def _run(form: str, sample: Sample) -> Example | None:
    """Return a call on arrays as a sample wants them, None if the function takes them otherwise."""
    numpy_mode = form.startswith("mx.")
    letters = "abcdefghijklmnop"[: len(sample.shapes)]
    if len(letters) < len(sample.shapes):
        return None
    head = (
        ["import mxnet as mx", "import numpy as np"] if numpy_mode else ["import numpy as np", "from mxnet import nd"]
    )
    lines = ["mx.npx.set_np()"] if numpy_mode else []
    lines += ["draw = np.random.default_rng(0).uniform"] if letters else []
    lines += [_drawn(k, letters[k], sample, "mx.np.array" if numpy_mode else "nd.array") for k in range(len(letters))]
    given = "".join(
        f"{', ' if letters or k else ''}{name}={value!r}" for k, (name, value) in enumerate(sample.params.items())
    )
    lines.append(f"result = {form.format(inputs=', '.join(letters), params=given)}")
    for shown in ("print(result.shape)", "print([each.shape for each in result])"):
        printed = _printed("\n".join([*lines, shown]), numpy_mode=numpy_mode)
        if printed is not None:
            return Example("\n".join([*head, "", *lines, shown]), printed)
    return None


def _dtypes(sample: Sample) -> Iterator[str]:
    return chain(sample.dtypes, repeat("float32"))


def _drawn(number: int, letter: str, sample: Sample, array: str) -> str:
    dtype = next(islice(_dtypes(sample), number, None))
    numbers = f"draw({sample.low:g}, {sample.high:g}, {show_shape(sample.shapes[number])})"
    whole = numbers if dtype.startswith("float") else f"np.floor({numbers})"
    return f'{letter} = {array}({whole}, dtype="{dtype}")'


def _printed(code: str, *, numpy_mode: bool) -> str | None:
    """Return what code prints, None if it raises. Numpy mode ends with it."""
    printed: list[str] = []
    names: dict[str, Any] = {"print": lambda value: printed.append(str(value)), "nd": mx.nd, "mx": mx, "np": np}
    try:
        with mx.util.np_shape(numpy_mode), mx.util.np_array(numpy_mode), np.errstate(all="ignore"):
            exec(code.replace("mx.npx.set_np()\n", ""), names)
    except Exception:
        # Some functions want other arguments than the operator behind them.
        return None
    return "\n".join(printed)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
