"""Downloads, verified by SHA-1 checksums."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

_REPOSITORY = "https://apache-mxnet.s3-accelerate.dualstack.amazonaws.com/"


def check_sha1(filename: str, sha1_hash: str) -> bool:
    """Return whether the file has this SHA-1 checksum."""
    return hashlib.sha1(Path(filename).read_bytes(), usedforsecurity=False).hexdigest() == sha1_hash


def download(
    url: str,
    path: str | None = None,
    overwrite: bool = False,
    sha1_hash: str | None = None,
    retries: int = 5,
    verify_ssl: bool = True,
) -> str:
    """Download a file into the folder, or to the file, `path` (default: the URL's last part), and return its name.

    An existing file is kept unless `overwrite` is true or its SHA-1 checksum differs. Raises OSError if the download
    fails after `retries` further attempts or has a wrong checksum, and AssertionError for negative `retries`.
    """
    if retries < 0:
        raise AssertionError(f"Number of retries should be at least 0, currently it's {retries}")
    name = _target(url, path)
    if os.path.exists(name) and not overwrite and (sha1_hash is None or check_sha1(name, sha1_hash)):
        return name
    os.makedirs(os.path.dirname(os.path.abspath(name)), exist_ok=True)
    for left in range(retries, -1, -1):
        try:
            _load(url, name, sha1_hash, verify_ssl)
            break
        except OSError as error:
            if not left:
                raise
            print(f"download failed due to {error!r}, retrying, {left} attempt{'s' if left > 1 else ''} left")
    return name


def replace_file(src: str, dst: str) -> None:
    """Move a file over another one atomically."""
    os.replace(src, dst)


def repository() -> str:
    """Return the base URL of MXNet's data sets and models: MXNET_GLUON_REPO, or MXNet's default."""
    url = os.environ.get("MXNET_GLUON_REPO", _REPOSITORY)
    return url if url.endswith("/") else url + "/"


def repository_file(namespace: str, filename: str) -> str:
    """Return the URL of a file in the repository."""
    return f"{repository()}{namespace}/{filename}"


def _target(url: str, path: str | None) -> str:
    own = url.rsplit("/", maxsplit=1)[-1]
    if not own:
        raise AssertionError(f"Can't construct file-name from this URL. Please set the `path` option manually: {url}")
    if path is None:
        return own
    path = os.path.expanduser(path)
    return os.path.join(path, own) if os.path.isdir(path) else path


def _load(url: str, name: str, sha1_hash: str | None, verify_ssl: bool) -> None:
    # A sixth of what the runtime would import, for what most programs never do.
    import ssl
    import urllib.request

    print(f"Downloading {name} from {url}...")
    context = ssl.create_default_context()
    if not verify_ssl:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    folder = os.path.dirname(os.path.abspath(name))
    with (
        urllib.request.urlopen(url, context=context) as answer,
        tempfile.NamedTemporaryFile(dir=folder, delete=False) as file,
    ):
        file.write(answer.read())
    if sha1_hash is not None and not check_sha1(file.name, sha1_hash):
        os.remove(file.name)
        raise OSError(f"File {name} is downloaded but the content hash does not match.")
    replace_file(file.name, name)
