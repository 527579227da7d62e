"""The files with which a project begins to use hybridlint: settings, the hook, and a job of its builds."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from hybridlint import __version__
from hybridlint.core.errors import UsageError
from hybridlint.project.adoption.beside_ruff import knows_our_codes, ruff_settings, with_our_codes
from hybridlint.project.adoption.origin import HookOrigin, find_origin
from hybridlint.project.adoption.survey import ProjectSurvey
from hybridlint.project.settings.settings_files import config_of
from hybridlint.rule import HOME_URL
from hybridlint.runtime.facts.records import record

_NAMED = re.compile(r"\bhybridlint\b")


@record(frozen=True, slots=True)
class PlannedFile:
    """A file to write or extend: its text before ("" for a new file) and after, and its purpose."""

    path: Path
    before: str
    after: str
    purpose: str

    @property
    def new(self) -> bool:
        """Whether there is no such file yet."""
        return not self.before


def plan_files(looked: ProjectSurvey, *, found: int) -> Iterator[PlannedFile]:
    """Yield the files to write into a project with `found` findings. Nothing is changed yet."""
    origin = find_origin()
    ruff = _beside_ruff(looked)
    settings = _settings(looked, ruff)
    if ruff is not None and settings is not None and ruff.path == settings.path:
        ruff = None
    for plan in (ruff, settings, _hook(looked, origin), _job(looked, found, origin)):
        if plan is not None:
            yield plan


def left_alone(looked: ProjectSurvey) -> Iterator[str]:
    """Yield a sentence for each part that the project already has or does not need."""
    if looked.settings is not None:
        yield f"{looked.settings.name} has settings of hybridlint: left as they are."
    origin = find_origin()
    if looked.has_hooks and _hook(looked, origin) is None:
        hooks = _text(looked.root / ".pre-commit-config.yaml")
        if _NAMED.search(hooks):
            yield ".pre-commit-config.yaml names hybridlint: left as it is."
        else:
            yield f".pre-commit-config.yaml has no list that is added to: add this to its repos.\n\n{_entry(origin)}"
    if not looked.has_git:
        yield "The folder is no git repository: no hook and no job were written."
    elif not looked.builds:
        yield f"No service that builds the project was recognized: {HOME_URL}/blob/main/docs/ci.md has jobs for some."
    elif origin.requirement is None:
        yield (
            "No job was written: this hybridlint comes from this machine, which a runner cannot reach. Keep a wheel "
            "of it (`pip wheel --no-deps`) where your runners can, and take a job from "
            f"the page on CI ({HOME_URL}/blob/main/docs/ci.md)."
        )
    if looked.has_git and not origin.published:
        yield "The hook runs the hybridlint that is installed, as this version is no release of a package index."
    place = ruff_settings(looked.root)
    if place is not None and not knows_our_codes(place.table) and _beside_ruff(looked) is None:
        name = place.path.name
        yield f'{name} has a list `external` of Ruff\'s: add "HYB" to it, or Ruff deletes `# noqa: HYB101`.'


def _beside_ruff(looked: ProjectSurvey) -> PlannedFile | None:
    """Return the setting that declares our codes to Ruff; None if the project has no Ruff, or Ruff knows them."""
    place = ruff_settings(looked.root)
    if place is None or knows_our_codes(place.table):
        return None
    before = _text(place.path)
    after = with_our_codes(before, place.table, place.prefix)
    return None if after is None else PlannedFile(place.path, before, after, "Ruff keeps comments that name our rules")


def _settings(looked: ProjectSurvey, ruff: PlannedFile | None) -> PlannedFile | None:
    """Return the settings, in a pyproject.toml behind what is added there for Ruff."""
    if looked.settings is not None:
        return None
    lines = [f"exclude = {json.dumps(looked.foreign)}"] if looked.foreign else []
    lines += ["# Findings that cannot be proved either way, told too: possible = true", 'select = ["ALL"]']
    if looked.has_pyproject:
        path = looked.root / "pyproject.toml"
        before = _text(path)
        text = before if ruff is None or ruff.path != path else ruff.after
        gap = "" if text.endswith("\n\n") or not text else "\n" if text.endswith("\n") else "\n\n"
        after = f"{text}{gap}[tool.hybridlint]\n" + "".join(f"{line}\n" for line in lines)
        return PlannedFile(path, before, after, "settings")
    path = looked.root / "hybridlint.toml"
    schema = f"#:schema {HOME_URL}/raw/main/hybridlint/hybridlint.schema.json"
    return PlannedFile(path, "", "".join(f"{line}\n" for line in [schema, *lines]), "settings")


def _hook(looked: ProjectSurvey, origin: HookOrigin) -> PlannedFile | None:
    if not looked.has_git:
        return None
    path = looked.root / ".pre-commit-config.yaml"
    if not looked.has_hooks:
        return PlannedFile(path, "", f"repos:\n{_entry(origin)}", "the hook of pre-commit")
    before = _text(path)
    after = None if _NAMED.search(before) else _with_entry(before, origin)
    return None if after is None else PlannedFile(path, before, after, "the hook of pre-commit")


def _entry(origin: HookOrigin, indent: str = "  ") -> str:
    return "".join(f"{indent}{line}\n" for line in origin.hook())


def _with_entry(text: str, origin: HookOrigin) -> str | None:
    """Return the hooks' file with one more entry at the end of its list; None without a list."""
    lines = text.splitlines(keepends=True)
    first = next((k for k, line in enumerate(lines) if re.match(r"repos:\s*(#.*)?$", line)), None)
    entries = [] if first is None else [k for k in range(first + 1, len(lines)) if re.match(r"\s*- repo:", lines[k])]
    if not entries:
        return None
    indent = re.match(r"\s*", lines[entries[0]])
    after = range(entries[-1] + 1, len(lines))
    end = next((k for k in after if re.match(r"[^\s#-]", lines[k])), len(lines))
    while not lines[end - 1].strip():
        end -= 1
    lines[end - 1] = lines[end - 1].rstrip("\n") + "\n"
    return "".join([*lines[:end], _entry(origin, indent[0] if indent else ""), *lines[end:]])


