"""``mx.contrib.text.utils``: tokens of texts."""

from __future__ import annotations

import re
from collections import Counter


def count_tokens_from_str(
    source_str: str,
    token_delim: str = " ",
    seq_delim: str = "\n",
    to_lower: bool = False,
    counter_to_update: Counter[str] | None = None,
) -> Counter[str]:
    """Return how often each token is in a text; a given counter is updated and returned.

    The delimiters are regular expressions, and not in lower case where `to_lower` brings the tokens to it.
    """
    found = [token for token in re.split(f"{token_delim}|{seq_delim}", source_str) if token]
    tokens = [token.lower() for token in found] if to_lower else found
    if counter_to_update is None:
        return Counter(tokens)
    counter_to_update.update(tokens)
    return counter_to_update
