"""The table [tool.hybridlint]: what it may hold, where it is found, and what is said about mistakes in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hybridlint.checking.session import CheckSession
from hybridlint.core.errors import UsageError
from hybridlint.project.settings.config import Config
from hybridlint.project.settings.required_version import check_version
from hybridlint.project.settings.settings_files import own_config
from hybridlint.project.settings.validation import read_config


def _write(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "pyproject.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_all_keys(tmp_path: Path) -> None:
    path = _write(
        tmp_path,
        """
        [tool.hybridlint]
        select = ["HYB1"]
        extend-select = ["HYB301"]
        ignore = ["HYB101"]
        exclude = ["third_party"]
        verify = { timeout = 5 }
        [tool.hybridlint.per-file-ignores]
        "tests/*" = ["ALL"]
        """,
    )
    assert own_config(tmp_path) == Config(
        root=tmp_path,
        path=path,
        select=("HYB1",),
        extend_select=("HYB301",),
        ignore=("HYB101",),
        exclude=("third_party",),
        per_file_ignores={"tests/*": ("ALL",)},
        verify={"timeout": 5},
    )


@pytest.mark.parametrize("text", ["", "[tool.other]\nx = 1\n", "[project]\nname = 'hybridlint'\n"])
def test_a_file_without_the_table_holds_no_settings(tmp_path: Path, text: str) -> None:
    _write(tmp_path, text)
    assert own_config(tmp_path) is None


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("sellect = []", "unknown key `sellect` in [tool.hybridlint]; the keys are `select`"),
        ("select = 'HYB1'", "`select` must be a list of strings, not a string"),
        ("ignore = ['HYB1', 2]", "`ignore` must be a list of strings, not a list with a number"),
        ("per-file-ignores = ['x']", "`per-file-ignores` must be a table from file patterns to lists of codes"),
        ("[tool.hybridlint.per-file-ignores]\n'x' = 'HYB1'", "`per-file-ignores.x` must be a list of strings"),
        ("verify = 3", "`verify` must be a table, not a number"),
        ("[tool.hybridlint.verify]\nfoo = 3", "unknown key `foo` in [tool.hybridlint.verify]"),
        ("[tool.hybridlint.verify]\ntimeout = 'yes'", "`verify.timeout` must be a number, not a string"),
        ("verify = true", "`verify`: a project does not have its own code run: take it out, and give `--verify`"),
        ("verify.enabled = true", "`verify.enabled`: a project does not have its own code run"),
        ("verify.enabled = false", "`verify.enabled`: a project does not have its own code run"),
        ("verify.python = './evil.sh'", "`verify.python`: a project does not choose the interpreter that runs it"),
        ("select = [", "not valid TOML"),
    ],
)
def test_a_mistake_is_one_clear_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    path = _write(tmp_path, f"[tool.hybridlint]\n{text}\n")
    with pytest.raises(UsageError) as caught:
        own_config(tmp_path)
    assert str(caught.value).startswith(f"{path}: ")
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["../recorded.json", "/recorded.json", "."])
def test_runs_are_recorded_inside_of_the_project(tmp_path: Path, name: str) -> None:
    path = _write(tmp_path, f"[tool.hybridlint]\nrecorded = '{name}'\n")
    with pytest.raises(UsageError) as caught:
        CheckSession().config(tmp_path)
    assert str(caught.value).startswith(f"{path}: `recorded` must be a file below {tmp_path}")


def test_runs_are_recorded_through_no_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    _write(tmp_path / "project", "[tool.hybridlint]\n")
    (tmp_path / "project" / ".hybridlint").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="`recorded` must be a file below"):
        CheckSession().config(tmp_path / "project")


def test_the_nearest_table_upward_holds(tmp_path: Path) -> None:
    _write(tmp_path, "[tool.hybridlint]\nexclude = ['outer']\n")
    _write(tmp_path / "a", "[tool.other]\n")
    _write(tmp_path / "a" / "b", "[tool.hybridlint]\nexclude = ['inner']\n")
    session = CheckSession()
    assert session.config(tmp_path / "a").exclude == ("outer",)
    assert session.config(tmp_path / "a" / "b" / "c").exclude == ("inner",)


def test_the_command_line_selects_anew_and_ignores_more() -> None:
    config = Config(root=Path(), select=("HYB1",), ignore=("HYB101",))
    assert config.overridden(select=("HYB2",)).ignore == ()
    assert config.overridden(ignore=("HYB102",)).ignore == ("HYB101", "HYB102")
    assert config.overridden(extend_select=("HYB3",)).extend_select == ("HYB3",)


def test_possible_findings_are_asked_for() -> None:
    path = Path("pyproject.toml")
    assert not read_config(path, {}).possible
    config = read_config(path, {"possible": True})
    assert config.possible
    assert not config.overridden(possible=False).possible
    assert config.overridden().possible
    with pytest.raises(UsageError, match="`possible` must be true or false, not a string"):
        read_config(path, {"possible": "yes"})


@pytest.mark.parametrize("name", ["hybridlint.toml", ".hybridlint.toml"])
def test_a_file_of_its_own_holds_settings_without_a_table(tmp_path: Path, name: str) -> None:
    _write(tmp_path, "[tool.hybridlint]\nignore = ['HYB1']\n")
    (tmp_path / name).write_text("ignore = ['HYB2']\n", encoding="utf-8")
    config = own_config(tmp_path)
    assert config is not None
    assert (config.ignore, config.path) == (("HYB2",), tmp_path / name)


def test_a_file_of_its_own_may_have_the_table_of_a_pyproject(tmp_path: Path) -> None:
    (tmp_path / "hybridlint.toml").write_text("[tool.hybridlint]\nignore = ['HYB2']\n", encoding="utf-8")
    config = own_config(tmp_path)
    assert config is not None
    assert config.ignore == ("HYB2",)


def test_settings_extend_those_of_another_file(tmp_path: Path) -> None:
    _write(tmp_path, "[tool.hybridlint]\nignore = ['HYB1']\nexclude = ['old']\nextend-select = ['HYB7']\n")
    inner = tmp_path / "inner"
    _write(inner, "[tool.hybridlint]\nextend = '../pyproject.toml'\nignore = ['HYB2']\nextend-select = ['HYB8']\n")
    config = own_config(inner)
    assert config is not None
    assert (config.root, config.ignore, config.exclude) == (inner, ("HYB2",), ("old",))
    assert config.extend_select == ("HYB7", "HYB8")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("extend = 3", "`extend` must be the path of a file with settings"),
        ("extend = 'missing.toml'", "missing.toml, which is no file"),
        ("extend = 'hybridlint.toml'", "`extend` leads back to the file itself"),
        ("extend = 'pyproject.toml'", "which has no table [tool.hybridlint]"),
        ("extend = 'other.toml'", "other.toml: unknown key `sellect` in [tool.hybridlint]"),
    ],
)
def test_what_cannot_be_extended(tmp_path: Path, text: str, sentence: str) -> None:
    _write(tmp_path, "[tool.other]\n")
    (tmp_path / "other.toml").write_text("sellect = []\n", encoding="utf-8")
    (tmp_path / "hybridlint.toml").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=re.escape(sentence)):
        own_config(tmp_path)


def test_a_named_file_holds_the_settings_of_all_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _write(tmp_path / "inner", "[tool.hybridlint]\nignore = ['HYB1']\n")
    (tmp_path / "strict.toml").write_text("possible = true\n", encoding="utf-8")
    config = CheckSession(settings=tmp_path / "strict.toml").config(tmp_path / "inner")
    assert (config.root, config.ignore, config.possible) == (tmp_path, (), True)


@pytest.mark.parametrize(
    ("wanted", "right"),
    [
        ("1.2", True),
        ("==1.2.0", True),
        (">=1.2, <2", True),
        (">1.1.9,!=1.3", True),
        ("<=1.2", True),
        ("1.2.1", False),
        (">=1.10", False),
        ("<1.2", False),
        ("!=1.2", False),
        (">=1, <1.2", False),
    ],
)
def test_a_project_may_require_a_version(wanted: str, right: bool) -> None:
    if right:
        check_version(Path("hybridlint.toml"), "required-version", wanted, "1.2.0")
        return
    with pytest.raises(UsageError, match=r"the project requires hybridlint .*, and this is 1\.2\.0"):
        check_version(Path("hybridlint.toml"), "required-version", wanted, "1.2.0")


@pytest.mark.parametrize("wanted", ["", "new", "~=1.2", ">=1,", "1." + "0" * 5000])
def test_what_is_no_version(wanted: str) -> None:
    with pytest.raises(UsageError, match="`required-version` must be a version"):
        read_config(Path("hybridlint.toml"), {"required-version": wanted})
