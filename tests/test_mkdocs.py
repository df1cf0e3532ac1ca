"""Promise: MkDocs and the engine speak of one book, wherever they are called."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .project import ROOT

pytestmark = pytest.mark.tools

SRC = ROOT / "src"
CONFIG = """
site_name: A book
strict: true
plugins: [tracebook]
use_directory_urls: false
markdown_extensions:
  - pymdownx.superfences
"""


@pytest.fixture
def book(tmp_path):
    for name, text in {
        "pyproject.toml": "[tool.tracebook]\n",
        "mkdocs.yml": CONFIG,
        "snippets/x.py": "print('one' + 'two')\n",
        "snippets/x.out": "onetwo\n",
        "docs/index.md": '```\n--8<-- "x.py"\n```\n```\n--8<-- "x.out"\n```\n',
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def build(folder: Path, *arguments: str | Path) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", *arguments],
        cwd=folder,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "SOURCE_DATE_EPOCH": "1"},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
    )
    return done.returncode, done.stdout


def page(book: Path) -> str:
    return (book / "site" / "index.html").read_text()


def test_a_build_from_another_folder_is_the_same(book, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    assert build(book)[0] == 0
    here = page(book)
    assert "onetwo" in here and "print('one' + 'two')" in here
    code, said = build(elsewhere, "-f", book / "mkdocs.yml")
    assert code == 0 and "1 snippets, 1 run" in said, said
    assert page(book) == here
    (book / "snippets/x.out").write_text("three\n")
    assert build(elsewhere, "-f", book / "mkdocs.yml")[0] == 1


def test_pages_of_another_configuration_are_judged(book):
    (book / "other.yml").write_text(CONFIG + "docs_dir: pages\n")
    (book / "docs").rename(book / "pages")
    code, said = build(book, "-f", "other.yml")
    assert code == 0 and "1 snippets, 1 run" in said and "onetwo" in page(book)
    with (book / "pages/index.md").open("a") as text:
        text.write('\n--8<-- "nowhere.py"\n')
    code, said = build(book, "-f", "other.yml")
    assert code == 1 and "pages/index.md:8: embeds nowhere.py" in said


REMOVES = """
from pathlib import Path

def on_files(files, config):
    Path(config.docs_dir, "figures", "old.svg").unlink(missing_ok=True)
"""


def test_a_figure_may_go_while_pages_are_made(book):
    """The engine removes what nobody draws any more, as this hook does."""
    (book / "docs/figures").mkdir()
    (book / "docs/figures/old.svg").write_text("<svg/>")
    (book / "docs/figures/hand_made.svg").write_text("<svg/>")
    (book / "removes.py").write_text(REMOVES)
    (book / "mkdocs.yml").write_text(CONFIG + "hooks: [removes.py]\n")
    code, said = build(book)
    assert code == 0, said
    there = [path.name for path in (book / "site/figures").iterdir()]
    assert there == ["hand_made.svg"]


@pytest.mark.parametrize(
    "more",
    [
        "",
        "  - tracebook.extension\n",
        "  - tracebook.extension: {snippets: docs}\n",
        "  - pymdownx.snippets: {base_path: [docs], check_paths: true}\n",
    ],
)
def test_the_programs_are_where_the_engine_has_them(book, more):
    (book / "docs/x.py").write_text("another\n")
    (book / "mkdocs.yml").write_text(CONFIG + more)
    code, said = build(book)
    assert code == 0 and "print('one' + 'two')" in page(book), said


def test_a_configuration_that_speaks_of_another_book_fails(book):
    (book / "base.yml").write_text("docs_dir: pages\n")
    (book / "pages").mkdir()
    config = CONFIG.replace("strict: true", "INHERIT: base.yml")
    (book / "mkdocs.yml").write_text(config)
    code, said = build(book)
    assert code == 1 and "docs_dir is pages" in said and "Traceback" not in said, said
    (book / "pyproject.toml").write_text("[tool.tracebook]\ndocs = 'pages'\n")
    code, said = build(book)
    assert code == 1 and "no page shows it" in said, said


MISTYPED = [
    *(
        (
            "docs/other.md",
            f"---\nsearch: {said}\n---\n# Other\n",
            "other.md: search is ",
        )
        for said in ("", "exclude", "[exclude]", "{boost: high}", "{exlude: true}")
    ),
    ("docs/glossary.md", "a { #a }\n\nNo.\n", "docs/glossary.md:1: 'a' has no defin"),
    ("docs/glossary.md", b"\xe9\n", "docs/glossary.md:1: is not UTF-8"),
    *(
        ("docs/versions.json", said, "versions.json: ")
        for said in ("<<<<<<< HEAD\n", "", "null", "{}", "[" * 100_000, b"\xe9")
    ),
    ("mkdocs.yml", "extra: {moved: [old/]}\n", "extra: moved: write {old/: new/}"),
    ("mkdocs.yml", "extra: {moved: {1: 2}}\n", "moved: 1 leads to 2, which is no page"),
]


@pytest.mark.parametrize("name, text, said", MISTYPED)
def test_what_is_mistyped_or_damaged_is_named(book, name, text, said):
    hooks = [f"{SRC}/adapters/reader_hooks.py", f"{SRC}/adapters/publish_hooks.py"]
    (book / "mkdocs.yml").write_text(f"{CONFIG}  - reader.versions\nhooks: {hooks}\n")
    (book / "docs/titled.md").write_text("# A title\n")
    with (book / name).open("ab") as file:
        file.write(text if isinstance(text, bytes) else text.encode())
    code, printed = build(book)
    assert code == 1 and said in printed and "Traceback" not in printed, printed


def test_a_build_runs_every_program_unless_it_may_remember(book):
    for _ in range(2):
        assert "1 snippets, 1 run, all" in build(book)[1]
    config = CONFIG.replace("[tracebook]", "[tracebook: {remember: true}]")
    (book / "mkdocs.yml").write_text(config)
    toml = "[tool.tracebook]\nmemory = 'store.runs:StoredRuns'\n"
    (book / "pyproject.toml").write_text(toml)
    assert "1 snippets, 1 run, all" in build(book)[1]
    assert "1 snippets, 0 run, 1 remembered, all" in build(book)[1]
    (book / "snippets/x.py").write_text("print('one' * 2)\n")
    code, said = build(book)
    assert code == 1 and "snippets/x.out:1: " in said
