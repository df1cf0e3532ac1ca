"""Promise: the ledger and the stamps say what was found, and nothing else; and
what is not known to hold is not built.

Most of it is tried on a small book with small checks; the last tests count the
real book anew, without the code that counts it.
"""

import io
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import redirect_stdout, suppress
from functools import partial
from pathlib import Path
from typing import Literal

import markdown
import psutil
import pytest
from bs4 import BeautifulSoup
from mkdocs.commands.build import build as mkdocs_build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort, PluginError

from truth import __main__ as command
from truth import accept, results, work
from truth.finding import Finding
from truth.ledger import mkdocs_plugin
from truth.page import Page
from truth.rules import lock
from truth.work import PROGRAMS, Task

from .project import ROOT

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
  - truth.ledger.stamp
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
        where, how = page.where(each.start), "by *hand*, as $x$ and `x`"
        yield Finding("formula", state, page.shown, where, each.shown, how)


def quotes(page: Page) -> Iterator[Finding]:
    for each in re.findall("[0-9]+", page.prose.partition("# ")[2]):
        where = f"{page.shown}:1"
        yield Finding("quote", "compared", page.shown, where, each, "it is")


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
            found.append(Finding("rule", state, thing, "", "f", wrong_on_purpose=wrong))
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

    def run(self, tasks, root, workers, done, tell) -> None:
        """In place of processes."""
        for task in tasks:
            self._asked |= {(task.check, thing) for thing in task.things}
            done(task, self.ask(task, root))

    def truth(self, *pages: str) -> tuple[int, str]:
        """Exit code of the command, and all it says."""
        code = command.main(
            ["--root", str(self.root), *(str(self.root / page) for page in pages)]
        )
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
        return (self.root / "docs/ledger.md").read_text("utf-8")

    def build(self, action: Literal["build", "serve"] = "build") -> Path:
        """The site, as MkDocs builds it."""
        config = load_config(str(self.root / "mkdocs.yml"))
        config.plugins.on_startup(command=action, dirty=False)
        mkdocs_build(config)
        return self.root / "site"

    def stamp(self, page: str = "docs/part/one.md") -> str | None:
        """The stamp that the extension alone gives to a page."""
        text = (self.root / page).read_text("utf-8")
        html = markdown.markdown(text, extensions=["truth.ledger.stamp"])
        stamps = BeautifulSoup(html, "lxml").select("p.stamp:not(.in-all)")
        assert len(stamps) < 2
        return stamps[0].get_text() if stamps else None


@pytest.fixture
def book(tmp_path, capsys, monkeypatch) -> Book:
    book = Book(tmp_path / "book", capsys)
    monkeypatch.setattr(command, "run", book.run)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", DAY)
    monkeypatch.chdir(book.root)
    return book


PAGES = 4
ALL = len(results.CHECKS) * PAGES + 3
"""Each check of each page; the run and the rules of each program."""


def in_all(ledger: str, what: str) -> str:
    """What the ledger's table says of a thing."""
    return re.search(rf"^\| \*\*{what}\*\*.* \| (.*) \|$", ledger, re.MULTILINE)[1]


def html(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text("utf-8"), "lxml")


def test_counts_what_the_checks_say(book):
    said = book.holds()
    for line in (
        "programs: 3 run, 3 traces compared, 1 errors reproduced, 0 failed",
        "formulas: 1 proven, 1 given, 0 failed",
        "rules: 3 tried, 0 failed",
        "quotes: 3 compared, 0 failed",
    ):
        assert line in said.splitlines(), said
    for what, number in {
        "pages": f"{PAGES}",
        "programs run": "3",
        "deliberately wrong programs": "1",
        "traces compared": "3",
        "errors reproduced": "1",
        "displayed formulas": "1 proven, 1 given",
        "rules": "3 tried (2 right, 1 deliberately wrong)",
        "quotations": "3 compared",
    }.items():
        assert in_all(book.ledger, what) == number
    assert "As of the commit of 2025-06-15: " in book.ledger
    assert (
        "2 programs run (1 deliberately wrong); 2 traces compared; 1 error"
        " reproduced; displayed formulas: 1 proven, 1 given; rules: 2 tried"
        " (1 right, 1 deliberately wrong); quotations: 1 compared."
    ) in book.ledger
    assert "`2`: compared; it is\n" in book.ledger


