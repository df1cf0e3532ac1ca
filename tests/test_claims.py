"""Promise: each claim has one test with a contrast, the test runs, and a reviewer sees
both; a number in prose stands in what its page shows."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from truth import claim_check, claims, due, numbers, review
from truth.page import Page, all_pages

from .project import ROOT

pytestmark = pytest.mark.tools

PAGE = """\
# A page

The *first*{.role} word. *A tape identifies tensors by `x*y`, $z^* = 1$ and
**identity**.*{#by-identity} More.

- *Eagerly, it's once.*{ #once .wide }

```text
*No claim.*{#fence}
```
"""
TEST = '''\
"""The claims of docs/page.md."""

import pytest

from tests.harness import contrast


@pytest.mark.parametrize("n", [1, 2, 3])
def test_by_identity(n):
    assert n == +n
    with contrast("by value"):
        assert n is not None


def test_once():
    assert abs(1) == 1
    with contrast("twice"):
        assert abs(1) != 2
'''


@pytest.fixture
def project(tmp_path):
    """Make a project with one page and one file of tests."""
    for folder in ("docs", "snippets", "tests/claims"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "tests/__init__.py").touch()
    (tmp_path / "tests/claims/__init__.py").touch()
    shutil.copy(ROOT / "tests/claims/conftest.py", tmp_path / "tests/claims")
    shutil.copytree(ROOT / "tests/harness", tmp_path / "tests/harness")

    def make(page: str = PAGE, test: str | None = TEST) -> Page:
        (tmp_path / "docs/page.md").write_text(page)
        if test is not None:
            (tmp_path / "tests/claims/page.py").write_text(test)
        return Page(tmp_path / "docs/page.md", tmp_path)

    return make


def test_claims_are_emphasis_with_an_id(project):
    first, second = claims.find_claims(project())
    assert (first.id, first.line) == ("by-identity", 3)
    text = "A tape identifies tensors by `x*y`, $z^* = 1$ and **identity**."
    assert first.text == text and first.test == "test_by_identity"
    assert (second.id, second.text) == ("once", "Eagerly, it's once.")


def failures(page: Page) -> list[str]:
    return [
        f"{finding.location}: {finding.detail}" for finding in claims.problems(page)
    ]


@pytest.mark.parametrize(
    ("page", "test", "failure"),
    [
        (PAGE, TEST, ""),
        (PAGE, None, "docs/page.md:3: no test; write test_by_identity"),
        (PAGE, TEST.replace("_once", "_never"), "no test; write test_once"),
        (PAGE, TEST.replace("_once", "_never"), "has the id never"),
        (PAGE.replace("#once", "#by-identity"), TEST, "two claims of the page"),
        (PAGE.replace("#once", "#Once"), TEST, "an id has lower-case letters"),
        (PAGE, TEST.replace('with contrast("twice")', "if True"), "no contrast; add"),
        (PAGE, TEST.replace('"twice"', '""'), "a contrast has words"),
        (
            PAGE,
            TEST.replace("assert abs(1) != 2", "assert 1 != 2"),
            "a contrast has words and",
        ),
        (
            PAGE,
            TEST.replace("assert abs(1) == 1", "assert 1 == 1"),
            "no assertion beside",
        ),
        (PAGE, TEST + TEST[TEST.index("def test_once") :], "two tests have this name"),
        (PAGE, "def test_once(", "page.py:1: cannot be read"),
    ],
)
def test_a_claim_without_its_test_is_refused(project, page, test, failure):
    found = failures(project(page, test))
    assert bool(found) == bool(failure) and failure in " ".join(found)


@pytest.mark.slow
def test_the_tests_of_claims_run_once(project, monkeypatch):
    page = project()
    assert not claim_check.is_known(page)
    first, second = claim_check.check(page)
    assert [first.state, second.state] == ["tried", "tried"]
    assert first.detail == "3 cases; contrast: by value"
    assert first.test == "tests/claims/page.py:8" and first.name == "by-identity"
    assert claim_check.is_known(page)
    monkeypatch.setattr(claim_check, "_run", lambda *_: pytest.fail("runs again"))
    page = project(PAGE.replace("A page", "A new title"))
    assert len(claim_check.check(page)) == 2
    assert not claim_check.is_known(
        project(test=TEST.replace("abs(1) == 1", "abs(2) == 2"))
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "how"),
    [
        (
            "assert n == +n",
            "assert n < 3",
            "test_by_identity[3]: line 10: AssertionError",
        ),
        (
            'with contrast("twice"):',
            'for _ in ():\n        with contrast("twice"):',
            "",
        ),
        (
            "assert abs(1) != 2",
            "assert abs(1) == 2",
            "test_once: line 18: AssertionError",
        ),
    ],
)
def test_a_test_that_fails_or_reaches_no_contrast_is_named(project, old, new, how):
    test = TEST.replace(old, new)
    if "for _" in new:
        test = test.replace("        assert abs(1)", "            assert abs(1)")
        how = "test_once reached no contrast"
    page = project(test=test)
    failed = [f.detail for f in claim_check.check(page) if f.state == "failed"]
    assert failed and how in failed[0], failed
    assert not claim_check.is_known(page)


def test_what_pytest_says_of_a_file_that_it_cannot_import_is_shown(project):
    page = project(test=f"raise KeyError('x')\n{TEST}")
    with pytest.raises(OSError, match="KeyError: 'x'"):
        claim_check.check(page)
    assert not claim_check.is_known(page)


def git(root: Path, *words: str) -> None:
    name = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *name, *words], cwd=root, check=True, capture_output=True)


def test_review_shows_what_changed_beside_its_test(project, monkeypatch, capsys):
    page = project()
    git(page.root, "init", "--quiet")
    git(page.root, "add", ".")
    git(page.root, "commit", "--quiet", "-m", "as it was")
    monkeypatch.chdir(page.root)
    assert review.main([]) == 0
    assert "0 claims to review" in capsys.readouterr().out
    project(PAGE.replace("**identity**", "**name**"))
    review.main(["HEAD"])
    text = capsys.readouterr().out
    assert "changed: identity → name" in text and "contrast: by value" in text
    assert "test (unchanged):" in text and "    assert n == +n" in text
    assert "1 claim to review" in text
    project(PAGE.replace("{ #once .wide }", ""), TEST.replace("n == +n", "n <= n"))
    review.main(["HEAD"])
    text = capsys.readouterr().out
    assert "same wording: A tape" in text and "test (new or changed):" in text
    assert "removed: Eagerly" in text and "2 claims to review" in text
    assert review.main(["--sample", "1"]) == 0
    assert "1 claim to review" in capsys.readouterr().out


def test_review_of_an_unknown_commit(project):
    page = project()
    done = subprocess.run(
        [sys.executable, "-m", "truth", "review", "no-commit"],
        cwd=page.root,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2 and "git knows no commit no-commit" in done.stderr


SHOWN = """
```text
gradient 0.0451766551  steps 1024  large 123456.789
```

$$
y = 4.5 \\cdot 10^{-5}
$$
"""


@pytest.mark.parametrize(
    ("sentence", "state"),
    [
        ("It is 0.0452.", "compared"),
        ("It is 0.0453.", "failed"),
        ("It is 0.05.", "failed"),
        ("It is about 0.05.", "compared"),
        ("It is `0.0451766551`.", "compared"),
        ("It is `0.0451766552`.", "failed"),
        ("It is 4.52 %.", "compared"),
        ("It is 4.6 %.", "failed"),
        ("After steps\n1024. Then it ends.", "compared"),
        ("After steps\n1025. Then it ends.", "failed"),
        ("24. Then it ends.\nThis is a list.", ""),
        ("- 23. It is an item.", ""),
        ("It is 4.5e-5.", "compared"),
        ("It is 123,457.", "compared"),
        ("It is 123,458.", "failed"),
        ("About 1000 steps.", "compared"),
        ("About 2000 steps.", "failed"),
        ("It takes seven steps, or 7.", ""),
        ("It takes 4711 steps.\n<!-- unchecked: 4711 -->", "unchecked"),
        ("Python 3.11, TensorFlow 2.21 and later.", ""),
        ("See [Baydin et al., 2018](bibliography.md#Baydin2018).", ""),
        ("See [issue 4711](https://github.com/a/b/issues/4711).", ""),
        ("See [jax#4711](https://github.com/a/b/issues/4711), float16.", ""),
    ],
)
def test_numbers_in_prose_stand_in_what_the_page_shows(project, sentence, state):
    page = project(f"# Title\n\n{sentence}\n{SHOWN}", None)
    found = numbers.check(page)
    assert [finding.state for finding in found] == ([state] if state else [])


def test_a_wrong_number_is_refused_with_the_right_one(project):
    page = project(f"# Title\n\nIt is 0.0472.\n{SHOWN}", None)
    [finding] = numbers.check(page)
    assert finding.location == "docs/page.md:3"
    assert "the nearest is 0.0451766551" in finding.detail


def test_a_number_of_a_claim_stands_in_its_test(project):
    text = "# Title\n\n*It takes 4711 steps.*{#steps}\n"
    test = 'def test_steps():\n    assert count() == 4711\n    with contrast("1"):\n'
    test += "        assert count() != 1\n"
    page = project(text, test)
    assert [f.state for f in numbers.check(page)] == ["compared"]
    page = project(text.replace("4711", "4712"), test)
    assert [f.state for f in numbers.check(page)] == ["failed"]


def test_everything_is_due_once_in_ten_days(monkeypatch):
    monkeypatch.delenv(due.EVERYTHING, raising=False)
    for page in all_pages(ROOT)[:9]:
        turns = [due.is_today(page.label, day) for day in range(20000, 20010)]
        assert turns.count(True) == 1
    monkeypatch.setenv(due.EVERYTHING, "1")
    assert due.is_today("anything", 20000)


def test_what_changed_is_due(project, monkeypatch):
    page = project()
    git(page.root, "init", "--quiet")
    git(page.root, "add", ".")
    git(page.root, "commit", "--quiet", "-m", "as it was")
    monkeypatch.setattr(due, "is_today", lambda *_: False)
    monkeypatch.delenv("CI", raising=False)
    due.changed_files.cache_clear()
    assert not claim_check.is_due(page)
    for path in ("docs/page.md", "tests/claims/page.py", "snippets/page/new.py"):
        due.changed_files.cache_clear()
        target = page.root / path
        target.parent.mkdir(exist_ok=True)
        text = target.read_text() if target.exists() else ""
        target.write_text(f"{text}\n")
        assert claim_check.is_due(page), path
        git(page.root, "add", ".")
        git(page.root, "commit", "--quiet", "-m", "changed")
    due.changed_files.cache_clear()
    assert not claim_check.is_due(page)
    due.changed_files.cache_clear()


def test_in_ci_the_commits_of_the_last_hours_are_due(project, monkeypatch):
    page = project()
    monkeypatch.setattr(due, "is_today", lambda *_: False)
    monkeypatch.setenv("CI", "true")
    git(page.root, "init", "--quiet")
    for date, path, is_due in (
        ("2001-02-03T00:00:00Z", "docs/page.md", True),  # nothing was before
        ("2001-02-03T07:00:00Z", "docs/other.md", False),
        ("2001-02-03T08:00:00Z", "docs/page.md", True),
        ("2001-02-03T09:00:00Z", "docs/other.md", True),
    ):
        monkeypatch.setenv("GIT_COMMITTER_DATE", date)
        (page.root / path).write_text(f"{page.text}\n{date}\n")
        git(page.root, "add", ".")
        git(page.root, "commit", "--quiet", "-m", "changed")
        due.changed_files.cache_clear()
        assert claim_check.is_due(page) == is_due, date
    due.changed_files.cache_clear()
