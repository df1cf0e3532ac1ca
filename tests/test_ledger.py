"""Promise: the ledger and the stamps say what was found, and nothing else.

Most of it is tried on a small book with small checks; the last tests count the
real book anew, without the code that counts it.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from .project import ROOT

PACKAGES = ("truth", "tracebook", "formulas")
DAY = "1750000000"
"""2025-06-15"""

FILES = {
    "pyproject.toml": "[tool.tracebook]\n",
    "mkdocs.yml": """\
site_name: A small book
strict: true
nav: [index.md, part/one.md, ledger.md]
theme: {name: material, font: false}
plugins: [search, truth, formulas]
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

Twice 1 is 2.
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
    "snippets/one.py": "print(1)\n",
    "snippets/one.out": "1\n",
    "snippets/two.py": "print(2)\n",
    "snippets/two.out": "2\n",
    "snippets/wrong/three.py": "# tracebook: raises KeyError\nraise KeyError(3)\n",
    "snippets/wrong/three.out": "KeyError: 3\n",
}
STUB = """\
import re

from .finding import Finding


def check(pages, root):
    with (root / "asked").open("a") as asked:
        asked.write("".join(f"{KIND} {page.shown}\\n" for page in pages))
    return [each for page in pages for each in found(page)]
"""
STUBS = {
    "formulas": """
KIND = "formula"

def found(page):
    for n, each in enumerate(page.formulas):
        state = "failed" if "3" in each.text else "checked" if n else "premise"
        yield Finding(KIND, state, page.shown, page.where(each.start), each.shown,
                      "by *hand*, as $x$ and `x`")
""",
    "numbers": """
KIND = "number"

def found(page):
    for each in re.finditer("[0-9]+", page.prose.partition("# ")[2]):
        yield Finding(KIND, "checked", page.shown, page.shown + ":1", each[0], "it is")
""",
    "names": 'KIND = "name"\nfound = lambda page: []\n',
    "quotes": 'KIND = "quote"\nfound = lambda page: []\n',
}
RULES = """\
from collections import namedtuple
from pathlib import Path

Verdict = namedtuple("Verdict", "line what state how")


def load(path, snippets):
    with (snippets.parent / "asked").open("a") as asked:
        asked.write(f"rule {path.relative_to(snippets)}\\n")
    return path


def judge(programs, root):
    return [[Verdict(1, "f", "failed" if "4" in path.read_text() else "checked",
                     "wrong, as it shall be" if path.parent.name == "wrong" else "")]
            for path in programs]
"""


@pytest.fixture
def book(tmp_path) -> Path:
    """A book of two pages, three programs, and checks that take no time."""
    for package in PACKAGES:
        shutil.copytree(
            ROOT / package,
            tmp_path / package,
            ignore=shutil.ignore_patterns("__pycache__"),
        )
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    for name, found in STUBS.items():
        (tmp_path / "truth" / f"{name}.py").write_text(STUB + found, "utf-8")
    (tmp_path / "truth" / "rules.py").write_text(RULES, "utf-8")
    return tmp_path


ALL = len(STUBS) * 3 + 3
"""Each check of each page, and the rules of each program."""


def run(book: Path, *command: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=book,
        text=True,
        timeout=120,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "SOURCE_DATE_EPOCH": DAY},
    )
    return done.returncode, done.stdout


def truth(book: Path, *pages: str) -> str:
    """Check the book, which holds."""
    code, said = run(book, "truth", *pages)
    assert code == 0, said
    return said


def asked(book: Path) -> set[str]:
    """What the checks were asked since the last time."""
    path = book / "asked"
    lines = set(path.read_text().splitlines()) if path.exists() else set()
    path.unlink(missing_ok=True)
    return lines


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def in_all(ledger: str, what: str) -> str:
    """What the ledger's table says of a thing."""
    return re.search(rf"^\| \*\*{what}\*\*.* \| (.*) \|$", ledger, re.MULTILINE)[1]


def build(book: Path) -> Path:
    """The site, as MkDocs builds it."""
    code, said = run(book, "mkdocs", "build", "--quiet")
    assert code == 0, said
    return book / "site"


def html(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text("utf-8"), "lxml")