def test_nothing_is_checked_twice(book):
    book.holds()
    assert len(book.asked()) == ALL
    said = book.holds()
    assert book.asked() == set()
    assert "formulas: 1 proven, 1 given, 0 failed" in said


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
    # A page without programs may speak of all of them.
    assert {thing for _, thing in book.asked()} == {
        "docs/part/one.md",
        "docs/checked.md",
        "docs/glossary.md",
        "snippets/one.py",
    }


@pytest.mark.parametrize(
    "change", ["code/page.py", "code/structure/vocabulary.toml", "pyproject.toml"]
)
def test_changed_checks_check_all_again(book, change, monkeypatch):
    shutil.copytree(
        ROOT / "src/truth", book.root / "code", ignore=lambda *_: {"ledger"}
    )
    monkeypatch.setattr(results, "_SOURCE", book.root)
    monkeypatch.setattr(results, "_OF_RUNS", ("code",))
    monkeypatch.setattr(results, "_OF_STATEMENTS", ("code",))
    monkeypatch.setattr(results, "_OF_PAGES", ("code",))
    book.holds()
    book.asked()
    with (book.root / change).open("a") as file:
        file.write("rel = 1e-4\n" if change == "pyproject.toml" else "# changed\n")
    book.holds()
    assert len(book.asked()) == ALL


def test_no_rule_is_recorded_of_a_program_that_changed_since(book):
    """``truth accept`` without ``truth`` after an edit."""
    book.holds()
    assert accept.main([]) == 0
    before = lock.load(book.root)
    assert {*before} == {"one.py", "two.py", "wrong/three.py"}
    book.edit("snippets/one.py", "1", "1.5")
    accept.main([])
    assert lock.load(book.root) == before


def test_a_program_that_cannot_be_parsed_has_no_rules_that_held(book):
    """It is run, and the engine names its line."""
    book.holds()
    accept.main([])
    (book.root / "snippets/one.py").write_text("print(\n")
    assert work._held_rules(("snippets/one.py",), book.root) == {}


NAMED = {
    "python -m tools.draw": "src/tools/draw.py",
    "python -m other": "other/__main__.py",
    "tools/plan.txt": "tools/plan.txt",
    "tools/": "tools/x.txt",
    "one.txt": "snippets/part/one/one.txt",
    "make it": "Makefile",
    "beside.md": "docs/part/beside.txt",
    "gone.out": "snippets/gone.py",
    ".hidden/plan": ".hidden/plan",
    "sites.txt": "sites.txt",
    "wrong/four.py": "snippets/four.py",
}


@pytest.mark.parametrize("named", NAMED)
def test_what_a_page_names_is_part_of_what_was_checked(book, named):
    """Also a file that is made or deleted, wherever the page may mean it."""
    place = book.root / NAMED[named]
    named = named.replace("beside.md", "beside.txt")
    book.edit("docs/part/one.md", "It prints", f"See `{named}`. It prints")
    book.holds()
    book.asked()
    for change in (
        lambda: (place.parent.mkdir(parents=True, exist_ok=True), place.write_text("")),
        lambda: shutil.rmtree(place.parent) if named == "tools/" else place.unlink(),
    ):
        change()
        book.holds()
        assert ("quotes", "docs/part/one.md") in book.asked()
        book.holds()
        assert book.asked() == set()


@pytest.mark.parametrize("name", ["../plan.txt", "LICENSE", f"{'x' * 300}.txt"])
def test_what_is_no_part_of_what_was_checked_proves_nothing(book, name):
    for path in ("docs/plan.txt", "LICENSE"):
        (book.root / path).write_text("5\n")
    page = Page(book.root / "docs/part/one.md", book.root)
    assert page.named(name) is None and page.named("docs/plan.txt")


