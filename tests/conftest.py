"""What the tests share: the built site, and a small copy of the project."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock
from xdist.scheduler import LoadScopeScheduling

from .project import ROOT, copy

ADDRESS = "http://127.0.0.1/custom-gradients/"
"""The site is published under a path."""
INDEPENDENT = ("tests/test_build_fails.py", "tests/test_plain_python.py")
"""Where tests share nothing that is costly to make."""
KEPT = ("docs/index.md", "docs/lessons/chain_rule.md")
KEPT_PROGRAMS = (
    ("index", "index.py"),
    ("index", "index.out"),
    ("lessons", "chain_rule"),
)


class _ByFile(LoadScopeScheduling):
    """Gives a file of tests to one process; independent tests to whichever is free.

    The marks of ``--dist loadgroup`` have no effect in pytest 9.2
    (pytest-dev/pytest-xdist#1386).
    """

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return nodeid if file in INDEPENDENT else file


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Short independent tests come last, so that all processes end together."""
    items.sort(key=lambda item: item.path.stem == "test_plain_python")


def pytest_xdist_make_scheduler(config: pytest.Config, log) -> _ByFile:
    return _ByFile(config, log)


def build_site(site: Path) -> Path:
    """Build the site by the real commands, as it is published."""
    for command in (["truth"], ["mkdocs", "build", "--site-dir", site]):
        done = subprocess.run(
            [sys.executable, "-m", *command],
            cwd=ROOT,
            env={
                **os.environ,
                "NO_MKDOCS_2_WARNING": "1",
                "SITE_URL": ADDRESS,
                "SOURCE_DATE_EPOCH": "1750000000",
            },
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=900,
        )
        assert done.returncode == 0, done.stdout
    return site


@pytest.fixture(scope="session")
def built_site(tmp_path_factory) -> Path:
    """The folder of the site: built once for all processes of a test run, or one
    that is there."""
    if there := os.environ.get("BUILT_SITE"):
        return Path(there)
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    site = folder / "built-site"
    with FileLock(f"{site}.lock"):
        if not site.exists():
            build_site(folder / "half-built").rename(site)
    return site


@pytest.fixture
def project(tmp_path) -> Path:
    """A copy that keeps the home page and one lesson, to build it often."""
    copy(tmp_path, ".cache/truth")
    for path in [*tmp_path.glob("docs/**/*.md"), *tmp_path.glob("docs/labs/*.py")]:
        if path.relative_to(tmp_path).as_posix() not in KEPT:
            path.unlink()
    for path in (p for p in tmp_path.glob("snippets/**/*") if p.is_file()):
        if path.relative_to(tmp_path / "snippets").parts[:2] not in KEPT_PROGRAMS:
            path.unlink()
    for page in tmp_path.glob("docs/**/*.md"):
        page.write_text(_without_links_to_what_is_gone(page))
    config = tmp_path / "mkdocs.yml"
    nav = "".join(f"  - {page.removeprefix('docs/')}\n" for page in KEPT)
    config.write_text(
        re.sub(
            r"^nav:\n.*?^(?=\S)",
            f"nav:\n{nav}\n",
            config.read_text(),
            flags=re.DOTALL | re.MULTILINE,
        )
    )
    return tmp_path


def _without_links_to_what_is_gone(page: Path) -> str:
    def keep(link: re.Match) -> str:
        target = link[2].partition("#")[0]
        there = not target or "://" in target or (page.parent / target).exists()
        return link[0] if there else link[1]

    return re.sub(r"\[([^\]]+)\]\(([^)\s]+)\)(\{[^}]*\})?", keep, page.read_text())
