"""Promise: a program of another framework runs in that one's environment, and its page
shows what it printed there, with the day and the versions."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from adapters import frameworks
from reader import versions
from takeaway import commonmark, jupyter
from tracebook import settings, snippet
from truth import due
from truth.page import all_pages
from truth.site_check import SiteCheck

from .project import ROOT

pytestmark = pytest.mark.tools

PAGE = """\
# A page

=== "TensorFlow"

    ```python title="one.py"
    --8<-- "index/one.py"
    ```

    ```text title="prints"
    --8<-- "index/one.out"
    ```

=== "JAX"

    ```python title="one.jax.py"
    --8<-- "index/one.jax.py"
    ```

    ```text title="prints"
    --8<-- "index/one.jax.out"
    ```
"""
TWIN = "import os\n\nprint('a twin', os.environ.get('KERAS_BACKEND'))\n"


@pytest.fixture
def book(tmp_path) -> Path:
    for name, text in {
        "pyproject.toml": "[tool.tracebook]\n",
        "mkdocs.yml": "nav: [index.md]\n",
        "docs/index.md": PAGE,
        "snippets/index/one.py": "print(1)\n",
        "snippets/index/one.out": "1\n",
        "snippets/index/one.jax.py": TWIN,
        "snippets/index/one.jax.out": "a twin jax\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def tracebook(book: Path, *words: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "tracebook", *words],
        cwd=book,
        env={**os.environ, "KERAS_BACKEND": "jax"},
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout + done.stderr


def test_each_environment_runs_its_own_programs(book):
    code, printed = tracebook(book, "check")
    assert code == 0 and "1 snippets, 1 run" in printed, printed
    code, printed = tracebook(book, "--twins", "json", "check")
    assert code == 0 and "1 snippets, 1 run" in printed, printed
    (book / "snippets/index/one.jax.out").write_text("another\n")
    assert tracebook(book, "check")[0] == 0
    code, printed = tracebook(book, "--twins", "json", "check")
    assert code == 1 and "one.jax.py prints something else" in printed


def test_a_page_must_show_a_twin(book):
    (book / "docs/index.md").write_text(PAGE.partition('=== "JAX"')[0])
    code, printed = tracebook(book, "check")
    assert code == 1 and "snippets/index/one.jax.py: no page shows it" in printed
    (book / "snippets/index/one.jax.py").unlink()
    assert "one.jax.out: belongs to one.jax.py, which" in tracebook(book, "check")[1]


@pytest.fixture
def environment(monkeypatch):
    """This interpreter in the place of the frameworks' environment."""
    monkeypatch.setattr(frameworks, "_environment", lambda _: Path(sys.executable))
    monkeypatch.setitem(frameworks._MODULES, "jax", "json")
    numbers = {"jax": "JAX 9.8"}
    monkeypatch.setattr(frameworks, "_versions", lambda _: numbers)


def problems(book: Path) -> list[str]:
    pages = all_pages(book)
    return [
        failure
        for failure in SiteCheck(book, pages, pages).failures()
        if "one.jax.py" in failure
    ]


def test_a_twin_that_changed_since_it_ran_is_no_result(
    book, environment, monkeypatch, capsys
):
    monkeypatch.chdir(book)
    [message] = problems(book)
    assert message == (
        "snippets/index/one.jax.py:1: it or its output changed since it ran;"
        " run: make frameworks"
    )
    assert frameworks.main([]) == 0
    assert not problems(book)
    record = json.loads((book / versions.RUNS).read_text())
    assert record["versions"] == {"jax": "JAX 9.8"}
    assert [*record["programs"]] == ["index/one.jax.py"]
    for name in ("one.jax.py", "one.jax.out"):
        path = book / "snippets/index" / name
        before = path.read_text()
        path.write_text(before + "\n")
        assert problems(book) == [message], name
        path.write_text(before)
    (book / "snippets/index/one.jax.out").write_text("another\n")
    assert frameworks.main([]) == 1
    assert "one.jax.py prints something else" in capsys.readouterr().out
    assert json.loads((book / versions.RUNS).read_text()) == record
    assert frameworks.main(["update"]) == 0
    assert (book / "snippets/index/one.jax.out").read_text() == "a twin jax\n"


def test_a_share_runs_what_is_due_and_records_nothing(
    book, environment, monkeypatch, capsys
):
    monkeypatch.chdir(book)
    turns: set[str] = set()
    monkeypatch.setattr(due, "is_due", lambda _root, label, *_: label in turns)
    (book / "snippets/index/one.jax.out").write_text("another\n")
    turns = {"snippets/index/another.py"}
    assert frameworks.main(["share"]) == 0
    turns = {"snippets/index/one.jax.py"}
    assert frameworks.main(["share"]) == 1
    assert "one.jax.py prints something else" in capsys.readouterr().out
    (book / "snippets/index/one.jax.out").write_text("a twin jax\n")
    assert frameworks.main(["share"]) == 0
    assert not (book / versions.RUNS).exists()


@pytest.mark.parametrize("words", [["updat"], ["update", "x"], ["--help"]])
def test_a_mistyped_word_is_a_mistake_of_usage(words, capsys):
    assert frameworks.main(words) == 2
    assert "usage: python -m adapters.frameworks" in capsys.readouterr().err


def test_the_programs_of_a_page_are_those_of_this_environment(book):
    [page] = all_pages(book)
    assert [*page.programs] == ["index/one.py"]
    names = {"index/one.jax.py", "index/one.jax.out"}
    assert names <= {*page.included_names}


def test_a_notebook_runs_no_program_of_another_framework(book):
    links = commonmark.LinkResolver("index.md", str)
    blocks = commonmark.split(
        PAGE, links, lambda name: (book / "snippets" / name).read_text()
    )
    cells = json.loads(jupyter.notebook(blocks, links, "Opening"))["cells"]
    [code] = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code["source"] == ["print(1)"]
    assert code["outputs"][0]["text"] == ["1\n"]
    text = "".join(line for cell in cells for line in cell["source"])
    assert "> **JAX**" in text and "a twin jax" in text


def test_all_twins_of_the_site_ran_as_they_are():
    runs = versions.load(ROOT)
    twins = snippet.find(replace(settings.load(ROOT), twins=True))
    digests = {twin.name: versions.digest(*twin.digests) for twin in twins}
    assert digests == runs.programs and len(digests) > 20
    assert {versions.kind(name) for name in digests} == {*runs.versions}
