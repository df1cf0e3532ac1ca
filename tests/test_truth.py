"""Promise: the ledger and the pages tell what was found, and nothing else; nothing is
checked twice; and a page that isn't known to hold isn't built.

Most of it is tried on a small book with small checks.
"""

import io
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import redirect_stdout, suppress
from functools import partial
from pathlib import Path
from typing import Literal

import psutil
import pytest
from bs4 import BeautifulSoup
from mkdocs.commands.build import build as mkdocs_build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort, PluginError

from adapters import truth_plugin
from truth import __main__ as command
from truth import pool, results, work
from truth.finding import Finding
from truth.ledger import page as ledger
from truth.page import Page
from truth.pool import PROGRAMS, Task

pytestmark = pytest.mark.tools

DAY = "1750000000"
"""2025-06-15"""

FILES = {
    "pyproject.toml": "[tool.tracebook]\n",
    "mkdocs.yml": """\
site_name: A small book
strict: true
nav: [index.md, part/one.md, ledger.md]
theme: {name: material, font: false}
plugins: [search, truth, mathml]
markdown_extensions:
  - attr_list
  - def_list
  - tables
  - toc: {permalink: true}
  - pymdownx.arithmatex:
      {generic: true, inline_syntax: [dollar], block_syntax: [dollar]}
  - pymdownx.details
  - pymdownx.snippets: {base_path: [snippets]}
  - pymdownx.superfences
  - mathml.extension
  - reader.terms
  - truth.ledger.signs
validation: {links: {anchors: warn}}
""",
    "docs/index.md": """\
---
hide: [toc]
---

# Home

```python title="two.py"
--8<-- "two.py"
```

```text title="prints"
--8<-- "two.out"
```

Twice 1 is 2, a thing.
""",
    "docs/part/one.md": """\
# One `thing`

$$
y = x^2
$$

So

$$
y' = 2x
$$

```python title="one.py"
--8<-- "one.py"
```

```text title="prints"
--8<-- "one.out"
```

```{.python .wrong title="wrong/three.py"}
--8<-- "wrong/three.py"
```

```text title="prints"
--8<-- "wrong/three.out"
```

It prints 1.
""",
    "docs/checked.md": "# How\n",
    "docs/glossary.md": "thing { #thing }\n\n:   What is meant.\n",
    "snippets/one.py": "print(1)\n",
    "snippets/one.out": "1\n",
    "snippets/two.py": "print(2)\n",
    "snippets/two.out": "2\n",
    "snippets/wrong/three.py": "# tracebook: raises KeyError\nraise KeyError(3)\n",
    "snippets/wrong/three.out": "KeyError: 3\n",
}


def formulas(page: Page) -> Iterator[Finding]:
    for n, each in enumerate(page.formulas):
        state = "failed" if "3" in each.text else "proven" if n else "given"
        where, how = page.location(each.start), "by *hand*, as $x$ and `x`"
        yield Finding("formula", state, page.label, where, each.label, how)


def quotes(page: Page) -> Iterator[Finding]:
    for each in re.findall("[0-9]+", page.prose.partition("# ")[2]):
        where = f"{page.label}:1"
        yield Finding("quote", "compared", page.label, where, each, "it is")


STUBS = {"formulas": formulas, "quotes": quotes}


def ask(task: Task, root: Path) -> list[Finding]:
    """Small checks in place of those that take long."""
    found = []
    for thing in task.things:
        path = root / thing
        if task.check == PROGRAMS:
            if _printed(path) != path.with_suffix(".out").read_text():
                found.append(Finding("trace", "failed", thing, f"{thing}:1", "", "no"))
            state = "failed" if "4" in path.read_text() else "tried"
            wrong = path.parent.name == "wrong"
            found.append(Finding("rule", state, thing, "", "f", expected_failure=wrong))
        elif task.check in STUBS:
            found += STUBS[task.check](Page(path, root))
    return found


def _printed(program: Path) -> str:
    printed = io.StringIO()
    with redirect_stdout(printed), suppress(KeyError):
        exec(program.read_text(), {})
    return printed.getvalue() or "KeyError: 3\n"


