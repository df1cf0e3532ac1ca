"""What the tests share: the built site, and a small copy of the project."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from .project import ROOT, copy

# One day for all that is made in a test run, as `make` says it.
os.environ.setdefault("SOURCE_DATE_EPOCH", "1750000000")
ADDRESS = "http://127.0.0.1/custom-gradients/"
"""The site is published under a path."""
KEPT = ("docs/index.md", "docs/lessons/chain_rule.md")
KEPT_PROGRAMS = (
    ("index", "index.py"),
    ("index", "index.out"),
    ("lessons", "chain_rule"),
)


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
            },
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=900,
        )
        assert done.returncode == 0, done.stdout
    return site


def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all processes of a test run."""
    folder = tmp_path_factory.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


@pytest.fixture(scope="session")
def built_site(tmp_path_factory) -> Path:
    """The folder of the site: built once for all processes of a test run, or one
    that is there."""
    if there := os.environ.get("BUILT_SITE"):
        return Path(there)
    folder = shared_folder(tmp_path_factory)
    site = folder / "built-site"
    with FileLock(f"{site}.lock"):
        if not site.exists():
            build_site(folder / "half-built").rename(site)
    return site


@pytest.fixture
def project(tmp_path) -> Path:
    """A copy that keeps the home page and one lesson, to build it often."""
    copy(tmp_path, ".cache/truth", ".cache/tracebook/runs")
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
