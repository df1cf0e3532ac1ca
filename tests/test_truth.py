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
import tempfile
import time
from collections.abc import Iterator
from contextlib import redirect_stdout, suppress
from functools import partial
from pathlib import Path
from typing import Any, Literal

import psutil
import pytest
from bs4 import BeautifulSoup
from mkdocs.commands.build import build as mkdocs_build
from mkdocs.config import load_config
from mkdocs.exceptions import Abort, PluginError

from gradients.client import GradientResult
from tracebook import settings, snippet
from tracebook.settings import SettingsError
from truth import __main__ as command
from truth import pool, results, tasks
from truth.finding import Finding
from truth.ledger import page as ledger
from truth.page import Page
from truth.pool import PROGRAMS, Task
from truth.tasks import PageChecked, ProgramsRan

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
    for number, formula in enumerate(page.formulas):
        state = "failed" if "3" in formula.text else "compared" if number else "given"
        location, detail = page.location(formula.start), "by *hand*, as $x$ and `x`"
        yield Finding("formula", state, location, formula.label, detail)


def quotes(page: Page) -> Iterator[Finding]:
    for number in re.findall("[0-9]+", page.prose.partition("# ")[2]):
        yield Finding("error", "compared", f"{page.label}:1", number, "it is")


CHECKS = {"formulas": formulas, "quotes": quotes}


def perform(task: Task, root: Path) -> PageChecked | ProgramsRan:
    """Perform small checks instead of those that take long."""
    keys = results.Keys(root)
    if task.check != PROGRAMS:
        page = Page(root / task.paths[0], root)
        findings = [*CHECKS[task.check](page)] if task.check in CHECKS else []
        return PageChecked(keys.of_page(task.check, page), findings)
    ran, problems = {}, []
    for label in task.paths:
        program = snippet.load(root / label, settings.load(root))
        has_printed = _output(program.source) == program.output
        if not has_printed:
            problems.append(f"{label}:1: no")
        is_wrong = program.path.parent.name == "wrong"
        state = "failed" if "4" in program.source else "tried"
        gradient = GradientResult(1, "f", state, "", expected_failure=is_wrong)
        result = results.ProgramResult(has_printed, [gradient], [])
        ran[program.name] = keys.of_program(program.name, program.digests), result
    return ProgramsRan(ran, problems)


def _output(program: str) -> str:
    printed = io.StringIO()
    with redirect_stdout(printed), suppress(KeyError):
        exec(program, {})
    return printed.getvalue() or "KeyError: 3\n"