class Book:
    """A book of two pages, three programs, and checks that take no time."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture) -> None:
        self.root, self._capsys = root, capsys
        self.ask = ask
        self._asked: set[tuple[str, str]] = set()
        for name, text in FILES.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")

    def run(self, tasks, root, workers, done, *, ask, tell) -> None:
        """In place of processes."""
        for task in tasks:
            self._asked |= {(task.check, thing) for thing in task.things}
            done(task, self.ask(task, root))

    def truth(self, *pages: str) -> tuple[int, str]:
        """Exit code of the command, and all it says."""
        code = command.main(
            ["--root", str(self.root), *(str(self.root / page) for page in pages)]
        )
        os.environ.pop("TRUTH_CHOSEN", None)
        said = self._capsys.readouterr()
        return code, said.err + said.out

    def holds(self) -> str:
        code, said = self.truth()
        assert code == 0, said
        return said

    def asked(self) -> set[tuple[str, str]]:
        """What the checks were asked since the last time."""
        asked, self._asked = self._asked, set()
        return asked

    def edit(self, name: str, old: str, new: str) -> None:
        text = (self.root / name).read_text("utf-8")
        assert old in text
        (self.root / name).write_text(text.replace(old, new), "utf-8")

    @property
    def ledger(self) -> str:
        return ledger.text(self.root)

    def build(self, action: Literal["build", "serve"] = "build") -> Path:
        """The site, as MkDocs builds it."""
        config = load_config(str(self.root / "mkdocs.yml"))
        config.plugins.on_startup(command=action, dirty=False)
        mkdocs_build(config)
        return self.root / "site"

    def is_whole(self, page: str = "docs/part/one.md") -> bool:
        """Whether all checks of a page are known."""
        return results.Results(self.root).is_whole(Page(self.root / page, self.root))


@pytest.fixture
def book(tmp_path, capsys, monkeypatch) -> Book:
    book = Book(tmp_path / "book", capsys)
    monkeypatch.setattr(pool, "run", book.run)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", DAY)
    monkeypatch.chdir(book.root)
    return book


PAGES = 4
ALL = len(results.CHECKS) * PAGES + 3
"""Each check of each page, and each program."""


def html(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text("utf-8"), "lxml")


def row(text: str, page: str) -> list[str]:
    """The cells of a page in the ledger's first table."""
    line = re.search(rf"^\| \[[^|]*\]\({page}\) \|(.*)\|$", text, re.MULTILINE)
    return [cell.strip() for cell in line[1].split("|")]


def test_counts_what_the_checks_find(book):
    printed = book.holds().splitlines()
    for line in (
        "programs: 3 run, 3 outputs compared, 1 errors reproduced, 0 failed",
        "formulas: 1 proven, 1 given, 0 failed",
        "rules: 3 tried, 0 failed",
        "quotes: 3 compared, 0 failed",
    ):
        assert line in printed
    # Outputs, formulas, gradients, claims, numbers, not decided.
    assert row(book.ledger, "part/one.md") == ["2", "1", "2", "0", "0", "0"]
    assert row(book.ledger, "index.md") == ["1", "0", "1", "0", "0", "0"]


def test_nothing_is_checked_twice(book):
    book.holds()
    assert len(book.asked()) == ALL
    printed = book.holds()
    assert book.asked() == set()
    assert "formulas: 1 proven, 1 given, 0 failed" in printed


def test_all_checks_everything_anew(book, monkeypatch):
    book.holds()
    book.asked()
    monkeypatch.setenv("TRUTH_ALL", "1")
    book.holds()
    assert len(book.asked()) == ALL


def test_an_edit_checks_its_page_again(book):
    book.holds()
    book.asked()
    book.edit("docs/index.md", "Twice", "Two times")
    book.holds()
    assert book.asked() == {(check, "docs/index.md") for check in results.CHECKS}


def test_a_changed_program_checks_the_pages_that_show_it(book):
    book.holds()
    book.asked()
    (book.root / "snippets/one.py").write_text("print(0 + 1)\n")
    book.holds()
    things = {thing for _, thing in book.asked()}
    assert things == {"docs/part/one.md", "snippets/one.py"}


def test_changed_settings_check_all_again(book):
    book.holds()
    book.asked()
    with (book.root / "pyproject.toml").open("a") as file:
        file.write("rel = 1e-4\n")
    book.holds()
    assert len(book.asked()) == ALL


NAMED = {
    "tools/plan.txt": "tools/plan.txt",
    "one.txt": "snippets/part/one/one.txt",
    "beside.txt": "docs/part/beside.txt",
    "gone.out": "snippets/gone.py",
    "wrong/four.py": "snippets/four.py",
}


@pytest.mark.parametrize("named", NAMED)
def test_a_file_that_a_page_names_belongs_to_its_key(book, named):
    """Also a file that is made later, wherever the page may mean it."""
    path = book.root / NAMED[named]
    book.edit("docs/part/one.md", "It prints", f"See `{named}`. It prints")
    book.holds()
    book.asked()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("a")
    book.holds()
    assert ("quotes", "docs/part/one.md") in book.asked()
    path.unlink()
    book.holds()
    assert book.asked() == set(), "it is as it was before"


