"""Layout: lines that fixes have made too long stand as Black writes them, whose twin here is `ruff format`."""

from __future__ import annotations

import ast
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from hybridlint.fixers.toolkit.layout import long_lines
from hybridlint.text.edits import apply_edits
from hybridlint.text.source import SourceFile

LINES = {
    "all on the next line": "return F.squeeze(F.slice_axis(features, axis=1, begin=0, end=1), axis=1)",
    "one argument a line": "return F.broadcast_add(self.first(features), self.second(features), F.ones_like(features))",
    "a call in a call": "return F.relu(F.broadcast_add(self.first_projection(features), self.second_projection(x)))",
    "several calls": (
        "weights = F.where(F.broadcast_mul(F.ones_like(weights), weights.max() > 0.9), weights.clip(0, 0.9), weights)"
    ),
    "a method at the end": "return F.broadcast_add(self.first(features), self.second(other_features)).reshape((0, -1))",
    "an empty method at the end": "return F.broadcast_add(self.first_of(x), self.second_of_all(features)).transpose()",
    "the first of what a call gives": (
        "return F.contrib.foreach(lambda rows, states: (F.broadcast_add(rows[0], rows[1]), states), [features], [])[0]"
    ),
    "the first of what a call gives, in a call": (
        "return F.swapaxes(F.contrib.foreach(lambda row, states: (row * weights, states), [features], [])[0], 0, 1)"
    ),
    "a chain of methods": (
        "return x.reshape((0, -4, self._heads, -1)).transpose((0, 2, 1, 3)).reshape((-3, 0, 0)).expand_dims(axis=1)"
    ),
    "a chain of functions, methods and items": (
        "return F.npx.reshape(features, (-2, -2, 4, -1)).transpose(0, 2, 1, 3)[:, :, 0].reshape((0, -1)).astype(dtype)"
    ),
    "a chain of two methods": "return self.features_of_all(x).transpose((0, 2, 1, 3)).reshape_like(features_of_others)",
    "a chain of one method": "return self.features_of_all_of_them(x).reshape_like(other_features_of_x, lhs_begin=0)",
    "a chain with a long call": (
        "return x.reshape((0, 0, -3)).slice_like(features_of_the_first, axes=(0, 1)).broadcast_like("
        "features_of_the_first_of_all, lhs_axes=(0, 1), rhs_axes=(2, 3)).reshape((0, -1))"
    ),
    "a chain among arguments": (
        "return F.concat(x.reshape((0, 0, -3)).transpose((0, 2, 1)).reshape((0, -4, self._heads, -1, 0)).sum(1), y)"
    ),
    "an operator behind which no call is left to break": (
        "return F.broadcast_div(F.sum(F.square(F.broadcast_sub(features, weights))), F.sum(F.ones_like(features))) + "
        "F.broadcast_div(F.sum(F.abs(features)), F.size_array(features).astype('float32'))"
    ),
    "an operator between two long calls": (
        "return F.broadcast_div(F.sum(features_of_all), F.sum(F.ones_like(features_of_all))) + "
        "F.broadcast_div(F.sum(weights), F.size_array(weights).astype('float32'))"
    ),
    "an operand in parentheses": "size = F.squeeze(F.slice_axis(x, axis=1, begin=0, end=1), axis=1) / (self.width - 1)",
    "an operator before a call": "size = F.squeeze(F.slice_axis(x, axis=1, begin=0, end=1), axis=1) / self.width_of(x)",
    "an operator": "total = total_of_all_rows + F.sum(features * features * other_features, axis=0, keepdims=True)",
    "several operators": "total = features_of_first * weights_of_first + features_of_second * weights_of_second + bias",
    "operators of two lines": (
        "total = features_of_first * weights_of_first + features_of_second * weights_of_second + "
        "features_of_third * weights_of_third"
    ),
    "an operator between two calls, one of them long": (
        "return F.broadcast_add(self.first_of_all(features), self.second_of_all(features) * weights_of_all, bias) * 2"
    ),
    "an operator among arguments": (
        "return F.where(features > 0, F.broadcast_add(self.first_of_all(features), self.second(features)) * weights, x)"
    ),
    "an operator with long operands among arguments": (
        "return F.where(mask, F.broadcast_add(self.first_of_all_of_them(features), self.second_of_all_of_them(x)) * "
        "F.broadcast_mul(self.third_of_all_of_them(features), self.fourth_of_all_of_them_and_more(features)), rest)"
    ),
    "a condition among arguments": (
        "return F.where(mask, self.scale_of_training * features if self.training else self.scale_of_prediction * x, x)"
    ),
    "a condition": "scale = self.scale_of_training * x if self.training else self.scale_of_prediction * x",
    "a list made in a loop": "return [F.broadcast_mul(feature, weight) for feature, weight in zip(features, weights)]",
    "a tuple of three": "return F.broadcast_add(first_features, second_features), F.exp(third_features), self.bias(x)",
    "a list": "return [F.broadcast_add(first_features, second_features), F.broadcast_mul(third_features, bias)]",
    "a comment after it": "return F.squeeze(F.slice_axis(x, axis=1, begin=0, end=1), axis=1)  # the first of the steps",
    "a keyword with a call": (
        "return F.Custom(data=F.broadcast_add(first_features, second_features, third_features, names), op_type='name')"
    ),
    "a star": "return F.concat(*F.split(first_features_of_all, num_outputs=2, axis=1), second_features_of_all, dim=1)",
    "a generator": "return sum(F.broadcast_mul(feature, weight) for feature, weight in zip(all_features, all_weights))",
}