def stamp_of(book: Path, page: str = "docs/part/one.md") -> str | None:
    """The stamp that the extension alone gives to a page."""
    program = (
        "import sys, markdown; print(markdown.markdown("
        "open(sys.argv[1]).read(), extensions=['truth.ledger.stamp']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, page],
        cwd=book,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    stamps = BeautifulSoup(done.stdout, "lxml").select("p.stamp")
    assert len(stamps) < 2
    return stamps[0].get_text() if stamps else None


def test_counts_what_the_checks_say(book):
    said = truth(book)
    for line in (
        "programs: 3 run, 3 traces compared, 1 errors reproduced, 0 failed",
        "formulas: 1 checked, 1 premise, 0 failed",
        "rules: 3 checked, 0 failed",
        "numbers: 3 checked, 0 failed",
        "names: 0 checked, 0 failed",
    ):
        assert line in said.splitlines(), said
    page = (book / "docs/ledger.md").read_text("utf-8")
    for what, number in {
        "pages": "3",
        "programs run": "3",
        "programs wrong on purpose": "1",
        "traces compared": "3",
        "errors reproduced": "1",
        "displayed formulas": "1 checked, 1 premise",
        "rules": "3 checked (2 right, 1 wrong on purpose)",
        "names": "0 checked",
    }.items():
        assert in_all(page, what) == number
    assert "As of the commit of 2025-06-15: " in page
    assert (
        "2 programs run (1 wrong on purpose); 2 traces compared; 1 error"
        " reproduced; displayed formulas: 1 checked, 1 premise; rules: 2 checked"
        " (1 right, 1 wrong on purpose); numbers: 1 checked."
    ) in " ".join(page.split("\n")), page


def test_nothing_is_checked_twice(book):
    truth(book)
    assert len(asked(book)) == ALL
    said = truth(book)
    assert asked(book) == set()
    assert "formulas: 1 checked, 1 premise, 0 failed" in said


def test_an_edit_checks_its_page_again(book):
    truth(book)
    asked(book)
    edit(book / "docs/index.md", "Twice", "Two times")
    truth(book)
    assert {line.split()[-1] for line in asked(book)} == {"docs/index.md"}


def test_a_changed_program_checks_the_pages_that_show_it(book):
    truth(book)
    asked(book)
    (book / "snippets/one.py").write_text("print(0 + 1)\n")
    truth(book)
    # A page without programs may speak of all of them.
    assert {line.split()[-1] for line in asked(book)} == {
        "docs/part/one.md",
        "docs/checked.md",
        "one.py",
    }


@pytest.mark.parametrize("change", ["truth/page.py", "pyproject.toml"])
def test_changed_checks_check_all_again(book, change):
    truth(book)
    asked(book)
    with (book / change).open("a") as file:
        file.write("# changed\n")
    truth(book)
    assert len(asked(book)) == ALL


def test_what_fails_is_named_and_checked_again(book):
    edit(book / "docs/part/one.md", "y' = 2x", "y' = 3x")
    for _ in range(2):
        code, said = run(book, "truth")
        assert code == 1
        assert "docs/part/one.md:9: y' = 3x: by *hand*, as $x$ and `x`\n" in said
        assert "formulas: 0 checked, 1 premise, 1 failed" in said
    page = (book / "docs/ledger.md").read_text("utf-8")
    assert in_all(page, "displayed formulas") == "0 checked, 1 premise, **1 failed**"
    assert stamp_of(book).startswith(
        "Checked: 2 programs, 2 rules, 1 number, 1 failed. "
    )
    assert run(book, "truth", "docs/index.md")[0] == 0


def test_a_trace_that_differs_fails(book):
    (book / "snippets/one.out").write_text("4\n")
    code, said = run(book, "truth")
    assert code == 1
    assert "snippets/one.out:1: snippets/one.py prints something else" in said
    assert "programs: 2 run, 2 traces compared, 1 errors reproduced, 1 failed" in said
    page = (book / "docs/ledger.md").read_text("utf-8")
    assert in_all(page, "programs run") == "2, **1 failed**"


def test_a_program_that_is_not_there_fails(book):
    edit(book / "docs/part/one.md", '"one.py"\n```', '"gone.py"\n```')
    code, said = run(book, "truth")
    assert code == 1
    assert "docs/part/one.md:14: embeds gone.py, which is not in snippets/" in said


CRASHES = {
    "raises": "raise LookupError('so it goes')",
    "exits": "import os; os._exit(0)",
    "is killed": "import os; os.abort()",
    "answers nonsense": "return [Finding('rune', 'checked', pages[0].shown, '', '')]",
    "answers of another page": "return [Finding('rule', 'checked', 'a.md', '', '')]",
}


@pytest.mark.parametrize("crash", CRASHES)
def test_a_check_that_crashes_names_itself(book, crash):
    path = book / "truth/quotes.py"
    edit(path, "    with (root", f"    {CRASHES[crash]}\n    with (root")
    code, said = run(book, "truth")
    assert code == 1
    assert re.search(
        r"^truth: quotes (did not come to its end|answers what it was"
        " not asked)",
        said,
        re.MULTILINE,
    ), said
    assert ("so it goes" in said) == (crash == "raises")
    page = (book / "docs/ledger.md").read_text("utf-8")
    assert page.count("nothing is claimed here") == 3
    assert stamp_of(book) is None


def test_a_check_that_is_missing_names_itself(book):
    (book / "truth/quotes.py").unlink()
    code, said = run(book, "truth")
    assert code == 1 and "truth: quotes did not come to its end" in said, said


def test_a_page_that_is_none_is_a_mistake_of_usage(book):
    code, said = run(book, "truth", "docs/two.md")
    assert code == 2 and "docs/two.md" in said


def test_the_same_twice(book):
    kept = (book / ".cache/truth/results.json", book / "docs/ledger.md")
    truth(book)
    first = [path.read_bytes() for path in kept]
    for path in kept:
        path.unlink()
    truth(book)
    assert [path.read_bytes() for path in kept] == first
    times = [path.stat().st_mtime_ns for path in kept]
    truth(book)
    assert [path.stat().st_mtime_ns for path in kept] == times, "written anew"


def test_the_stamp_leads_to_its_part_of_the_ledger(book):
    truth(book)
    site = build(book)
    [stamp] = html(site / "part/one/index.html").select("article p.stamp")
    assert stamp.get_text() == (
        "Checked: 2 programs, 1 formula, 2 rules, 1 number. What was checked, and how"
    )
    assert stamp.a["href"] == "../../ledger/#part-one"
    heading = html(site / "ledger/index.html").select_one("#part-one")
    assert heading.name == "h3" and heading.code.get_text() == "thing"
    # A page with front matter has one, too; a page without findings has none.
    assert len(html(site / "index.html").select("p.stamp")) == 1
    for page in ("ledger", "checked"):
        assert not html(site / page / "index.html").select("p.stamp")
    index = (site / "search/search_index.json").read_text("utf-8")
    assert "was checked, and how" not in index and "Home" in index


@pytest.mark.parametrize(
    "changed, old, new",
    [
        ("docs/part/one.md", "It prints", "It says"),
        ("snippets/one.py", "print(1)", "print(0 + 1)"),
        ("snippets/one.out", "1", "1.0"),
    ],
)
def test_an_edited_page_has_no_stamp_until_it_is_checked(book, changed, old, new):
    truth(book)
    assert stamp_of(book)
    edit(book / changed, old, new)
    assert stamp_of(book) is None
    assert stamp_of(book, "docs/index.md"), "nothing has changed there"
    edit(book / changed, new, old)
    assert stamp_of(book)
    edit(book / changed, old, new)
    code, _ = run(book, "truth")
    assert code == changed.endswith(".out")
    assert stamp_of(book).startswith(f"Checked: {2 - code} program")


def test_of_an_edited_page_the_built_ledger_claims_nothing(book):
    truth(book)
    edit(book / "docs/part/one.md", "It prints", "It says")
    ledger = html(build(book) / "ledger/index.html").article
    assert ledger.get_text().count("nothing is claimed here") == 1
    assert not ledger.select("#part-one ~ details")
    assert ledger.select("#index ~ details")


def test_where_nothing_was_recorded_the_ledger_says_so(book):
    assert stamp_of(book) is None
    ledger = html(build(book) / "ledger/index.html").article
    assert "Nothing has been recorded yet." in ledger.get_text()
    assert not (book / "docs/ledger.md").exists()


def test_shows_what_a_check_says_as_it_says_it(book):
    truth(book)
    details = html(build(book) / "ledger/index.html").select_one("#part-one ~ details")
    said = details.select("p")[1].get_text()
    assert said == "Premise; by *hand*, as $x$ and 'x':"
    shown = details.select("math annotation")
    assert [each.get_text() for each in shown] == ["y = x^2", "y' = 2x"]


@pytest.fixture(scope="module")
def ledger() -> str:
    """The ledger of the real book, by the real checks."""
    done = subprocess.run(
        [sys.executable, "-m", "truth"],
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout
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
    assert in_all(ledger, "programs wrong on purpose") == f"{len(wrong)}"
    # Other checks of this package say so; the words are theirs.
    assert "wrong on purpose" in in_all(ledger, "rules")
    assert "of the checked are weak" in in_all(ledger, "numbers")
    raising = ["# tracebook: raises " in path.read_text("utf-8") for path in programs]
    assert in_all(ledger, "errors reproduced") == f"{sum(raising)}"
    for what in (
        "displayed formulas",
        "inline formulas",
        "rules",
        "numbers",
        "names",
        "quotations",
        "error messages",
    ):
        number = in_all(ledger, what).partition("(")[0]
        assert sum(map(int, re.findall(r"\d+", number))) == sum(
            _counted(part.lower(), what) for part in _parts(ledger).values()
        ), what
