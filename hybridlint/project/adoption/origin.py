"""Where this hybridlint was installed from, and how a project's hook and its builds get the same one."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError, distribution

from hybridlint import __version__
from hybridlint.rule import HOME_URL
from hybridlint.runtime.facts.records import record

_NAME = "hybridlint"
#: A hook that runs the hybridlint which is installed, as no repository can be named from which one comes.
_LOCAL_HOOK = (
    "- repo: local",
    "  hooks:",
    "    - id: hybridlint",
    "      name: hybridlint",
    "      entry: hybridlint check --force-exclude",
    "      language: system",
    "      types_or: [python, jupyter]",
    "      require_serial: true",
)


@record(frozen=True, slots=True)
class HookOrigin:
    """A place of installation: `requirement` is what pip installs anywhere, None if only this machine has it.

    `published` says that it is a release of a package index, to which the repository's tags belong.
    """

    requirement: str | None
    published: bool

    def hook(self) -> tuple[str, ...]:
        """Return the lines of an entry in a list of pre-commit's repositories."""
        if not self.published:
            return _LOCAL_HOOK
        return (f"- repo: {HOME_URL}", f"  rev: v{__version__}", "  hooks:", "    - id: hybridlint")


def find_origin() -> HookOrigin:
    """Return where this hybridlint came from, as the installer noted it (PEP 610)."""
    try:
        installed = distribution(_NAME)
    except PackageNotFoundError:
        return HookOrigin(None, published=False)
    if installed.read_text("PKG-INFO") is not None:
        # What a build leaves in a checkout, which is run from there.
        return HookOrigin(None, published=False)
    noted = installed.read_text("direct_url.json")
    return HookOrigin(f"{_NAME}=={__version__}", published=True) if noted is None else _of_url(json.loads(noted))


def _of_url(noted: dict[str, dict[str, str]]) -> HookOrigin:
    url = str(noted["url"])
    if not url.startswith(("https://", "http://", "ssh://")):
        return HookOrigin(None, published=False)
    version = noted.get("vcs_info")
    place = url if version is None else f"{version['vcs']}+{url}@{version['commit_id']}"
    return HookOrigin(f"{_NAME} @ {place}", published=False)