@pytest.mark.parametrize("name", ["../plan.txt", "LICENSE", f"{'x' * 300}.txt"])
def test_a_name_that_leads_elsewhere_names_nothing(book, name):
    for path in ("docs/plan.txt", "LICENSE"):
        (book.root / path).write_text("5\n")
    page = Page(book.root / "docs/part/one.md", book.root)
    assert page.find_file(name) is None and page.find_file("docs/plan.txt")


def test_a_failure_is_named_and_checked_again(book):
    book.edit("docs/part/one.md", "y' = 2x", "y' = 3x")
    for _ in range(2):
        code, printed = book.truth()
        assert code == 1
        assert "docs/part/one.md:9: y' = 3x: by *hand*, as $x$ and `x`\n" in printed
        assert "formulas: 1 given, 1 failed" in printed
    assert book.truth("docs/index.md")[0] == 0


def test_an_output_that_differs_fails(book):
    """By the engine itself."""
    book.ask = lambda task, root: (work if task.check == PROGRAMS else BY).ask(
        task, root
    )
    (book.root / "snippets/one.out").write_text("4\n")
    code, printed = book.truth()
    assert code == 1
    assert "snippets/one.out:1: snippets/one.py prints something else" in printed
    assert "2 run, 2 outputs compared, 1 errors reproduced, 1 failed" in printed
    assert row(book.ledger, "part/one.md")[0] == "1"


BY = sys.modules[__name__]


@pytest.mark.parametrize("name", ["gone.py", "../lost.py", "{root}/lost.py"])
def test_a_program_that_is_not_in_its_folder_fails(book, name):
    (book.root / "lost.py").write_text("print(3)\n")
    name = name.format(root=book.root)
    book.edit("docs/part/one.md", '"one.py"\n```', f'"{name}"\n```')
    code, printed = book.truth()
    assert code == 1
    assert f"docs/part/one.md:14: embeds {name}, which is not in snippets/" in printed


def test_a_check_that_tells_of_another_page_names_itself(book):
    stranger = Finding("quote", "compared", "docs/checked.md", "", "")
    task = Task("quotes", ("docs/index.md",))
    book.ask = lambda other, root: [stranger] if other == task else ask(other, root)
    code, printed = book.truth()
    assert code == 1 and "truth: quotes tells of {'docs/checked.md'}" in printed
    assert not book.is_whole("docs/index.md") and book.is_whole()


def crash(how: str, task: Task, root: Path) -> list[Finding]:
    """One check of one page does not come to its end."""
    if task == Task("quotes", ("docs/index.md",)):
        match how:
            case "raises":
                raise LookupError("so it goes")
            case "exits":
                os._exit(0)
            case "is killed":
                os.abort()
            case "hangs":
                while True:
                    pass
    return ask(task, root)


@pytest.mark.parametrize(
    "how",
    [
        "raises",
        pytest.param("exits", marks=pytest.mark.slow),
        "is killed",
        pytest.param("hangs", marks=pytest.mark.slow),
    ],
)
def test_a_check_that_crashes_names_itself_and_nothing_else(book, how, monkeypatch):
    limit = 2 if how == "hangs" else 60
    monkeypatch.setattr(command, "ask", partial(crash, how))
    monkeypatch.setattr(pool, "run", partial(REALLY_RUN, time_limit=limit))
    code, printed = book.truth()
    assert code == 1
    heading = r"^truth: (.*) did not come to its end, on (.*)$"
    assert re.findall(heading, printed, re.M) == [("quotes", "docs/index.md")]
    assert ("so it goes" in printed) == (how == "raises")
    assert not book.is_whole("docs/index.md") and book.is_whole()
    assert "truth: programs 0 of 3, " in printed