def _job(looked: ProjectSurvey, found: int, origin: HookOrigin) -> PlannedFile | None:
    if not looked.has_git or origin.requirement is None:
        return None
    if looked.builds == "github":
        path = looked.root / ".github" / "workflows" / "hybridlint.yml"
        return None if path.is_file() else PlannedFile(path, "", _workflow(found, origin), "a job of GitHub Actions")
    if looked.builds != "gitlab":
        return None
    path = looked.root / ".gitlab-ci.yml"
    before = _text(path) if path.is_file() else ""
    if _NAMED.search(before):
        return None
    gap = "\n" if before.endswith("\n") or not before else "\n\n"
    return PlannedFile(
        path,
        before,
        f"{before}{gap if before else ''}{_gitlab_job(before, found, origin.requirement)}",
        "a job of GitLab",
    )


def _workflow(found: int, origin: HookOrigin) -> str:
    baseline = _baseline_note(found, "      ")
    action = f"{HOME_URL.removeprefix('https://github.com/')}@v{__version__}"
    steps = [f"- uses: {action}"]
    if not origin.published:
        steps = [f'- run: pip install "{origin.requirement}"', "- run: hybridlint check --output-format github"]
    written = "".join(f"      {step}\n" for step in steps)
    return f"""\
name: hybridlint
on: [push, pull_request]

permissions:
  contents: read

jobs:
  hybridlint:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
{baseline}{written}"""


def _gitlab_job(text: str, found: int, requirement: str) -> str:
    """Return the job, in the first stage where the pipeline has stages and none is called ``test``."""
    stages = re.search(r"^stages:\s*((?:\n\s*-\s*\S+)+|\[.*\])", text, re.MULTILINE)
    names = re.findall(r"[\w.-]*\w", stages[1]) if stages else ["test"]
    stage = "" if "test" in names else f"  stage: {names[0]}\n"
    return f"""\
hybridlint:
{stage}  image: python:3.12
{_baseline_note(found, "  ")}  script:
    - pip install "{requirement}"
    - hybridlint check --output-file gitlab=gl-code-quality-report.json
  artifacts:
    when: always
    reports:
      codequality: gl-code-quality-report.json
"""


def _baseline_note(found: int, indent: str) -> str:
    if not found:
        return ""
    return f"{indent}# What was found before is kept out by `hybridlint check --write-baseline`, committed.\n"


def check(plan: PlannedFile) -> None:
    """Raise UsageError if a file of settings could not be read as it is planned."""
    if plan.purpose != "settings":
        return
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, plan.path.name)
        copy.write_text(plan.after, encoding="utf-8")
        try:
            config_of(copy, plan.path.parent)
        except UsageError as error:
            raise UsageError(f"{plan.path}: the settings cannot be added: {error}") from error


def _text(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            return stream.read()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot read the file: {error}") from error
