"""The pages of the site, in the order of its navigation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: What was measured, a page a subject.
EVIDENCE = sorted((ROOT / "docs" / "evidence").glob("*.md"))


@dataclass(frozen=True, slots=True)
class Part:
    """A heading of the navigation with its pages, which are named as the site names them, without a suffix."""

    title: str
    pages: tuple[str, ...]


#: What users read, then what developers read, then the evidence for what the pages claim.
PARTS = (
    Part("Start", ("tutorial", "playground", "compare", "faq")),
    Part(
        "How to",
        (
            "dead-projects",
            "adopting",
            "pre-commit",
            "ci",
            "editors",
            "notebooks",
            "proof",
            "hybridize",
            "recording",
            "python",
            "onnx",
            "leaving",
            "cluster",
        ),
    ),
    Part("Reference", ("rules/index", "errors", "operators", "configuration", "runtime", "engines", "gpu")),
    Part(
        "Working on hybridlint",
        ("writing-rules", "architecture", "contributing", "developing", "releasing", "changelog"),
    ),
    Part("Evidence", ("status", *(f"evidence/{path.stem}" for path in EVIDENCE), "histories", "projects")),
)

#: The page about each command, which a search for its name leads to first.
COMMANDS = {
    "check": "tutorial",
    "verify": "proof",
    "hybridize": "hybridize",
    "convert": "leaving",
    "status": "hybridize",
    "explain": "errors",
    "record": "recording",
    "run": "runtime",
    "graph": "engines",
    "rule": "rules/index",
    "server": "editors",
    "init": "adopting",
    "test-rules": "configuration",
    "clean": "configuration",
}

#: Pages that stand elsewhere in the repository than in docs/.
ELSEWHERE = {"index": "README.md", "contributing": "CONTRIBUTING.md", "changelog": "CHANGELOG.md"}

#: Pages that only the site has, beside its code.
OWN = ("playground",)


def sources() -> dict[str, Path]:
    """Return the file of each page that is written by hand, or by docs/make.py, by the name of the page."""
    names = [name for part in PARTS for name in part.pages if name != "rules/index"]
    return {name: _source(name) for name in ("index", *names)}


def _source(name: str) -> Path:
    if name in ELSEWHERE:
        return ROOT / ELSEWHERE[name]
    return ROOT / "docs" / ("site" if name in OWN else "") / f"{name}.md"


def navigation() -> str:
    """Return the navigation in the form that MyST reads."""
    return "\n".join(_tree(part.title, part.pages) for part in PARTS)


def _tree(title: str, pages: tuple[str, ...]) -> str:
    return "\n".join(["```{toctree}", f":caption: {title}", ":hidden:", "", *pages, "```", ""])
