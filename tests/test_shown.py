"""Promise: programs that readers see carry no comments for the checks, wherever they
get them, and what they copy is what ran."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tracebook import includes

from . import built
from .project import ROOT
from .test_engine import Project, project, temporary  # noqa: F401
from .test_mkdocs import build

PROGRAM = '''"""What a program may carry."""

# tracebook: alone
# tracebook: raises ValueError

import inspect
import linecache
import sys

# tracebook: rel=1e-3


# --8<-- [start:rule]
# truth: the gradient of abs
def rule(x):
    # Readers see this comment.
    # truth: eager only
    return x
# --8<-- [end:rule]


linecache.updatecache(__file__)  # as AutoGraph does
print(inspect.getsource(rule), end="")
print("line", sys._getframe().f_lineno)
# truth: within 1e-3
raise ValueError("no")
'''
SHOWN = '''"""What a program may carry."""

import inspect
import linecache
import sys


def rule(x):
    # Readers see this comment.
    return x


linecache.updatecache(__file__)  # as AutoGraph does
print(inspect.getsource(rule), end="")
print("line", sys._getframe().f_lineno)
raise ValueError("no")
'''
TRACE = """def rule(x):
    # Readers see this comment.
    return x
line 15
ValueError: no
"""


@pytest.mark.parametrize(
    "program, seen",
    [
        (PROGRAM, SHOWN),
        ("x = 1", "x = 1"),
        ("\n\nx = 1\n\n\n\n", "\n\nx = 1\n\n\n\n"),
        ("# truth: a\n\nx\n", "x\n"),
        ("\n# truth: a\n\n\n# truth: b\n\nx\n", "x\n"),
        ("x\n\n# truth: a\n", "x\n"),
        ("x\n# truth: a", "x"),
        ("x\n\n\n# truth: a\n\ny\n", "x\n\n\ny\n"),
        ("x\n\n# truth: a\n\n\ny\n", "x\n\n\ny\n"),
        ("x\n\n# truth: a\n\n# truth: b\n\ny\n", "x\n\ny\n"),
        ("x\n# truth: a\n\n\ny\n", "x\n\n\ny\n"),
        ("x\n# truth: a\ny\n", "x\ny\n"),
        ("x\r\n# truth: a\r\ny\r\n", "x\r\ny\r\n"),
        ("x = '\x0c'\n# truth: a\ny\n", "x = '\x0c'\ny\n"),
        ("x  # truth: a\n# truths: b\n# of truth: c\n", None),
        ("", ""),
        ("# truth: a\n", "\n"),
    ],
)
def test_visible_lines(program, seen):
    assert includes.visible(program) == (program if seen is None else seen)
    lines = program.split("\n")
    numbered = "\n".join(lines[n - 1] for n in includes.visible_lines(program))
    assert numbered == includes.visible(program).removesuffix("\n")


def test_each_program_is_shown_but_for_these_comments():
    for each in built.SNIPPETS.values():
        kept = each.text.split("\n")
        assert built.code(kept) == built.code(each.source.split("\n")), each.label
        assert built.code(kept) == [line for line in kept if line.strip()], each.label
        assert "\n\n\n\n" not in each.text and each.text[0] != "\n", each.label
        assert each.text.endswith("\n") and each.text[-2] != "\n", each.label


def test_a_section_is_of_the_file_and_hides_the_same():
    include = includes.Include(0, 1, "x.py", "rule")
    lines = ["def rule(x):", "    # Readers see this comment.", "    return x"]
    assert include.lines(PROGRAM) == lines


def test_an_output_hides_nothing():
    printed = "# truth: printed\n\n# tracebook: so is this\n"
    include = includes.Include(0, 1, "x.out")
    assert include.lines(printed) == printed.splitlines()


def test_the_visible_text_runs(project):  # noqa: F811
    project.settings("plugins = ['reader.printed_lines']")
    project.add("x", PROGRAM, TRACE)
    code, printed = project.run("check", "--json")
    assert code == 0, printed
    assert json.loads(printed)["plugins"]["lines"]["x.py"][-2:] == [15, 16]


@pytest.mark.parametrize("bad", ["raise KeyError('no')", "def"])
def test_messages_name_lines_of_the_file(project, bad):  # noqa: F811
    source = PROGRAM.replace('raise ValueError("no")', bad)
    source = source.replace("# tracebook: raises ValueError\n", "")
    project.add("x", source, TRACE)
    code, printed = project.run("check")
    where = source.split("\n").index(bad) + 1
    assert code == 1 and f"snippets/x.py:{where}: raised " in printed, printed
    assert bad != "def" or f'File "snippets/x.py", line {where}\n' in printed, printed


PAGE = """# Page

The program, and a part of it:

```python title="x.py"
--8<-- "x.py"
```

```text title="prints"
--8<-- "x.out"
```

=== "Part"

    ```python title="x.py"
    --8<-- "x.py:rule"
    ```

What is typed stays:

```text
# tracebook: rel=NUMBER
```
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The site of a small book, with all that its readers take along."""
    root = tmp_path_factory.mktemp("book")
    for name, text in {
        "pyproject.toml": "[tool.tracebook]\n",
        "mkdocs.yml": "site_name: A book\nplugins: [tracebook]\n"
        f"hooks: [{ROOT / 'src/adapters/takeaway_hooks.py'}]\n"
        "markdown_extensions:\n  - pymdownx.superfences\n  - pymdownx.tabbed\n"
        "  - pymdownx.snippets: {base_path: [snippets]}\n",
        "snippets/x.py": PROGRAM,
        "snippets/x.out": TRACE,
        "docs/index.md": PAGE,
    }.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    code, printed = build(root)
    assert code == 0, printed
    return root / "site"


def test_downloads_have_no_comments_for_tools(site):
    typed = ("index.html", "index.md", "index.ipynb", "llms-full.txt")
    found = [
        (name, line)
        for name, line in built.comments_for_tools(site)
        if line != "# tracebook: rel=NUMBER"
    ]
    assert found == []
    assert {name for name, _ in built.comments_for_tools(site)} >= {*typed}


def test_the_page_shows_the_program_and_its_part(site):
    blocks = [
        block.text_content().strip("\n")
        for block in built.document(site / "index.html").iter("pre")
    ]
    part = "def rule(x):\n    # Readers see this comment.\n    return x"
    assert blocks[:3] == [SHOWN.strip(), TRACE.strip(), part]


def test_a_notebook_contains_the_visible_text(site):
    cells = json.loads((site / "index.ipynb").read_text("utf-8"))["cells"]
    program, run = [cell for cell in cells if cell["cell_type"] == "code"]
    assert "".join(program["source"]) == f"%%writefile x.py\n{SHOWN.rstrip()}"
    assert "".join(run["source"]) == "import sys\n\n!{sys.executable} x.py"


def test_a_downloaded_program_prints_its_output(site, tmp_path):
    assert (site / "snippets/x.py").read_text("utf-8") == SHOWN
    (tmp_path / "x.py").write_text(SHOWN)
    done = subprocess.run(
        [sys.executable, "x.py"], cwd=tmp_path, text=True, capture_output=True
    )
    assert done.stdout + done.stderr.splitlines(keepends=True)[-1] == TRACE
