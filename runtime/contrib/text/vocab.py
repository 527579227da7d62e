"""``mx.contrib.text.vocab``: numbers of tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

UNKNOWN_IDX = 0


class Vocabulary:
    """Numbers of tokens: the unknown token is 0, reserved ones follow, then those of a counter, frequent ones first.

    At most `most_freq_count` of the counter are taken, and none that is there less than `min_freq` times. Raises
    AssertionError for reserved tokens that are there twice.
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
        """Number of each token."""
        return self._token_to_idx

    @property
    def idx_to_token(self) -> list[str]:
        """Token of each number."""
        return self._idx_to_token

    @property
    def unknown_token(self) -> str:
        """The token that stands for all that are not there."""
        return self._unknown_token

    @property
    def reserved_tokens(self) -> list[str] | None:
        """Tokens that are there whatever is counted."""
        return self._reserved_tokens

    def to_indices(self, tokens: Any) -> Any:
        """Return the number of a token, or of each of a list; 0 for an unknown one."""
        if isinstance(tokens, list):
            return [self._token_to_idx.get(token, UNKNOWN_IDX) for token in tokens]
        return self._token_to_idx.get(tokens, UNKNOWN_IDX)

    def to_tokens(self, indices: Any) -> Any:
        """Return the token of a number, or of each of a list. Raises ValueError for a number beyond the last one."""
        found = []
        for index in indices if isinstance(indices, list) else [indices]:
            if not isinstance(index, int) or index >= len(self):
                raise ValueError(f"Token index {index} in the provided `indices` is invalid.")
            found.append(self._idx_to_token[index])
        return found if isinstance(indices, list) else found[0]


def _most_frequent(counter: Counter[str], most: int | None, least: int, taken: set[str]) -> list[str]:
    """Return tokens of a counter, frequent ones first and otherwise in alphabetical order."""
    ordered = sorted(sorted(counter), key=lambda token: -counter[token])
    enough = [token for token in ordered if counter[token] >= least and token not in taken]
    return enough if most is None else enough[:most]