def test_what_fails_is_named_and_checked_again(book):
    book.edit("docs/part/one.md", "y' = 2x", "y' = 3x")
    for _ in range(2):
        code, said = book.truth()
        assert code == 1
        assert "docs/part/one.md:9: y' = 3x: by *hand*, as $x$ and `x`\n" in said
        assert "formulas: 1 given, 1 failed" in said
    failed = in_all(book.ledger, "displayed formulas")
    assert failed == "1 given, **1 failed**"
    assert book.stamp().startswith(
        "Checked: 2 programs, 2 rules, 1 quotation, 1 failed. "
    )
    assert book.truth("docs/index.md")[0] == 0


def test_a_trace_that_differs_fails(book):
    """By the engine itself."""
    book.ask = lambda task, root: (work if task.check == PROGRAMS else BY).ask(
        task, root
    )
    (book.root / "snippets/one.out").write_text("4\n")
    code, said = book.truth()
    assert code == 1
    assert "snippets/one.out:1: snippets/one.py prints something else" in said
    assert "programs: 2 run, 2 traces compared, 1 errors reproduced, 1 failed" in said
    assert in_all(book.ledger, "programs run") == "2, **1 failed**"


BY = sys.modules[__name__]


@pytest.mark.parametrize("name", ["gone.py", "../lost.py", "{root}/lost.py"])
def test_a_program_that_is_not_in_its_folder_fails(book, name):
    (book.root / "lost.py").write_text("print(3)\n")
    name = name.format(root=book.root)
    book.edit("docs/part/one.md", '"one.py"\n```', f'"{name}"\n```')
    code, said = book.truth()
    assert code == 1
    assert f"docs/part/one.md:14: embeds {name}, which is not in snippets/" in said


@pytest.mark.parametrize(
    "nonsense",
    [
        Finding("rune", "tried", "docs/index.md", "", ""),
        Finding("quote", "right", "docs/index.md", "", ""),
        Finding("quote", "compared", "docs/checked.md", "", ""),
    ],
)
def test_a_check_that_answers_nonsense_names_itself(book, nonsense):
    asked = Task("quotes", ("docs/index.md",))
    book.ask = lambda task, root: [nonsense] if task == asked else ask(task, root)
    code, said = book.truth()
    assert code == 1 and "truth: quotes answers what it was not asked: " in said
    assert book.ledger.count("nothing is claimed here") == 1
    assert book.stamp("docs/index.md") is None and book.stamp()


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
def test_a_check_that_crashes_names_itself_and_nothing_else(
    book, how, monkeypatch, tmp_path
):
    limit = 2 if how == "hangs" else 60
    crashing = partial(work.run, ask=partial(crash, how), time_limit=limit)
    monkeypatch.setattr(command, "run", crashing)
    code, said = book.truth()
    assert code == 1
    assert re.findall(
        r"^truth: (.*) did not come to its end, on (.*)$", said, re.M
    ) == [("quotes", "docs/index.md")]
    assert ("so it goes" in said) == (how == "raises")
    assert book.ledger.count("nothing is claimed here") == 1
    assert book.stamp("docs/index.md") is None and book.stamp()
    assert "truth: programs 0 of 3, " in said


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


def test_the_same_twice(book):
    kept = (book.root / results.FILE, book.root / "docs/ledger.md")
    book.holds()
    first = [path.read_bytes() for path in kept]
    for path in kept:
        path.unlink()
    book.holds()
    assert [path.read_bytes() for path in kept] == first
    times = [path.stat().st_mtime_ns for path in kept]
    book.holds()
    assert [path.stat().st_mtime_ns for path in kept] == times, "written anew"


