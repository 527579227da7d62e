"""What must hold of the analyzer and the fixers, whatever the source is."""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter

from hybridlint.core.proof_outcome import ProofStatus
from hybridlint.core.result import Result
from hybridlint.frontends.api.check import check_source

from .same import laid_out, renamed


def never_raises(text: str) -> Result:
    """Check that a check gives a result, and return it. A limit that is named in a sentence is a result."""
    result = check_source(text, possible=True)
    assert result.failure is None or "crashed" not in result.failure, result.failure
    return result


def layout_changes_nothing(text: str) -> None:
    """Check that the same statements, laid out otherwise, have the same findings at the same statements."""
    text = ast.unparse(ast.parse(text)) + "\n"
    other, rows = laid_out(text)
    before = Counter((found.code, found.location.row) for found in never_raises(text).diagnostics)
    after = Counter((found.code, rows[found.location.row]) for found in never_raises(other).diagnostics)
    assert before == after, _difference(before, after, text)


def names_change_nothing(text: str) -> None:
    """Check that other names of local variables give the same findings at the same places."""
    text = ast.unparse(ast.parse(text)) + "\n"
    before = Counter((found.code, found.location.row) for found in never_raises(text).diagnostics)
    after = Counter((found.code, found.location.row) for found in never_raises(renamed(text) + "\n").diagnostics)
    assert before == after, _difference(before, after, text)


def fixing_is_sound(text: str) -> None:
    """Check that what fixing writes parses, has all comments, and that fixing it again changes nothing."""
    text = _commented(ast.unparse(ast.parse(text)) + "\n")
    result = check_source(text, fix=True, unsafe_fixes=True)
    assert result.failure is None or "crashed" not in result.failure, result.failure
    if result.fixed is None or not result.fixed.changed:
        return
    after = result.fixed.after
    compile(after, "fixed", "exec")
    lost = _comments(text) - _comments(after)
    assert not lost, f"comments are lost: {sorted(lost)}\n{text}\n--- became ---\n{after}"
    again = check_source(after, fix=True, unsafe_fixes=True)
    assert again.fixed is None or not again.fixed.changed, (
        f"a second run changes:\n{after}\n--- into ---\n{again.fixed.after}"
    )


def proofs_agree(text: str) -> None:
    """Check that no safe fix is refuted by running the block: what is taken back was not safe."""
    result = check_source(text, fix=True, verify=True)
    assert result.failure is None or "crashed" not in result.failure, result.failure
    wrong = [outcome for outcome in result.proof if outcome.status is ProofStatus.REFUTED and outcome.fault]
    assert not wrong, f"{wrong}\n{text}"


def _commented(text: str) -> str:
    """Return a module with a comment at the end of each line on which a comment may end."""
    continued = {
        row
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.start[0] != token.end[0]
        for row in range(token.start[0], token.end[0])
    }
    lines = text.splitlines()
    return "".join(
        f"{line}  # kept {row}\n" if line.strip() and row not in continued else f"{line}\n"
        for row, line in enumerate(lines, 1)
    )


def _comments(text: str) -> set[str]:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    # A fix may join comments on one line, or break a long one.
    return {
        f"kept {word}" for t in tokens if t.type == tokenize.COMMENT for word in t.string.split("kept ")[1:] if word
    }


def _difference(before: Counter[tuple[str, int]], after: Counter[tuple[str, int]], text: str) -> str:
    return f"gone {sorted((before - after).items())}, new {sorted((after - before).items())}\n{text}"
