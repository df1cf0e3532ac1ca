"""Promise: MkDocs and the engine check the same project, wherever they are called."""

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
def project(tmp_path):
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


def page(project: Path) -> str:
    return (project / "site" / "index.html").read_text()


def test_a_build_from_another_folder_is_the_same(project, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    assert build(project)[0] == 0
    here = page(project)
    assert "onetwo" in here and "print('one' + 'two')" in here
    code, printed = build(elsewhere, "-f", project / "mkdocs.yml")
    assert code == 0 and "1 snippets, 1 run" in printed, printed
    assert page(project) == here
    (project / "snippets/x.out").write_text("three\n")
    assert build(elsewhere, "-f", project / "mkdocs.yml")[0] == 1


def test_pages_of_another_configuration_are_checked(project):
    (project / "other.yml").write_text(CONFIG + "docs_dir: pages\n")
    (project / "docs").rename(project / "pages")
    code, printed = build(project, "-f", "other.yml")
    assert code == 0 and "1 snippets, 1 run" in printed and "onetwo" in page(project)
    with (project / "pages/index.md").open("a") as text:
        text.write('\n--8<-- "nowhere.py"\n')
    code, printed = build(project, "-f", "other.yml")
    assert code == 1 and "pages/index.md:8: embeds nowhere.py" in printed


REMOVES = """
from pathlib import Path

def on_files(files, config):
    Path(config.docs_dir, "figures", "old.svg").unlink(missing_ok=True)
"""


def test_a_figure_may_go_while_pages_are_made(project):
    """The engine removes stale figures, as this hook does."""
    (project / "docs/figures").mkdir()
    (project / "docs/figures/old.svg").write_text("<svg/>")
    (project / "docs/figures/hand_made.svg").write_text("<svg/>")
    (project / "removes.py").write_text(REMOVES)
    (project / "mkdocs.yml").write_text(CONFIG + "hooks: [removes.py]\n")
    code, printed = build(project)
    assert code == 0, printed
    there = [path.name for path in (project / "site/figures").iterdir()]
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
def test_the_programs_are_where_the_engine_has_them(project, more):
    (project / "docs/x.py").write_text("another\n")
    (project / "mkdocs.yml").write_text(CONFIG + more)
    code, printed = build(project)
    assert code == 0 and "print('one' + 'two')" in page(project), printed


def test_a_configuration_with_other_folders_fails(project):
    (project / "base.yml").write_text("docs_dir: pages\n")
    (project / "pages").mkdir()
    config = CONFIG.replace("strict: true", "INHERIT: base.yml")
    (project / "mkdocs.yml").write_text(config)
    code, printed = build(project)
    assert (
        code == 1 and "docs_dir is pages" in printed and "Traceback" not in printed
    ), printed
    (project / "pyproject.toml").write_text("[tool.tracebook]\ndocs = 'pages'\n")
    code, printed = build(project)
    assert code == 1 and "no page shows it" in printed, printed


MERGE = "<<<<<<< HEAD\na {}\n=======\nb {}\n>>>>>>> other\n"
MISTYPED = [
    *(
        (
            "docs/other.md",
            f"---\nsearch: {value}\n---\n# Other\n",
            "other.md: search is ",
        )
        for value in ("", "exclude", "[exclude]", "{boost: high}", "{exlude: true}")
    ),
    ("docs/glossary.md", b"\xe9\n", "docs/glossary.md:1: is not UTF-8"),
    *(
        ("frameworks/runs.json", text, "frameworks/runs.json: ")
        for text in ("<<<<<<< HEAD\n", "", "null", "{}", "[" * 100_000, b"\xe9")
    ),
    *(
        (name, f"\n{MERGE}", f"{name}:2: has a merge's marks; keep one side")
        for name in ("docs/assets/x.js", "docs/assets/x.css", "docs/other.md")
    ),
    ("overrides/x.html", MERGE, "overrides/x.html:1: has a merge's marks"),
    ("docs/assets/x.css", b"a {}\n\xe9\n", "docs/assets/x.css:2: is not UTF-8"),
    ("mkdocs.yml", "extra: {moved: [old/]}\n", "extra: moved: write {old/: new/}"),
    ("mkdocs.yml", "extra: {moved: {1: 2}}\n", "moved: 1 leads to 2, which is no page"),
]


@pytest.mark.parametrize("name, text, message", MISTYPED)
def test_a_mistyped_or_damaged_file_is_named(project, name, text, message):
    hooks = [f"{SRC}/adapters/reader_hooks.py", f"{SRC}/adapters/publish_hooks.py"]
    (project / "mkdocs.yml").write_text(
        f"{CONFIG}  - reader.programs\nhooks: {hooks}\n"
        "theme: {name: mkdocs, custom_dir: overrides}\n"
    )
    for folder in ("docs/assets", "overrides"):
        (project / folder).mkdir(parents=True, exist_ok=True)
    (project / "docs/titled.md").write_text("# A title\n")
    (project / "frameworks").mkdir()
    with (project / name).open("ab") as file:
        file.write(text if isinstance(text, bytes) else text.encode())
    code, printed = build(project)
    assert code == 1 and message in printed and "Traceback" not in printed, printed


def test_a_build_runs_every_program_unless_it_may_remember(project):
    for _ in range(2):
        assert "1 snippets, 1 run, all" in build(project)[1]
    config = CONFIG.replace("[tracebook]", "[tracebook: {remember: true}]")
    (project / "mkdocs.yml").write_text(config)
    toml = "[tool.tracebook]\nmemory = 'store.runs:StoredRuns'\n"
    (project / "pyproject.toml").write_text(toml)
    assert "1 snippets, 1 run, all" in build(project)[1]
    assert "1 snippets, 0 run, 1 remembered, all" in build(project)[1]
    (project / "snippets/x.py").write_text("print('one' * 2)\n")
    code, printed = build(project)
    assert code == 1 and "snippets/x.out:1: " in printed
