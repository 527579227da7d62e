"""The shortening of expressions for messages."""

from __future__ import annotations

import pytest

from hybridlint.text.shortening import shorten_code


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x.reshape(-3, -1)", "x.reshape(-3, -1)"),
        ("x.reshape(\n    -3,  # merge\n    -1)", "x.reshape( -3, -1)"),
        ("F.log_softmax(outputs, axis=2).reshape(-3, -1)", "F.log_softmax(...).reshape(-3, -1)"),
        ("rows[F.arange(rows.shape[0]), ids.reshape(-1)].reshape(-4, -1, 5)", "rows[F.arange(...), ...].reshape(...)"),
        ("history[start + index - self.window:start + index]", "history[start + index - ...]"),
        ("new_samples, new_valid_length, new_scores, words", "new_samples, new_valid_length, ..."),
        ("first_name + second_name * f(')') + third_name", "first_name + second_name * f(')') + ..."),
        ("a_name_without_any_blank_that_goes_on_and_on_and_on", "a_name_without_any_blank_that_goes_on..."),
        ("names['(']  # (", "names['(']"),
    ],
)
def test_no_call_is_cut_in_the_middle(code: str, expected: str) -> None:
    """Contents of brackets are left out first, those that make the least of the text disappear."""
    assert shorten_code(code, 40) == expected
