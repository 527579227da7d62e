"""``mx.contrib.text.utils``: counting tokens."""

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
    """Return the count of each token in a text. A given counter is updated and returned.

    The delimiters are regular expressions. `to_lower` converts the tokens to lower case, but not the delimiters.
    """
    found = [token for token in re.split(f"{token_delim}|{seq_delim}", source_str) if token]
    tokens = [token.lower() for token in found] if to_lower else found
    if counter_to_update is None:
        return Counter(tokens)
    counter_to_update.update(tokens)
    return counter_to_update
