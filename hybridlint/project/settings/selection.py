"""Rule selection: resolving the selectors of the settings and the command line to rules."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from hybridlint.core.errors import UsageError
from hybridlint.project.files.discover import matches
from hybridlint.rule import CODE, all_rules, matching
from hybridlint.text.suggest import did_you_mean

if TYPE_CHECKING:
    from hybridlint.project.settings.config import Config
    from hybridlint.rule import Rule


def rules_for(config: Config, path: Path) -> tuple[Rule, ...]:
    """Return the rules enabled for a file."""
    selected = (*config.select, *config.extend_select)
    return _rules_for(selected, config.ignore, per_file_ignores(config, path))


@cache
def _rules_for(selected: tuple[str, ...], refused: tuple[str, ...], ignored: tuple[str, ...]) -> tuple[Rule, ...]:
    return tuple(rule for rule in all_rules() if _holds(rule, selected, refused, ignored))


def holds(rule: Rule, config: Config, ignored: Iterable[str] = ()) -> bool:
    """Whether a rule is enabled in a project. `ignored` holds the selectors disabled for one file.

    The most specific selector decides (HYB101 over HYB1 over ALL); on a tie, ``ignore`` wins. The rule `ALWAYS` is
    enabled unless it is ignored.
    """
    return _holds(rule, (*config.select, *config.extend_select), config.ignore, ignored)


def _holds(rule: Rule, select: Iterable[str], ignore: Iterable[str], ignored: Iterable[str]) -> bool:
    if any(rule.selected_by(selector) for selector in ignored):
        return False
    selected, refused = _strength(rule, select), _strength(rule, ignore)
    return selected > refused or (rule.code == ALWAYS and refused == _UNSELECTED)


def may_fix(rule: Rule, config: Config) -> bool:
    """Whether the settings let the findings of a rule be fixed; on a tie, ``unfixable`` wins."""
    return _strength_of_fixes(rule, config.fixable) > _strength_of_fixes(rule, config.unfixable)


def _strength_of_fixes(rule: Rule, selectors: tuple[str, ...]) -> int:
    """Return how specific the most specific selector is; ALL means the rules too that are off by default."""
    return max(_strength(rule, selectors), 0 if "ALL" in selectors else _UNSELECTED)


def per_file_ignores(config: Config, path: Path) -> tuple[str, ...]:
    """Return the selectors that the settings disable for one file."""
    patterns = config.per_file_ignores.items()
    return tuple(s for pattern, selectors in patterns if _pattern_means(pattern, path, config.root) for s in selectors)


def validate(selectors: Iterable[str]) -> None:
    """Raise UsageError for a selector that matches no rule. Rules are loaded only if a selector is not ALL."""
    for selector in selectors:
        if selector != "ALL" and not any(matching(selector)):
            raise UsageError(
                f"unknown rule `{selector}`: give a code or name from `hybridlint rule`, a prefix such as HYB1, or ALL."
                f"{nearest_rule(selector)}"
            )


def nearest_rule(selector: str) -> str:
    """Return a "did you mean" question for an unknown code or name; "" for a code that is spelt well."""
    if re.fullmatch(r"HYB\d*", selector, re.IGNORECASE):
        return ""
    return did_you_mean(selector, (text for rule in all_rules() for text in (rule.code, rule.name)))


#: A syntax error is reported whatever is selected, because nothing else in the file was checked.
ALWAYS = "HYB001"
_UNSELECTED = -1


def _strength(rule: Rule, selectors: Iterable[str]) -> int:
    """Return the specificity of the most specific selector that includes the rule."""
    return max((_specificity(s) for s in selectors if rule.selected_by(s)), default=_UNSELECTED)


def _specificity(selector: str) -> int:
    """Return a rank of a selector, from widest to narrowest: ALL, families, codes and names."""
    if selector == "ALL":
        return 0
    return len(selector) if CODE.fullmatch(selector) else len(ALWAYS)


def _pattern_means(pattern: str, path: Path, root: Path) -> bool:
    negated = pattern.startswith("!")
    return matches(Path(os.path.abspath(path)), pattern.removeprefix("!"), root) is not negated
