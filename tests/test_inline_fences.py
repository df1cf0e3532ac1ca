"""Every inline Python fence of the pages and the README runs."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import markdown
import mkdocs.config
import pytest
from bs4 import BeautifulSoup

from .project import ROOT

pytestmark = pytest.mark.tools

FENCES = ROOT / "tests/fences"
PAGES = [*sorted(ROOT.glob("docs/**/*.md")), ROOT / "README.md"]
# The header of a fence, and the beginning of those that are to end otherwise.
RUNS = r"^[ >]*```\{?\.?python.*\n(?!.*(?:not run|passes|--8<--))"


def run_fences(
    *paths: str, root: Path = ROOT, **environment: str
) -> subprocess.CompletedProcess:
    """Run the fences of pages as the README tells a reader to."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--markdown-docs",
        "--markdown-docs-syntax=superfences",
        "-rA",
        "-p",
        "no:cacheprovider",
        *paths,
    ]
    return subprocess.run(
        command,
        cwd=root,
        text=True,
        capture_output=True,
        env={**os.environ, **environment},
    )


def outcomes(run: subprocess.CompletedProcess, outcome: str) -> set:
    """Page and line of each fence that ended so."""
    found = re.findall(
        rf"^{outcome} \S*?([\w-]+\.md)::.*\[line:(\d+)\]", run.stdout, re.M
    )
    return {(page, int(line)) for page, line in found}


def marked(folder: str, pattern: str) -> set:
    """Page and line of what matches in the pages of a folder."""
    found = set()
    for page in FENCES.glob(f"{folder}/*.md"):
        text = page.read_text("utf-8")
        found |= {
            (page.name, text.count("\n", 0, match.start()) + 1)
            for match in re.finditer(pattern, text, re.M)
        }
    return found


@pytest.mark.tools(False)
def test_every_inline_fence_runs():
    run = run_fences("docs", "README.md")
    assert run.returncode == 0, run.stdout + run.stderr


def test_readme_shows_what_the_checker_prints():
    readme = (ROOT / "README.md").read_text("utf-8")
    program, printed = re.search(
        r"```{\.python notest}\n(.*?)```\n\n```text\n(.*?)```", readme, re.DOTALL
    ).groups()
    run = subprocess.run(
        [sys.executable, "-c", program], text=True, capture_output=True, check=True
    )
    assert run.stdout == printed


@pytest.fixture(scope="module")
def site_markdown() -> markdown.Markdown:
    """The site's Markdown, without includes and formulas."""
    config = mkdocs.config.load_config(str(ROOT / "mkdocs.yml"))
    names = [
        name
        for name in config.markdown_extensions
        if name not in ("tracebook.extension", "mathml.extension")
    ]
    return markdown.Markdown(
        extensions=names,
        extension_configs={name: config.mdx_configs.get(name, {}) for name in names},
    )


@pytest.mark.tools(False)
@pytest.mark.parametrize(
    "page",
    [*PAGES, *FENCES.rglob("*.md")],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_no_fence_is_overlooked(page, site_markdown, pytestconfig):
    text = page.read_text("utf-8")
    html = BeautifulSoup(site_markdown.reset().convert(text), "html.parser")
    shown = [
        code.get_text().strip() for code in html.select(".language-python pre code")
    ]
    parser = pytestconfig.hook.pytest_markdown_docs_markdown_it()
    found = [
        token.content.strip()
        for token in parser.parse(text)
        if re.match(r"\{?\.?python", token.info)
    ]
    assert found == shown


@pytest.fixture(scope="module")
def trial(tmp_path_factory) -> Any:
    """One run of the fixture pages; ``logged`` is what their fences wrote."""
    log = tmp_path_factory.mktemp("fences") / "log"
    run: Any = run_fences("tests/fences", COVERAGE_LOG=str(log))  # a kept variable
    run.logged = log.read_text("utf-8")
    return run


def test_right_fences_pass(trial):
    passes = marked("fails", "^```python\n.*# passes")
    assert outcomes(trial, "PASSED") == marked("holds", RUNS) | passes, trial.stdout


def test_wrong_fences_fail(trial):
    assert outcomes(trial, "FAILED") == marked("fails", RUNS), trial.stdout


def test_failures_name_page_and_line(trial):
    named = re.findall(r"^tests/fences/fails/(\w+\.md):(\d+): ", trial.stdout, re.M)
    reported = {(page, int(line)) for page, line in named}
    assert marked("fails", "# reported") <= reported, trial.stdout


def test_a_fence_that_ends_early_says_so(trial):
    assert "ended before its last line, with exit code 0" in trial.stdout


def test_a_fence_runs_once_even_if_it_raises_type_error(trial):
    assert trial.logged == "run\n"
    assert "TypeError: once" in trial.stdout


@pytest.mark.parametrize(
    "header, line",
    [
        ("```python notest", ""),
        ("```python continuation", ""),
        ("```python fixture:tmp_path", ""),
        ("```py", ""),
        ("```Python", ""),
        ("```{.python fixture:tmp_path}", ""),
        ("```{.python retry:3}", ""),
        ("```{.py notest}", ""),
        ("```python", '--8<-- "chain_rule.py"\nprint("own")'),
        ("```python", '--8<-- "chain_rule.out"'),
        ("```python", "--8<--\nchain_rule.py\n--8<--"),
    ],
)
def test_a_fence_that_could_hide_code_is_refused(header, line, pytestconfig):
    parser = pytestconfig.hook.pytest_markdown_docs_markdown_it()
    with pytest.raises(pytest.Collector.CollectError, match=r"^line 3: "):
        parser.parse(f"Text.\n\n{header}\n{line}\n```\n")


@pytest.fixture
def project(tmp_path) -> Path:
    """A project of its own, with this one's settings but for TensorFlow, and no page
    yet."""
    shutil.copy(ROOT / "conftest.py", tmp_path)
    settings = (ROOT / "pyproject.toml").read_text("utf-8")
    settings = settings.replace('preload = ["tensorflow"]', "preload = []")
    (tmp_path / "pyproject.toml").write_text(settings, "utf-8")
    for name in ("docs/labs", "snippets"):
        (tmp_path / name).mkdir(parents=True)
    return tmp_path


def test_a_refused_fence_is_an_error_of_its_page(project):
    (project / "docs/page.md").write_text("\n```python notest\n```\n")
    run = run_fences("docs", root=project)
    assert run.returncode == pytest.ExitCode.INTERRUPTED
    assert "ERROR collecting docs/page.md" in run.stdout
    assert "line 2: write" in run.stdout


def test_pages_without_python_are_fine(project):
    (project / "docs/page.md").write_text("```sh\nexit 1\n```\n")
    assert run_fences("docs", root=project).returncode == 0


def test_programs_are_not_collected_as_modules(project):
    (project / "docs/page.md").write_text("```python\nassert True\n```\n")
    for name in ("docs/labs/lab.py", "snippets/gradient_test.py"):
        (project / name).write_text("raise RuntimeError('imported')\n")
    run = run_fences("docs", "snippets", root=project)
    assert run.returncode == 0, run.stdout