def text_of(line: str) -> str:
    return f"class Net:\n    def hybrid_forward(self, F, features):\n        {line}\n"


def laid_out(before: str, after: str, limit: int = 88) -> str:
    source = SourceFile(Path("x.py"), after)
    return apply_edits(after, long_lines(SourceFile(Path("x.py"), before), source, limit))


def formatted(text: str) -> str:
    ruff = str(Path(sys.executable).with_name("ruff"))
    command = [ruff, "format", "--isolated", "--line-length=88", "--config", "format.quote-style='preserve'", "-"]
    return subprocess.run(command, input=text, capture_output=True, encoding="utf-8", check=True).stdout


@pytest.mark.parametrize("line", LINES.values(), ids=LINES.keys())
def test_is_what_a_formatter_writes(line: str) -> None:
    text = text_of(line)
    assert laid_out("", text) == formatted(text)


def test_a_name_stays_beside_a_long_value() -> None:
    text = text_of("return features, F.concat(first_features_of_all, second_features_of_all, third_features_of_all)")
    assert "return features, F.concat(\n" in laid_out("", text)


def test_each_of_two_values_has_a_line() -> None:
    text = text_of("return F.broadcast_add(first_features, second_features), F.broadcast_mul(third_features, bias)")
    assert "\n            F.broadcast_mul(third_features, bias),\n" in laid_out("", text)
    assert formatted(laid_out("", text)) == laid_out("", text)


@pytest.mark.parametrize("line", LINES.values(), ids=LINES.keys())
def test_is_the_same_code(line: str) -> None:
    text = text_of(line)
    assert ast.dump(ast.parse(laid_out("", text))) == ast.dump(ast.parse(text))


def test_what_was_long_before_stays() -> None:
    text = text_of(LINES["several calls"])
    assert laid_out(text, text) == text


def test_the_limit_is_that_of_the_project() -> None:
    text = text_of(LINES["several calls"])
    assert laid_out("", text, limit=120) == text


def test_a_line_of_several_is_laid_out_by_itself() -> None:
    text = textwrap.dedent(
        """\
        y = F.concat(
            x,  # the first
            F.broadcast_add(self.first_projection(features), self.second_projection(features), x),
        )
        """
    )
    assert laid_out("", text) == formatted(text)
