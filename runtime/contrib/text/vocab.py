"""``mx.contrib.text.vocab``: the vocabulary, which maps tokens to indices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

UNKNOWN_IDX = 0


class Vocabulary:
    """Token indices: 0 for the unknown token, then reserved tokens, then counted ones by descending frequency.

    At most `most_freq_count` counted tokens are used, each with a count of at least `min_freq`. Raises AssertionError
    for duplicate reserved tokens.
    """

    def __init__(
        self,
        counter: Counter[str] | None = None,
        most_freq_count: int | None = None,
        min_freq: int = 1,
        unknown_token: str = "<unk>",
        reserved_tokens: Sequence[str] | None = None,
    ) -> None:
        if min_freq <= 0:
            raise AssertionError("`min_freq` must be set to a positive value.")
        reserved = list(reserved_tokens or ())
        if unknown_token in reserved:
            raise AssertionError("`reserved_token` cannot contain `unknown_token`.")
        if len(set(reserved)) != len(reserved):
            raise AssertionError("`reserved_tokens` cannot contain duplicate reserved tokens.")
        self._unknown_token = unknown_token
        self._reserved_tokens = None if reserved_tokens is None else reserved
        self._idx_to_token: list[str] = [unknown_token, *reserved]
        if counter is not None:
            self._idx_to_token += _most_frequent(counter, most_freq_count, min_freq, set(self._idx_to_token))
        self._token_to_idx = {token: index for index, token in enumerate(self._idx_to_token)}

    def __len__(self) -> int:
        return len(self._idx_to_token)

    @property
    def token_to_idx(self) -> dict[str, int]:
        """The index of each token."""
        return self._token_to_idx

    @property
    def idx_to_token(self) -> list[str]:
        """The token of each index."""
        return self._idx_to_token

    @property
    def unknown_token(self) -> str:
        """The token that represents all unknown tokens."""
        return self._unknown_token

    @property
    def reserved_tokens(self) -> list[str] | None:
        """Tokens that are always in the vocabulary."""
        return self._reserved_tokens

    def to_indices(self, tokens: Any) -> Any:
        """Return the index of a token, or of each token in a list; 0 for an unknown token."""
        if isinstance(tokens, list):
            return [self._token_to_idx.get(token, UNKNOWN_IDX) for token in tokens]
        return self._token_to_idx.get(tokens, UNKNOWN_IDX)

    def to_tokens(self, indices: Any) -> Any:
        """Return the token of an index, or of each index in a list. Raises ValueError for an index out of range."""
        found = []
        for index in indices if isinstance(indices, list) else [indices]:
            if not isinstance(index, int) or index >= len(self):
                raise ValueError(f"Token index {index} in the provided `indices` is invalid.")
            found.append(self._idx_to_token[index])
        return found if isinstance(indices, list) else found[0]


def _most_frequent(counter: Counter[str], most: int | None, least: int, taken: set[str]) -> list[str]:
    """Return a counter's tokens by descending frequency, then alphabetically."""
    ordered = sorted(sorted(counter), key=lambda token: -counter[token])
    enough = [token for token in ordered if counter[token] >= least and token not in taken]
    return enough if most is None else enough[:most]
