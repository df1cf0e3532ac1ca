"""What the tests share: the built site, and a small copy of the project."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from tracebook import settings
from truth import due
from truth.page import Page, all_pages
from truth.site_check import SiteCheck

from .project import ROOT, copy, run

# Who starts tests in the background may have them ignore Ctrl-C, and all that they
# start; some of that is interrupted.
signal.signal(signal.SIGINT, signal.default_int_handler)
# One day for all that is made in a test run, as `make` says it.
os.environ.setdefault("SOURCE_DATE_EPOCH", "1750000000")
collect_ignore = ["claims"]  # `truth` runs them, also the file named test_in_ci.py
ADDRESS = "http://127.0.0.1/custom-gradients/"
"""The site is published under a path."""
KEPT = ("docs/index.md", "docs/lessons/chain_rule.md", "docs/checked.md")
KEPT_PROGRAMS = (
    *(
        ("index", f"index{s}.{e}")
        for s in ("", ".jax", ".torch", ".keras")
        for e in ("py", "out")
    ),
    ("index", "wrong"),
    ("lessons", "chain_rule"),
)
SINGLE = (
    "test_plain_python",
    "test_notebooks",
    "test_build_fails",
    "test_serve",
    "test_custom_gradient_check",
)
"""Files whose tests share next to nothing, so that any worker can run each test."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--share",
        action="store_true",
        help="of long tests and, unless the tools changed, of theirs: today's tenth only",
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Callable) -> object:
    """One worker runs all tests of a file, so that it makes their fixtures once."""
    # Not at the top: the tests also run with `-p no:xdist`.
    from xdist.scheduler import LoadFileScheduling

    class ByFile(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = Path(_file(nodeid)).stem
            return nodeid if file in SINGLE else super()._split_scope(nodeid)

    return ByFile(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Three for two cores: now and then one waits for what it started."""
    return min(settings.cores() * 3 // 2, 6)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """What takes a copy of the project builds it. With several workers: a file that
    builds the site, the files that don't need it, then those that do, so that few wait
    for it. Of each the longest first, so that no worker is left with a long one when
    all others are done."""
    for item in items:
        if "small_project" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.builds)
    if config.option.share:
        left = [item for item in items if is_left_out(item)]
        items[:] = [item for item in items if item not in {*left}]
        config.hook.pytest_deselected(items=left)
    if not hasattr(config, "workerinput"):
        return
    work: Counter[str] = Counter()
    for item in items:
        marks = {mark.name for mark in item.iter_markers()}
        work[_file(item.nodeid)] += _WORK_OF_LONG if marks & LONG else 1
    use_site = {
        _file(item.nodeid)
        for item in items
        if "built_site" in getattr(item, "fixturenames", ())
    }
    first = min(use_site, key=lambda file: (work[file], file), default="")

    def order(item: pytest.Item) -> tuple[bool, bool, int, str]:
        file = _file(item.nodeid)
        return file != first, file in use_site, -work[file], file

    items.sort(key=order)


TOOLS = (
    *("src", "tests", "overrides", "conftest.py", "mkdocs.yml", "pyproject.toml"),
    *("requirements.txt", ".gitattributes"),
)
"""What the tests of the tools depend on."""


def is_left_out(item: pytest.Item) -> bool:
    """Whether a test waits for its turn: a long one, or one of the tools. A sample and
    ``tools(False)`` never do."""
    marks = {mark.name for mark in item.iter_markers()}
    if marks & LONG and "sample" not in marks:
        return not due.is_due(ROOT, item.nodeid, _file(item.nodeid))
    mark = item.get_closest_marker("tools")
    is_tool = mark and mark.args != (False,)
    uses_site = "built_site" in getattr(item, "fixturenames", ())
    if not is_tool or uses_site:
        return False
    changed = [
        path for path in due.changed_files(ROOT) if not path.startswith("tests/claims/")
    ]
    is_changed = any(path.startswith(TOOLS) for path in changed)
    return not is_changed and not due.is_today(item.nodeid)


def _file(test: str) -> str:
    return test.partition("::")[0]


LONG = {"browser", "builds", "notebooks", "plain_python", "slow"}
"""Marks of tests that take long."""
_WORK_OF_LONG = 10
"""A test with such a mark takes about so many times as long as others."""
EVERY_PROGRAM = "EVERY_PROGRAM" in os.environ
"""Whether tests that take one program of each kind take all programs, as in the
shards of the workflow."""


def check_what_is_unverified(pages: list[Page]) -> str:
    """Run truth on pages, unless it proved all of them before; what it printed."""
    if not [*SiteCheck(ROOT, pages, []).unverified()]:
        return ""
    code, said = _command("truth", *(page.label for page in pages))
    assert code in (0, 1), said
    return said


def build_site(site: Path, remember: bool = True) -> Path:
    """Build the site by the real command, as it is published. What truth found and
    what ran since `make test` began need not run again."""
    check_what_is_unverified(all_pages(ROOT))
    code, said = _command("mkdocs", "build", "--site-dir", site, remember=remember)
    assert code == 0, said
    return site


def _command(*words: str | Path, remember: bool = True) -> tuple[int, str]:
    """Run a module of the project: exit code and all that it printed."""
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=ROOT,
        env={
            **os.environ,
            "NO_MKDOCS_2_WARNING": "1",
            "SITE_URL": ADDRESS,
            "TRACEBOOK_REMEMBER": "1" if remember else "0",
        },
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=1800,
    )
    return done.returncode, done.stdout


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


@pytest.fixture(scope="session")
def small_project(tmp_path_factory) -> Path:
    """A copy that keeps the home page and one lesson, and what is known of them."""
    small = shared_folder(tmp_path_factory) / "small-project"
    with FileLock(f"{small}.lock"):
        if not small.exists():
            half = small.with_name("half-a-project")
            _reduce(copy(half, ".cache/results.db"))
            code, said = run(half, "truth")
            assert code == 0, said
            half.rename(small)
    return small


@pytest.fixture
def project(small_project, tmp_path) -> Path:
    """A small copy of the project, to build it often."""
    return shutil.copytree(small_project, tmp_path, symlinks=True, dirs_exist_ok=True)


def _reduce(project: Path) -> None:
    for path in [*project.glob("docs/**/*.md"), *project.glob("docs/labs/*.py")]:
        if path.relative_to(project).as_posix() not in KEPT:
            path.unlink()
    for path in (p for p in project.glob("snippets/**/*") if p.is_file()):
        if path.relative_to(project / "snippets").parts[:2] not in KEPT_PROGRAMS:
            path.unlink()
    for page in project.glob("docs/**/*.md"):
        text = _without_links_to_what_is_gone(page)
        # The menu is another one, and so is the next page.
        page.write_text(re.sub(r"^Next: .*(?:\n.+)*", "", text, flags=re.MULTILINE))
    # The ledger leads to it. Its examples belong to tests that aren't there.
    (project / "docs/checked.md").write_text(
        "# How this site is checked\n\n"
        "## When two traces are equal { #when-two-traces-are-equal }\n\nBy runs.\n"
    )
    config = project / "mkdocs.yml"
    nav = "".join(f"  - {page.removeprefix('docs/')}\n" for page in KEPT)
    settings = re.sub(r"^  moved:.*\n(?:    .*\n)*", "", config.read_text(), flags=re.M)
    config.write_text(
        re.sub(r"^nav:\n.*?^(?=\S)", f"nav:\n{nav}\n", settings, flags=re.S | re.M)
    )


def _without_links_to_what_is_gone(page: Path) -> str:
    def keep(link: re.Match) -> str:
        target = link[2].partition("#")[0]
        there = not target or "://" in target or (page.parent / target).exists()
        # The year of a citation stands nowhere else.
        return link[0] if there else re.sub(r",\s+\d{4}$", "", link[1])

    return re.sub(
        r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)(\{[^}]*\})?", keep, page.read_text()
    )
