"""The base revision of ``--since``: the texts of files in a commit, branch or tag of git."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from pathlib import Path

from hybridlint.analysis.imports.folder_listings import SUFFIX, FolderListing, list_folder
from hybridlint.analysis.imports.text_imports import TextImports
from hybridlint.core.errors import UsageError
from hybridlint.project.documents.document import form_of
from hybridlint.runtime.facts.records import record
from hybridlint.text.regular import read_regular

#: The kinds of object names that git has, by their length.
_HASHES = {40: "sha1", 64: "sha256"}


@record(frozen=True)
class Repository:
    """A git repository at one of its commits: the object names of the commit's files, by resolved path."""

    top: Path
    objects: Mapping[Path, str]

    @classmethod
    def of(cls, folder: Path, ref: str) -> Repository:
        """Read a commit of the repository that a folder is in. Raises UsageError."""
        commit = _git(folder, "rev-parse", "--quiet", "--verify", "--end-of-options", f"{ref}^{{commit}}")
        if commit.returncode:
            raise UsageError(f"--since: `{ref}` is no commit, branch or tag of the git repository that {folder} is in")
        top = Path(os.path.realpath(_told(_git(folder, "rev-parse", "--show-toplevel"))))
        listed = _git(folder, "ls-tree", "-r", "-z", "--full-tree", _told(commit)).stdout
        entries = (entry.split(b"\t", 1) for entry in listed.split(b"\0") if entry)
        return cls(top, {top / os.fsdecode(name): facts.split()[2].decode() for facts, name in entries})

    def read(self, path: Path) -> bytes:
        """Return the content of a file of the commit."""
        return _git(self.top, "cat-file", "blob", self.objects[path]).stdout

    @cached_property
    def gone(self) -> frozenset[Path]:
        """The Python files of the commit that are no longer there."""
        return frozenset(path for path in self.objects if path.suffix == SUFFIX and not path.is_file())

    @cached_property
    def gone_names(self) -> Mapping[str, FolderListing]:
        """The names of files that are gone, and of their folders, by the folder that they were in."""
        files: dict[str, set[str]] = {}
        folders: dict[str, set[str]] = {}
        for path in self.gone:
            files.setdefault(str(path.parent), set()).add(path.name)
            for inner in (parent for parent in path.parents if parent != self.top and parent.is_relative_to(self.top)):
                folders.setdefault(str(inner.parent), set()).add(inner.name)
        names = {*files, *folders}
        return {n: FolderListing(frozenset(files.get(n, ())), frozenset(folders.get(n, ()))) for n in names}


@record(frozen=True)
class BaseRevision:
    """The files on disk as git's `ref` has them. Files that `ref` lacks are read from disk."""

    ref: str
    _repositories: dict[Path, Repository] = field(default_factory=dict)

    def affected(self, files: Sequence[Path]) -> list[Path]:
        """Return the files that differ from the base revision or import a differing file. Raises UsageError.

        Documents are among them, as their imports are not followed, and so are paths that do not exist.
        """
        texts = TextImports()
        resolved = {Path(os.path.realpath(path)): path for path in files}
        there = [path for path in resolved if path.exists()]
        for path in there:
            self._repository(path.parent)
        reached = texts.reached(path for path in there if form_of(path) is None)
        changed = {path for path in reached if self.has_changed(path)}
        gone = {str(path) for repository in self._repositories.values() for path in repository.gone}
        if gone:
            changed |= {Path(links.path) for links in texts.finder.news() if gone.intersection(links.absent)}
        found = changed | texts.importers(changed, reached)
        return [p for real, p in resolved.items() if real in found or form_of(real) is not None or not real.exists()]

    def has_changed(self, path: Path) -> bool:
        """Whether a file, given by its resolved path, is not the base revision's; one in no repository is."""
        repository = self._known_repository(path.parent)
        if repository is None:
            return False
        known = repository.objects.get(path)
        try:
            data = read_regular(path)
        except OSError:
            return known is not None
        if known is None:
            return True
        return hashlib.new(_HASHES[len(known)], b"blob %d\0" % len(data) + data).hexdigest() != known

    def read(self, path: Path) -> bytes | None:
        """Return the content of a file in the base revision, None if it has no such file. Raises UsageError."""
        real = Path(os.path.realpath(path))
        repository = self._repository(real.parent)
        if real not in repository.objects:
            return self._renamed(repository, real)
        return repository.read(real) if self.has_changed(real) else read_regular(real)

    def read_import(self, path: Path) -> bytes:
        """Return the content of a file that others import. Raises OSError."""
        data = None if self._known_repository(path.parent) is None else self.read(path)
        return read_regular(path) if data is None else data

    def listing(self, folder: str) -> FolderListing:
        """Return the Python files and folders in a folder, with those that are gone since."""
        names = list_folder(folder)
        for repository in self._repositories.values():
            gone = repository.gone_names.get(folder)
            if gone is not None:
                names = FolderListing(names.files | gone.files, names.folders | gone.folders)
        return names

    @staticmethod
    def _renamed(repository: Repository, path: Path) -> bytes | None:
        """Return the content of a file that only its name tells from one that is gone."""
        try:
            data = read_regular(path)
        except OSError:
            return None
        for gone in repository.gone:
            name = repository.objects[gone]
            if hashlib.new(_HASHES[len(name)], b"blob %d\0" % len(data) + data).hexdigest() == name:
                return data
        return None

    def _repository(self, folder: Path) -> Repository:
        """Return the repository that a folder is in. Raises UsageError."""
        known = self._known_repository(folder)
        if known is None:
            known = self._repositories[folder] = Repository.of(folder, self.ref)
        return known

    def _known_repository(self, folder: Path) -> Repository | None:
        around = {folder, *folder.parents}
        return next((known for known in self._repositories.values() if known.top in around), None)


def _told(done: subprocess.CompletedProcess[bytes]) -> str:
    return os.fsdecode(done.stdout).strip()


def _git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    # A repository's own settings must not start programs: nothing here compares files on disk, which filters may do.
    command = ["git", "-c", "core.fsmonitor=false", "-C", str(folder), *arguments]
    try:
        return subprocess.run(command, capture_output=True, check=False)
    except FileNotFoundError as error:
        raise UsageError("--since needs git, which is not installed") from error
