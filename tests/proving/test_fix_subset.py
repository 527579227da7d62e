"""A text with some of its fixes left out, put together from the recorded edits."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence

import pytest

from hybridlint.core.applied_fixes import FixId, FixOrigin, OwnedEdit, Pass
from hybridlint.proving.fix_subset import without
from hybridlint.text.edits import Edit, apply_edits
from hybridlint.text.source import Span


def _id(number: int) -> FixId:
    return FixId("HYB999", FixOrigin(number), FixOrigin(number))


def _pass(*edits: tuple[int, int, str, int | None]) -> Pass:
    return tuple(OwnedEdit(Edit(Span(a, b), new), None if of is None else _id(of)) for a, b, new, of in edits)


def test_the_others_stay() -> None:
    passes = [_pass((0, 1, "AA", 1), (2, 3, "", 2)), _pass((4, 5, "EE", 3))]
    assert without("abcde", passes, ()) == "AAbdEE"
    assert without("abcde", passes, {_id(1)}) == "abdEE"
    assert without("abcde", passes, {_id(2)}) == "AAbcdEE"
    assert without("abcde", passes, {_id(1), _id(2), _id(3)}) == "abcde"


def test_what_builds_on_a_fix_goes_with_it() -> None:
    passes = [_pass((1, 2, "(x)", 1)), _pass((2, 3, "y", 2), (5, 6, "C", 3))]
    assert without("abcd", passes, ()) == "a(y)cC"
    assert without("abcd", passes, {_id(1)}) == "abcC"
    assert without("abcd", passes, {_id(2)}) == "a(x)cC"


def test_all_edits_of_a_fix_go_together() -> None:
    passes = [_pass((0, 1, "A", 1), (3, 4, "D", 1), (5, 6, "F", 2))]
    assert without("abcdef", passes, {_id(1)}) == "abcdeF"
    passes = [_pass((0, 1, "A", 1)), _pass((0, 1, "B", 2), (5, 6, "F", 2))]
    assert without("abcdef", passes, {_id(1)}) == "abcdef"


def test_imports_that_any_fix_needed_stay() -> None:
    passes = [_pass((0, 0, "import nd\n", None), (1, 2, "nd", 1))]
    assert without("ab", passes, {_id(1)}) == "import nd\nab"


def _sites(seed: int) -> tuple[str, list[Pass], Mapping[FixId, tuple[str, str]]]:
    """Return a text of words, passes that each replace some words, and the fixes' words before and after."""
    rng = random.Random(seed)
    words = [f"{chr(97 + k) * rng.randint(1, 3)} " for k in range(12)]
    text = "".join(words)
    fixes: dict[FixId, tuple[str, str]] = {}
    passes: list[Pass] = []
    left = list(range(12))
    rng.shuffle(left)
    while left:
        some, left = sorted(left[:3]), left[3:]
        starts = [sum(map(len, words[:k])) for k in some]
        new = [f"{chr(65 + k) * rng.randint(0, 4)}|" for k in some]
        fixes |= {_id(k): (words[k], word) for k, word in zip(some, new, strict=True)}
        edits = [(at, at + len(words[k]), word, k) for k, at, word in zip(some, starts, new, strict=True)]
        passes.append(_pass(*edits))
        for k, word in zip(some, new, strict=True):
            words[k] = word
    return text, passes, fixes


def _subsets(ids: Sequence[FixId], rng: random.Random) -> Iterator[set[FixId]]:
    yield from ({each} for each in ids)
    yield from (set(rng.sample(ids, rng.randint(0, len(ids)))) for _ in range(30))


@pytest.mark.parametrize("seed", range(5))
def test_fixes_of_other_places_do_not_depend_on_each_other(seed: int) -> None:
    text, passes, fixes = _sites(seed)
    for left_out in _subsets(list(fixes), random.Random(seed)):
        expected = text
        for each, (before, after) in fixes.items():
            if each not in left_out:
                expected = expected.replace(before, after, 1)
        assert without(text, passes, left_out) == expected


@pytest.mark.parametrize("seed", range(20))
def test_without_the_last_fixes_it_is_the_text_that_there_was(seed: int) -> None:
    """Also where later fixes touch what earlier ones wrote."""
    rng = random.Random(seed)
    text = now = "".join(rng.choices("abcdef ", k=30))
    passes: list[Pass] = []
    texts = [text]
    for number in range(6):
        start = rng.randint(0, len(now) - 3)
        edit = Edit(Span(start, start + rng.randint(0, 3)), "X" * rng.randint(0, 4))
        passes.append((OwnedEdit(edit, _id(number)),))
        now = apply_edits(now, [edit])
        texts.append(now)
    for count, expected in enumerate(texts):
        assert without(text, passes, {_id(number) for number in range(count, 6)}) == expected