def test_the_site_has_stamps_terms_and_the_ledger(book, tmp_path, monkeypatch):
    book.holds()
    monkeypatch.chdir(tmp_path)  # wherever the build is started
    site = book.build()
    [stamp] = html(site / "part/one/index.html").select("article p.stamp")
    assert stamp.get_text() == (
        "Checked: 2 programs, 1 formula, 2 rules, 1 quotation. What was checked, and how"
    )
    assert stamp.a["href"] == "../../ledger/#part-one"
    ledger = html(site / "ledger/index.html")
    heading = ledger.select_one("#part-one")
    assert heading.name == "h3" and heading.code.get_text() == "thing"
    # A page with front matter has one, too; a page without findings has none.
    home = html(site / "index.html")
    own, of_all = home.select("p.stamp")
    assert own.get_text().startswith("Checked: ") and len(home.select("a.term")) == 1
    # … and the sum of all pages.
    assert re.sub(r"[0-9-]{10}", "DAY", of_all.get_text()) == (
        "On all pages, as of DAY: 3 programs, 1 formula, 3 rules, 3 quotations. The ledger"
    )
    for page in ("ledger", "checked"):
        assert not html(site / page / "index.html").select("p.stamp")
    index = (site / "search/search_index.json").read_text("utf-8")
    assert "was checked, and how" not in index and "Home" in index
    # What a check says is shown as it says it.
    part = html(site / "ledger/of-part-one.html")
    assert "Given; by *hand*, as $x$ and 'x':" in [
        each.get_text() for each in part.article.select("p")
    ]
    shown = part.article.select("math annotation")
    assert [each.get_text() for each in shown] == ["y = x^2", "y' = 2x"]


def test_each_page_has_its_list_on_a_page_beside_the_ledger(book):
    """The ledger itself stays short: it links to the lists and has none of them."""
    book.holds()
    folder = book.build() / "ledger"
    ledger = html(folder / "index.html")
    parts = {path.name for path in folder.iterdir()} - {"index.html"}
    links = [a for a in ledger.article.select("a") if "how it was" in a.get_text()]
    assert parts == {link["href"] for link in links} and {*parts} >= {
        "of-part-one.html",
        "of-index.html",
    }
    assert not ledger.article.select("details, math")
    for name in parts:
        part = html(folder / name)
        ids = {each["id"] for each in part.select("[id]")}
        inside = [
            a["href"][1:] for a in part.select("a[href^='#']") if len(a["href"]) > 1
        ]
        assert {*inside} <= ids, name
        assert part.h1.get_text().startswith("The ledger: ")
        assert part.title.get_text() != ledger.title.get_text()
        assert part.article.select("a[href^='../']"), "back to the page"


@pytest.mark.parametrize(
    "changed, old, new",
    [
        ("docs/part/one.md", "It prints", "It says"),
        ("snippets/one.py", "print(1)", "print(0 + 1)"),
        ("snippets/one.out", "1", "1.0"),
    ],
)
def test_an_edited_page_has_no_stamp_until_it_is_checked(book, changed, old, new):
    book.holds()
    assert book.stamp()
    book.edit(changed, old, new)
    assert book.stamp() is None
    assert book.stamp("docs/index.md"), "nothing has changed there"
    book.edit(changed, new, old)
    assert book.stamp()
    book.edit(changed, old, new)
    code, _ = book.truth()
    assert code == changed.endswith(".out")
    assert book.stamp().startswith(f"Checked: {2 - code} program")


SPOILT = {
    "edited": ("docs/part/one.md", "It prints", "It says"),
    "false": ("docs/part/one.md", "y' = 2x", "y' = 3x"),
    "not printed": ("snippets/one.out", "1", "2"),
}


@pytest.mark.parametrize("spoilt", [*SPOILT, "not recorded"])
@pytest.mark.parametrize("strict", ["true", "false"])
def test_what_is_not_known_to_hold_is_not_built(book, spoilt, strict, caplog):
    book.edit("mkdocs.yml", "strict: true", f"strict: {strict}")
    if spoilt != "not recorded":
        book.holds()
        book.edit(*SPOILT[spoilt])
    if spoilt in ("false", "not printed"):
        assert book.truth()[0] == 1
    with pytest.raises((PluginError, Abort)) as error:
        book.build()
    said = caplog.text + str(error.value)
    assert "docs/part/one.md" in said and "python -m truth" in said
    assert ("docs/index.md" in said) == (spoilt == "not recorded")


