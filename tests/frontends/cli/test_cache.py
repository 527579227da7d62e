"""The cache: it follows whatever a file's findings depend on, and nothing else is analyzed again."""

from __future__ import annotations

import pytest

from hybridlint.project.files.cache_folder import read_from, write_into

from .conftest import CommandLine

PLAIN = "class Base:\n    pass\n"
HYBRID = "from mxnet.gluon import HybridBlock\n\n\nclass Base(HybridBlock):\n    pass\n"
#: A finding where Base is a HybridBlock, whose `forward` must not be overridden.
NET = "from {module} import Base\n\n\nclass Net(Base):  # perhaps a HybridBlock\n    def forward(self, x): ...\n"


@pytest.fixture
def net(cli: CommandLine) -> CommandLine:
    cli.write("net.py", NET.format(module="base"))
    return cli


def test_a_base_that_changes(net: CommandLine) -> None:
    for text, status in ((PLAIN, 0), (HYBRID, 1), (PLAIN, 0)):
        net.write("base.py", text)
        assert [net("check").status, net("check").status] == [status, status]


def test_a_base_behind_another_file_that_changes(cli: CommandLine) -> None:
    cli.write("net.py", NET.format(module="middle"))
    cli.write("middle.py", "from base import *\n")
    for text, status in ((PLAIN, 0), (HYBRID, 1)):
        cli.write("base.py", text)
        assert cli("check").status == status


def test_a_file_that_an_import_now_leads_to(net: CommandLine) -> None:
    assert net("check").status == 0
    path = net.write("base.py", HYBRID)
    assert net("check", "net.py").status == 1
    path.unlink()
    assert net("check", "net.py").status == 0


def test_a_package_that_hides_a_module(net: CommandLine) -> None:
    net.write("base.py", PLAIN)
    assert net("check").status == 0
    net.write("base/__init__.py", HYBRID)
    assert net("check").status == 1


def test_a_folder_that_becomes_a_package(cli: CommandLine) -> None:
    cli.write("part/net.py", NET.format(module="base"))
    cli.write("part/base.py", PLAIN)
    cli.write("base.py", HYBRID)
    assert cli("check").status == 0
    cli.write("part/__init__.py", "")
    assert cli("check").status == 1


def test_checking_one_file_leaves_others_outdated(net: CommandLine) -> None:
    net.write("other.py", NET.format(module="base"))
    net.write("base.py", PLAIN)
    assert net("check").status == 0
    net.write("base.py", HYBRID)
    assert net("check", "other.py").status == 1
    assert net("check", "net.py").status == 1


def test_an_index_that_is_no_index_is_none(net: CommandLine) -> None:
    net.write("base.py", HYBRID)
    first = net("check").out
    index = net.folder / ".hybridlint_cache" / "results.json"
    document = read_from(index.parent, index.name)
    for broken in ("", "[]"):
        index.write_text(broken, encoding="utf-8")
        assert net("check").out == first
    write_into(index.parent, index.name, {**document, "links": {"paths": [], "nodes": [[0, "", [1]]]}})
    assert net("check").out == first