class Book:
    """A book of two pages, three programs, and checks that take no time."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture) -> None:
        self.root, self._capsys = root, capsys
        self.perform = perform
        self._tasks: set[tuple[str, str]] = set()
        for name, text in FILES.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")

    def run(self, tasks, root, workers, done, *, perform) -> None:
        """Perform tasks in this process."""
        for task in tasks:
            self._tasks |= {(task.check, path) for path in task.paths}
            done(task, self.perform(task, root))

    def truth(self, *pages: str) -> tuple[int, str]:
        """Run the command, and return its exit code and all that it printed."""
        code = command.main(
            ["--root", str(self.root), *(str(self.root / page) for page in pages)]
        )
        os.environ.pop("TRUTH_SELECTION", None)
        printed = self._capsys.readouterr()
        return code, printed.err + printed.out

    def passes(self) -> str:
        code, printed = self.truth()
        assert code == 0, printed
        return printed

    def tasks(self) -> set[tuple[str, str]]:
        """Return check and path of the tasks since the last call."""
        tasks, self._tasks = self._tasks, set()
        return tasks

    def edit(self, name: str, old: str, new: str) -> None:
        text = (self.root / name).read_text("utf-8")
        assert old in text
        (self.root / name).write_text(text.replace(old, new), "utf-8")

    @property
    def ledger(self) -> str:
        return ledger.text(self.root)

    def build(self, action: Literal["build", "serve"] = "build") -> Path:
        """Build the site with MkDocs."""
        config = load_config(str(self.root / "mkdocs.yml"))
        config.plugins.on_startup(command=action, dirty=False)
        mkdocs_build(config)
        return self.root / "site"

    def is_complete(self, page: str = "docs/part/one.md") -> bool:
        """Return whether all checks of a page have a result."""
        return results.Results(self.root).is_complete(Page(self.root / page, self.root))


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
    printed = book.passes().splitlines()
    for line in (
        "programs: 3 run, 3 outputs compared, 1 errors reproduced, 0 failed",
        "formulas: 1 compared, 1 given, 0 failed",
        "custom gradients: 3 tried, 0 failed",
        "errors: 3 compared, 0 failed",
    ):
        assert line in printed
    # Outputs, formulas, gradients, claims, numbers, not decided.
    assert row(book.ledger, "part/one.md") == ["2", "1", "2", "0", "0", "0"]
    assert row(book.ledger, "index.md") == ["1", "0", "1", "0", "0", "0"]


def test_nothing_is_checked_twice(book):
    book.passes()
    assert len(book.tasks()) == ALL
    printed = book.passes()
    assert book.tasks() == set()
    assert "formulas: 1 compared, 1 given, 0 failed" in printed


def test_all_checks_everything_anew(book, monkeypatch):
    book.passes()
    book.tasks()
    monkeypatch.setenv("TRUTH_ALL", "1")
    book.passes()
    assert len(book.tasks()) == ALL


def test_an_edit_checks_its_page_again(book):
    book.passes()
    book.tasks()
    book.edit("docs/index.md", "Twice", "Two times")
    book.passes()
    assert book.tasks() == {(check, "docs/index.md") for check in results.CHECKS}


def test_a_changed_program_checks_the_pages_that_show_it(book):
    book.passes()
    book.tasks()
    (book.root / "snippets/one.py").write_text("print(0 + 1)\n")
    book.passes()
    things = {thing for _, thing in book.tasks()}
    assert things == {"docs/part/one.md", "snippets/one.py"}


def test_changed_settings_check_all_again(book):
    book.passes()
    book.tasks()
    with (book.root / "pyproject.toml").open("a") as file:
        file.write("rel = 1e-4\n")
    book.passes()
    assert len(book.tasks()) == ALL


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
    book.passes()
    book.tasks()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("a")
    book.passes()
    assert ("quotes", "docs/part/one.md") in book.tasks()
    path.unlink()
    book.passes()
    assert book.tasks() == set(), "it is as it was before"


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
    book.perform = lambda task, root: (
        tasks.perform(task, root) if task.check == PROGRAMS else perform(task, root)
    )
    (book.root / "snippets/one.out").write_text("4\n")
    code, printed = book.truth()
    assert code == 1
    assert "snippets/one.out:1: snippets/one.py prints something else" in printed
    assert "2 run, 2 outputs compared, 1 errors reproduced, 1 failed" in printed
    assert row(book.ledger, "part/one.md")[0] == "1"


@pytest.mark.parametrize("name", ["gone.py", "../lost.py", "{root}/lost.py"])
def test_a_program_that_is_not_in_its_folder_fails(book, name):
    (book.root / "lost.py").write_text("print(3)\n")
    name = name.format(root=book.root)
    book.edit("docs/part/one.md", '"one.py"\n```', f'"{name}"\n```')
    code, printed = book.truth()
    assert code == 1
    assert f"docs/part/one.md:14: embeds {name}, which is not in snippets/" in printed


def saved_for_a_moment(path: Path, old: str, new: str, task: Task, root: Path) -> Any:
    """Perform a task while a file has another text, and save the old text again."""
    text = path.read_text("utf-8")
    path.write_text(text.replace(old, new), "utf-8")
    result = tasks.perform(task, root)
    path.write_text(text, "utf-8")
    return result


@pytest.mark.parametrize("name", ["one.py", "one.out"])
def test_a_program_that_is_right_for_a_moment_is_not_remembered(book, name):
    """The key of its result is made from what ran, and from what that was compared
    with."""
    path = book.root / "snippets" / name
    wrong = path.read_text().replace("1", "5")
    path.write_text(wrong)

    def perform_at_once(task: Task, root: Path) -> Any:
        if task.check != PROGRAMS:
            return perform(task, root)
        return saved_for_a_moment(path, "5", "1", task, root)

    book.perform = perform_at_once
    code, printed = book.truth()
    assert code == 1
    assert "snippets/one.py: changed while it was checked; run truth again" in printed
    book.perform = lambda task, root: (
        tasks.perform(task, root) if task.check == PROGRAMS else perform(task, root)
    )
    code, printed = book.truth()
    assert code == 1 and "snippets/one.py prints something else" in printed


@pytest.mark.parametrize("name", ["docs/part/one.md", "snippets/one.out"])
def test_a_page_that_is_right_for_a_moment_is_not_remembered(book, name):
    """The key of a check's findings is made from what the check read."""
    path, check = book.root / name, "numbers"
    text = path.read_text("utf-8")
    wrong = text.replace("prints 1.", "prints 4711.").replace("1\n", "1 4712\n")
    path.write_text(wrong, "utf-8")

    def perform_at_once(task: Task, root: Path) -> Any:
        if task != Task(check, ("docs/part/one.md",)):
            return perform(task, root)
        return saved_for_a_moment(path, wrong, text, task, root)

    book.perform = perform_at_once
    code, printed = book.truth("docs/part/one.md")
    assert code == 1
    assert "docs/part/one.md: changed while it was checked; run truth again" in printed
    book.perform = perform
    book.tasks()
    book.truth("docs/part/one.md")
    assert (check, "docs/part/one.md") in book.tasks()