def test_serving_warns_once_and_the_ledger_claims_nothing(book, caplog):
    book.holds()
    book.edit("docs/part/one.md", "It prints", "It says")
    book.edit("mkdocs.yml", "strict: true", "strict: false")
    config = load_config(str(book.root / "mkdocs.yml"))
    config.plugins.on_startup(command="serve", dirty=False)
    mkdocs_build(config)
    # It is told behind the pages.
    vars(config.plugins["truth"])["_thread"].submit(lambda: None).result(60)
    assert caplog.text.count("4 pages are not checked as they are now") == 1
    mkdocs_build(config)
    # It is told behind the pages.
    vars(config.plugins["truth"])["_thread"].submit(lambda: None).result(60)
    assert caplog.text.count("4 pages are not checked as they are now") == 1
    ledger = html(book.root / "site/ledger/index.html").article
    assert ledger.get_text().count("nothing is claimed here") == 1
    assert not ledger.select("#part-one ~ details")
    assert ledger.select("#index ~ details")


def test_where_nothing_was_recorded_the_ledger_says_so(book):
    assert book.stamp() is None
    book.edit("mkdocs.yml", "truth, ", "truth: {demand: false}, ")
    ledger = html(book.build() / "ledger/index.html").article
    assert "Nothing has been recorded yet." in ledger.get_text()
    assert not (book.root / "docs/ledger.md").exists()


@pytest.fixture(scope="module")
def ledger(built_site) -> str:
    """The ledger of the real book, by the real checks, which a build demands."""
    return (ROOT / "docs/ledger.md").read_text("utf-8")


def _counted(text: str, what: str) -> int:
    """The sum of the numbers that a line of the ledger gives for a thing."""
    found = re.search(rf"{what}: ([^;.(]*)", text)
    return sum(map(int, re.findall(r"\d+", found[1]))) if found else 0


def _parts(ledger: str) -> dict[str, str]:
    """What the ledger says of each page, by the link to it."""
    parts = re.split(r"^### ", ledger, flags=re.MULTILINE)[1:]
    return {re.search(r"\[Read the page\]\(([^)]*)\)", part)[1]: part for part in parts}


def test_the_ledger_counts_the_whole_book(ledger):
    pages = [*ROOT.glob("docs/**/*.md"), *ROOT.glob("docs/labs/*.py")]
    parts = _parts(ledger)
    assert parts.keys() == {
        path.relative_to(ROOT / "docs").as_posix() for path in pages
    } - {"ledger.md"}
    for name, part in parts.items():
        source = (ROOT / "docs" / name).read_text("utf-8")
        programs = set(re.findall(r'--8<-- "([\w/]+\.py)', source))
        ran = re.search(r"(\d+) programs? run", part)
        assert int(ran[1] if ran else 0) == len(programs), name
        if name.endswith(".md"):
            source = re.sub(
                r"^ *```.*?^ *```|`[^`\n]*`", "", source, flags=re.DOTALL | re.MULTILINE
            )
            displayed = source.count("$$") // 2
            assert _counted(part.lower(), "displayed formulas") == displayed, name


def test_the_sums_are_the_sums(ledger):
    programs = list(ROOT.glob("snippets/**/*.py"))
    assert in_all(ledger, "programs run") == f"{len(programs)}"
    assert in_all(ledger, "traces compared") == f"{len(programs)}"
    wrong = list(ROOT.glob("snippets/**/wrong/*.py"))
    assert in_all(ledger, "deliberately wrong programs") == f"{len(wrong)}"
    # Other checks of this package say so; the words are theirs.
    assert "deliberately wrong" in in_all(ledger, "rules")
    raising = ["# tracebook: raises " in path.read_text("utf-8") for path in programs]
    assert in_all(ledger, "errors reproduced") == f"{sum(raising)}"
    for what in (
        "displayed formulas",
        "inline formulas",
        "rules",
        "quotations",
        "error messages",
    ):
        number = in_all(ledger, what).partition("(")[0]
        assert sum(map(int, re.findall(r"\d+", number))) == sum(
            _counted(part.lower(), what) for part in _parts(ledger).values()
        ), what


def test_many_unchecked_pages_are_one_line():
    said = [f"docs/page{n}.md: not checked as it is now" for n in range(73)]
    assert [*mkdocs_plugin._told([*said, "docs/a.md:1: wrong"])] == [
        "docs/a.md:1: wrong",
        "73 pages are not checked as they are now",
    ]
    assert [*mkdocs_plugin._told(said[:2])] == said[:2]