REALLY_RUN = pool.run


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_end_from_outside_leaves_nothing(book, how, tmp_path):
    (book.root / "snippets/one.py").write_text("import time; time.sleep(600)\n")
    (scratch := tmp_path / "tmp").mkdir()
    truth = subprocess.Popen(
        [sys.executable, "-m", "truth", "--root", book.root],
        env={**os.environ, "TMPDIR": str(scratch)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    started, deadline = psutil.Process(truth.pid), time.monotonic() + 60
    while len(family := started.children(recursive=True)) < 6:
        assert time.monotonic() < deadline and truth.poll() is None
        time.sleep(0.1)
    assert any(scratch.iterdir())
    truth.send_signal(how)
    assert truth.wait(30) == 128 + how
    assert not psutil.wait_procs(family, 5)[1], "a process is left"
    assert not [*scratch.iterdir()], "a file is left"


def test_a_page_that_is_none_is_a_mistake_of_usage(book):
    code, said = book.truth("docs/two.md")
    assert code == 2 and "docs/two.md" in said


def test_the_site_has_signs_and_the_ledger(book, tmp_path, monkeypatch):
    book.edit(
        "docs/part/one.md", "It prints 1.", "*It prints 1.*{#prints} It ends. $x$"
    )
    test = book.root / "tests/claims/part/one.py"
    test.parent.mkdir(parents=True)
    test.write_text(TEST)
    book.holds()
    monkeypatch.chdir(tmp_path)  # wherever the build is started
    site = book.build()
    page = html(site / "part/one/index.html")
    claim = page.select_one("em.claim")
    assert claim["id"] == "prints" and claim.get_text() == "It prints 1."
    link = claim.find_next_sibling("sup").a
    assert link.get_text() == "1" and link["href"] == "#tried-prints"
    entry = page.select_one(".tried #tried-prints")
    assert "Not run in this copy" in entry.get_text()
    assert entry.select_one("a.back")["href"] == f"#{link['id']}"
    [stamp] = page.select("article p.stamp")
    assert stamp.get_text() == (
        "Checked: 2 programs, 2 formulas, 2 gradients. What was checked"
    )
    assert stamp.a["href"] == "../../ledger/#pages"
    assert (site / "tests/claims/part/one.py").read_text() == TEST
    rows = html(site / "ledger/index.html").select("table")[1].select("tbody tr")
    assert [cell.get_text() for cell in rows[0].select("td")] == [
        "One thing",
        "It prints 1.",
        "not run in this copy",
    ]
    assert rows[0].a["href"] == "../part/one/#prints"
    assert not html(site / "checked/index.html").select("p.stamp, .tried")
    index = (site / "search/search_index.json").read_text("utf-8")
    assert "was checked" not in index and "Home" in index


TEST = """\
def test_prints():
    assert 1 == 1
    with contrast("2"):
        assert 1 != 2
"""


@pytest.mark.parametrize(
    "changed, old, new",
    [
        ("docs/part/one.md", "It prints", "It says"),
        ("snippets/one.py", "print(1)", "print(0 + 1)"),
        ("snippets/one.out", "1", "1.0"),
    ],
)
def test_an_edited_page_counts_for_nothing_until_it_is_checked(book, changed, old, new):
    book.holds()
    assert book.is_whole()
    book.edit(changed, old, new)
    assert not book.is_whole() and book.is_whole("docs/index.md")
    book.edit(changed, new, old)
    assert book.is_whole()


SPOILT = {
    "edited": ("docs/part/one.md", "It prints", "It says"),
    "false": ("docs/part/one.md", "y' = 2x", "y' = 3x"),
    "not printed": ("snippets/one.out", "1", "2"),
}


@pytest.mark.parametrize("spoilt", [*SPOILT, "not recorded"])
@pytest.mark.parametrize("strict", ["true", "false"])
def test_a_page_that_is_not_known_to_hold_is_not_built(book, spoilt, strict, caplog):
    book.edit("mkdocs.yml", "strict: true", f"strict: {strict}")
    if spoilt != "not recorded":
        book.holds()
        book.edit(*SPOILT[spoilt])
    if spoilt in ("false", "not printed"):
        assert book.truth()[0] == 1
    with pytest.raises((PluginError, Abort)) as error:
        book.build()
    printed = caplog.text + str(error.value)
    assert "docs/part/one.md" in printed and "python -m truth" in printed
    assert ("docs/index.md" in printed) == (spoilt == "not recorded")


def test_serving_warns_once(book, caplog):
    book.edit("mkdocs.yml", "strict: true", "strict: false")
    config = load_config(str(book.root / "mkdocs.yml"))
    config.plugins.on_startup(command="serve", dirty=False)
    for _ in range(2):
        mkdocs_build(config)
        # It is told behind the pages.
        vars(config.plugins["truth"])["_thread"].submit(lambda: None).result(60)
        assert caplog.text.count("4 pages are not checked as they are now") == 1


def test_many_unchecked_pages_are_one_line():
    said = [f"docs/page{n}.md: not checked as it is now" for n in range(73)]
    assert [*truth_plugin._told([*said, "docs/a.md:1: wrong"])] == [
        "docs/a.md:1: wrong",
        "73 pages are not checked as they are now",
    ]
    assert [*truth_plugin._told(said[:2])] == said[:2]