def crash(how: str, task: Task, root: Path) -> PageChecked | ProgramsRan:
    """Have one check of one page not come to its end."""
    if task == Task("quotes", ("docs/index.md",)):
        match how:
            case "raises":
                raise LookupError("so it goes")
            case "refuses":
                raise SettingsError("so it goes")
            case "exits":
                os._exit(0)
            case "is killed":
                os.abort()
            case "hangs":
                while True:
                    pass
    return perform(task, root)


@pytest.mark.parametrize(
    "how",
    [
        "raises",
        "refuses",
        pytest.param("exits", marks=pytest.mark.slow),
        "is killed",
        pytest.param("hangs", marks=pytest.mark.slow),
    ],
)
def test_a_check_that_crashes_names_itself_and_nothing_else(book, how, monkeypatch):
    limit = 60 if how == "hangs" else 600
    monkeypatch.setattr(command, "perform", partial(crash, how))
    monkeypatch.setattr(pool, "run", partial(REALLY_RUN, time_limit=limit))
    code, printed = book.truth()
    assert code == 1
    heading = r"^truth: (.*) did not come to its end, on (.*)$"
    assert re.findall(heading, printed, re.M) == [("quotes", "docs/index.md")]
    assert ("so it goes" in printed) == (how in ("raises", "refuses"))
    assert ("Traceback" in printed) == (how == "raises")
    assert not book.is_complete("docs/index.md") and book.is_complete()
    assert "truth: programs 0 of 3, " in printed


REALLY_RUN = pool.run


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_end_from_outside_leaves_nothing(book, how, tmp_path):
    (book.root / "snippets/one.py").write_text("import time; time.sleep(600)\n")
    with tempfile.TemporaryDirectory() as scratch:  # tmp_path is too long for a socket
        with (tmp_path / "said").open("w") as output:
            truth = subprocess.Popen(
                [sys.executable, "-m", "truth", "--root", book.root],
                env={**os.environ, "TMPDIR": scratch},
                stdout=output,
                stderr=output,
            )
        started, deadline = psutil.Process(truth.pid), time.monotonic() + 60
        while len(family := started.children(recursive=True)) < 6:
            said = (tmp_path / "said").read_text()
            assert time.monotonic() < deadline and truth.poll() is None, said
            time.sleep(0.1)
        assert any(Path(scratch).iterdir())
        truth.send_signal(how)
        assert truth.wait(30) == 128 + how
        assert not psutil.wait_procs(family, 5)[1], "a process is left"
        assert not [*Path(scratch).iterdir()], "a file is left"


def test_a_long_path_of_temporary_files_is_no_obstacle(book, tmp_path):
    """The socket that programs are started by has a path of some 100 characters at
    most, and macOS takes 49 of them."""

    def run_below(folder: Path) -> str:
        folder.mkdir()
        done = subprocess.run(
            [sys.executable, "-m", "truth", "--root", book.root],
            env={**os.environ, "TMPDIR": str(folder)},
            capture_output=True,
            text=True,
            timeout=120,
        )
        return done.stdout + done.stderr

    said = run_below(folder := tmp_path / ("x" * 90))
    assert f"AF_UNIX path too long, below {folder}" in said
    with tempfile.TemporaryDirectory() as short:
        said = run_below(Path(short) / ("x" * (48 - len(short))))
    assert "3 run" in said and "AF_UNIX" not in said


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
    book.passes()
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
    one = 1
    assert one == 1
    with contrast("2"):
        assert one != 2
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
    book.passes()
    assert book.is_complete()
    book.edit(changed, old, new)
    assert not book.is_complete() and book.is_complete("docs/index.md")
    book.edit(changed, new, old)
    assert book.is_complete()


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
        book.passes()
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
