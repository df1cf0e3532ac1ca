"""What stands on a page stands where it belongs: programs and traces, the next page,
citations, fences, mathematics, comments."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tracebook import pages, settings, snippet
from truth.finding import Finding
from truth.page import Page
from truth.structure import programs
from truth.structure.check import check

pytestmark = pytest.mark.tools

FILES = {
    "pyproject.toml": "",
    "mkdocs.yml": "nav:\n  - Home: index.md\n  - Guide:\n      - guide/index.md\n"
    "      - One: guide/one.md  # before: guide/first.md\n#      - guide/later.md\n"
    "      - Two: guide/two.md\ntheme: material\n",
    "docs/guide/two.md": "# Two\n",
    "snippets/guide/one/a.py": 'print("x =", 1 + 2)\n',
    "snippets/guide/one/a.out": "x = 3\n",
    "snippets/guide/one/b.py": 'print("x =", 2 + 2)\n',
    "snippets/guide/one/b.out": "x = 4\n",
    "snippets/guide/one/wrong/c.py": 'print("x =", 2 + 3)\n',
    "snippets/guide/one/wrong/c.out": "x = 5\n",
    "docs/bibliography.md": """# Bibliography

Bengio2013 { #Bengio2013 }

:   Y. Bengio, N. Léonard and A. Courville, [*Stochastic
    neurons*](https://arxiv.org/abs/1308.3432), 2013. [A place, 1999](https://x.org).

Giles2008 { #Giles2008 }

:   M. B. Giles, *Matrix derivatives*, 2008. [A report](https://x.org/08).

Griewank2008 { #Griewank2008 }

:   A. Griewank and A. Walther, *Evaluating derivatives*, second edition,
    2008. [SIAM](https://x.org).

JAX { #JAX }

:   *JAX*, the documentation. [The cookbook](https://x.org).

Oord2017 { #Oord2017 }

:   A. van den Oord and O. Vinyals, *Discrete representations*, 2017.

PyTorch { #PyTorch }

:   *PyTorch*, the documentation. [Autograd](https://x.org).
""",
}
Make = Callable[[str], list[Finding]]


def shown(*names: str) -> str:
    """The fences of programs and traces."""
    fences = []
    for name in names:
        stem, _, kind = name.rpartition(".")
        wrong = name.startswith("wrong/")
        python = "{.python .wrong title=" if wrong else "python title="
        head = f'{python}"{name}"' + "}" * wrong
        head = head if kind == "py" else 'text title="prints"'
        fences.append(f'```{head}\n--8<-- "guide/one/{stem}.{kind}"\n```\n')
    return "\n".join(fences)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path


@pytest.fixture
def found(root: Path) -> Make:
    """What is found on a page of this text."""

    def make(text: str) -> list[Finding]:
        path = root / "docs/guide/one.md"
        path.write_text(f"# One\n\n{text}\n", "utf-8")
        return check(Page(path, root))

    return make


def refused(findings: list[Finding], line: int, *words: str) -> bool:
    """Whether one thing failed, at this line below the title, in such words."""
    failed = [each for each in findings if each.state == "failed"]
    assert len(failed) == 1, list(map(str, failed))
    assert failed[0].location == f"docs/guide/one.md:{line + 2}", failed[0]
    for word in words:
        assert word in str(failed[0])
    return True


def passes(findings: list[Finding]) -> bool:
    failed = [str(each) for each in findings if each.state == "failed"]
    assert not failed, failed
    return True


def test_each_program_is_followed_by_its_trace(found):
    assert passes(found(shown("a.py", "a.out", "b.py", "b.out")))
    assert passes(found(shown("wrong/c.py", "wrong/c.out")))


@pytest.mark.parametrize(
    "names, line, said",
    [
        (("a.py", "b.out"), 6, "of guide/one/b.py"),
        (("a.out", "a.py"), 2, "of guide/one/a.py"),
        (("a.py", "b.py", "b.out"), 2, "its output"),
        (("a.py",), 2, "its output"),
        (("a.out",), 2, "of guide/one/a.py"),
    ],
)
def test_a_trace_elsewhere_is_refused(names, line, said, found):
    failed = [each for each in found(shown(*names)) if each.state == "failed"]
    assert any(
        each.location.endswith(f":{line + 2}") and said in str(each) for each in failed
    ), list(map(str, failed))


def test_a_trace_in_another_section_is_refused(found):
    text = shown("a.py") + "\n## Another\n\n" + shown("a.out")
    assert any(each.state == "failed" for each in found(text))


@pytest.mark.parametrize(
    "right, wrong, said",
    [
        ('title="a.py"', 'title="b.py"', "title"),
        ('```python title="a.py"', "```python", "title"),
        ('title="prints"', 'title="says"', "title"),
        ("one/a.py", "one/wrong/c.py", "title"),
        ('one/a.out"', 'one/a.out"\ny = 7', "never ran"),
        ("```python ", "```{.python .wrong ", "wrong"),
    ],
)
def test_a_fence_shows_one_file_and_says_which(right, wrong, said, found):
    text = shown("a.py", "a.out")
    assert right in text
    assert passes(found(text))
    failed = [each for each in found(text.replace(right, wrong)) if not each.passed]
    assert any(said in str(each) for each in failed), list(map(str, failed))


def test_an_include_outside_of_a_fence_is_refused(found):
    assert refused(
        found(shown("a.py", "a.out") + '\n--8<-- "guide/one/a.out"\n'), 9, "fence"
    )


def test_a_page_that_says_a_command_wrote_it_is_checked_all_the_same(found):
    said = "`make bench` wrote this page. This page is written by `make bench`."
    assert refused(found(f"{said}\n\nHere ∂y/∂x = 2x holds."), 3, "$")


@pytest.mark.parametrize(
    "said",
    [
        "[Giles, 2008](../bibliography.md#Giles2008)",
        "[Giles2008](../bibliography.md#Giles2008)",
        "[Griewank and Walther, 2008](../bibliography.md#Griewank2008)",
        "[Bengio, Léonard and Courville, 2013](../bibliography.md#Bengio2013)",
        "[Bengio et al.,\n2013](../bibliography.md#Bengio2013)",
        "[van den Oord and Vinyals, 2017](../bibliography.md#Oord2017)",
        "[JAX](../bibliography.md#JAX)",
        "[The cookbook](../bibliography.md#JAX)",
        "JAX has [examples](../bibliography.md#JAX)",
    ],
)
def test_a_citation_names_its_source(said, found):
    findings = found(f"As in {said}.")
    assert passes(findings)
    assert [each.state for each in findings] == ["compared"]


@pytest.mark.parametrize(
    "said",
    [
        "[Giles, 2009](../bibliography.md#Giles2008)",
        "[Gilles, 2008](../bibliography.md#Giles2008)",
        "[Giles, 2008](../bibliography.md#Griewank2008)",
        "[Giles, 2008](../bibliography.md#Giles2009)",
        "[Giles2008](../bibliography.md#Griewank2008)",
    ],
)
def test_a_citation_that_names_another_is_refused(said, found):
    assert refused(found(f"As in {said}."), 1, "bibliography")


@pytest.mark.parametrize(
    "fence",
    [
        "```text\ngrad :: upstream(y: [2])\n  → downstream(x: [3])\n```",
        "```text\nx = 3\n```",
        "```text\n\n  x   =  3\n```",
        "    ```text\n    x = 3\n    ```",
        "```sh\nmake test\n```",
        "```python\nx = 4\n```",
        "```{.python notest}\nx = 4\n```",
    ],
)
def test_a_fence_that_shows_a_type_a_trace_or_code_passes(fence, found):
    assert passes(found(f"{shown('a.py', 'a.out')}\n{fence}"))


@pytest.mark.parametrize(
    "fence",
    [
        "```text\nx = 4\n```",
        "```\nx = 4\n```",
        "~~~text\nx = 4\n~~~",
        "```console\nx = 4\n```",
        '```text title="prints"\nx = 3\n```',
        '```text title="types"\nx = 4\n```',
        "```sh title='prints'\nx = 4\n```",
        "```{.sh title=prints}\nx = 4\n```",
        "```text\ngrad :: upstream(y) → downstream(x)\nx = 4\n```",
        "```{.text}\nx = 4\n```",
        "```python\nx = 4\n```\n\n    ```text\n    x = 4\n    ```",
    ],
)
def test_a_fence_that_looks_like_output_is_refused(fence, found):
    findings = found(f"{shown('a.py', 'a.out')}\n{fence}")
    line = 10 + (4 if "python" in fence else 0)
    assert refused(findings, line, "output")


@pytest.mark.parametrize("fence", ["> ```\n> 4\n> ```", "- ```text\n  4\n  ```"])
def test_a_fence_that_is_not_read_as_one_is_refused(fence, found):
    assert refused(found(fence), 1, "lines of its own")


def test_a_folder_tests_no_fence(found, root):
    (root / "tests/statements").mkdir(parents=True)
    text = "```text\n4\n```\n<!-- proof: tests/statements -->"
    failed = [str(each) for each in found(text) if each.state == "failed"]
    assert len(failed) == 2
    assert any("tests/NAME.py" in each for each in failed)
    assert any("no such file" in each for each in failed)


@pytest.mark.parametrize(
    "said, line, word",
    [
        ("It is *wrong on purpose* here.", 1, "deliberately wrong"),
        ("Text.\n\nThe text is no tensor.", 3, "isn't a"),
        ("## The pairing of two vectors", 1, "inner product"),
        ("| map | rule |\n| --- | --- |\n| one more | it shall be so |", 3, "must"),
        ("The gradient by `x` is 2.", 1, "with respect to"),
        ("TensorFlow says so.", 1, "speak"),
        ("It is found by differences.", 1, "finite differences"),
    ],
)
def test_a_private_word_is_refused_with_the_field_s(said, line, word, found):
    assert refused(found(said), line, word)


@pytest.mark.parametrize(
    "said",
    [
        "There is no tensor, and `shall` is code.",
        "The gradient by hand, by finite differences, and by reverse differentiation.",
        "It is no longer so, and no slower.",
    ],
)
def test_the_field_s_words_pass(said, found):
    assert passes(found(said))


@pytest.mark.parametrize(
    "said",
    [
        "For all $x$, $x^2 \\ge 0$, and `x * x` is no less.",
        "It is −1, −0.5, or ½, for 64 programs, 2nd to 5th, and 3 × as long.",
        "A list – with dashes – of TensorFlow's and C++ names, a and I.",
        "Léonard’s “quotes” … and so on",
        "MkDocs 1.x and C++.",
        "| a | I |\n| --- | :-: |\n| 1 | 2 |",
        '<div class="x" markdown>\n\nA text.\n\n</div>',
        'A text { #anchor data-forms="x y" }',
        "![A graph of u = x²](x.svg#only-light)",
        "> dx = (1 + 2x)",
    ],
)
def test_words_and_numbers_are_no_mathematics(said, found):
    assert passes(found(said))


@pytest.mark.parametrize(
    "said",
    [
        "For all x² ≥ 0.",
        "As y = x, all is well.",
        "Where x grows.",
        "The slope is 2x.",
        "Its slope is −x.",
        "The sum α + β.",
        "It is 3·4.",
        "It is x^2 or more.",
        "Less than a<b.",
        "## Where x² ≥ 0",
        "| map | rule |\n| --- | --- |\n| inverse | −Yᵀ Ȳ Yᵀ |",
        "The code `x² ≥ 0` says so.",
        "It is 2 ≤ 3.",
        "It is √2.",
        "It is 𝑥.",
    ],
)
def test_mathematics_outside_of_formulas_is_refused(said, found):
    line = said.count("\n") + 1
    failed = [each for each in found(said) if each.state == "failed"]
    assert {each.location for each in failed} == {f"docs/guide/one.md:{line + 2}"}
    assert all("$" in each.detail for each in failed)


@pytest.mark.parametrize(
    "comment",
    ["prof: a.out", "poof", "proof a.out", "Proof: a.out", "premise:", "TODO: this"],
)
def test_a_comment_that_is_no_known_directive_is_refused(comment, found):
    assert refused(found(f"A text.\n<!-- {comment} -->"), 2, "proof, docstring")


def test_a_comment_may_say_something_to_writers(found):
    assert passes(
        found(
            "A text.\n<!-- proof: snippets/guide/one/a.out -->\n\n<!-- Mind the order. -->"
        )
    )


@pytest.mark.parametrize(
    "comment, says",
    [
        ("proof: snippets/guide/one/a.out, snippets/gone.out", "no such file"),
        ("proof:", "no such file"),
    ],
)
def test_a_directive_that_says_nothing_is_refused(comment, says, found):
    assert refused(found(f"A text.\n<!-- {comment} -->"), 2, says)


def test_what_stands_in_a_comment_is_not_shown(root):
    (root / "docs/guide/one.md").write_text(
        f"# One\n\n<!--\n{shown('a.py', 'a.out')}\n-->\n"
        "`<!--` is code\n" + shown("b.py", "b.out", "wrong/c.py", "wrong/c.out")
    )
    book = settings.load(root)
    said = [*map(str, pages.problems(book, snippet.find(book), (), {}))]
    assert [each for each in said if "/b." in each or "/c." in each] == []
    assert said == [
        "snippets/guide/one/a.py: no page shows it",
        "snippets/guide/one/a.out: no page shows it",
    ]


PROGRAM = '''"""Squares 2.5 and prints 3 numbers, 77."""

import tensorflow as tf

x = tf.constant(2.5)
small, half = 1e-9, tf.constant([0.5, 7.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x * half[0]
downstream = tape.gradient(y, x)
print(f"L = 8 x^2 at 2.5, x ** 9 below 1e-9: {abs(y - 3.125) < small}")
print("downstream", downstream.numpy(), f"{2.0 * x:8.4f}", len(half), "0.5 to 7")
'''


def test_what_is_printed_is_computed():
    assert list(programs.typed_numbers(PROGRAM)) == []
    assert list(programs.typed_numbers("print(")) == []  # which does not run at all


@pytest.mark.parametrize(
    "line",
    [
        'print("downstream 2.25")',
        'print("downstream = 2.5")',
        'print("downstream:", "2.5", f"y = {y}, downstream = 2.5")',
        'print(f"downstream = -2.5")',
        'print("[2.25 4.75]")',
        'text = "downstream is 2.25"\nprint(text)',
        'print("right is 64 times")',
    ],
)
def test_a_number_that_is_typed_where_a_result_belongs_is_refused(line):
    found = list(programs.typed_numbers(PROGRAM + line + "\n"))
    assert found and {number for number, _, _ in found} <= {13, 14}


def test_programs_and_tolerances_stand_on_the_page(found, root):
    (root / "snippets/guide/one/a.py").write_text(
        '# tracebook: rel=1e-3\nprint("y = 3.5")\n'
    )
    findings = found(shown("a.py", "a.out"))
    assert [(each.location, each.state) for each in findings] == [
        ("snippets/guide/one/a.py:1", "given"),
        ("snippets/guide/one/a.py:2", "failed"),
    ]
    assert "rel=0.001" in findings[0].text


DRAWING = """
from matplotlib import pyplot as plt

figure, plot = plt.subplots()
plot.plot([1, 2], [3, 5], label="rising")
for line in plot.lines:
    assert line.get_ydata()[0] == 3, "A line"
assert line.get_ydata()[1] > 3, ("that rises"
                                 " from 1 to 2.")
figure.savefig("a.svg")
print("slope", 5 - 3)
"""
FIGURE = (
    "![A line that rises\nfrom 1 to 2.](../figures/guide/one/a.svg#only-light)\n"
    "![A line that rises from 1 to 2.](../figures/guide/one/a-dark.svg#only-dark)\n\n"
)


def test_a_figure_is_described_by_what_its_program_asserts(found, root):
    (root / "snippets/guide/one/a.py").write_text(DRAWING)
    findings = found(FIGURE + shown("a.py", "a.out"))
    assert [each.state for each in findings] == ["compared", "compared"]
    assert findings[0].detail == "asserted by a.py in 2 parts"


@pytest.mark.parametrize(
    "right, wrong",
    [
        ("rises\n", "falls\n"),
        ("from 1", "from 2"),
        ("A line", "Two lines"),
        ("2.]", "2, and on.]"),
        ("A line that rises\nfrom 1 to 2.", ""),
        ("one/a.svg", "one/b.svg"),
        ("A line that rises from", "A line from"),
    ],
)
def test_other_words_of_a_figure_are_refused(right, wrong, found, root):
    (root / "snippets/guide/one/a.py").write_text(DRAWING)
    text = FIGURE + shown("a.py", "a.out")
    assert right in text
    failed = [e for e in found(text.replace(right, wrong, 1)) if e.state == "failed"]
    assert len(failed) == 1 and "a.py" in str(failed[0]) + "a.py" * ("b.svg" in wrong)


def test_a_figure_of_which_nothing_is_said_or_asserted_is_refused(found, root):
    (root / "snippets/guide/one/a.py").write_text("print(5 - 3)\n")
    text = "![](../figures/guide/one/a.svg)\n\n" + shown("a.py", "a.out")
    assert refused(found(text), 1, "nothing in a.py says")


@pytest.mark.parametrize(
    "right, wrong",
    [
        ('assert line.get_ydata()[1] > 3, ("that rises"', 'print("that rises"'),
        ("assert line.get_ydata()[1] > 3", "assert 3 > 2"),
        ('"A line"', '"A curve"'),
        ('== 3, "A line"', "== 3"),
    ],
)
def test_a_figure_of_which_less_is_asserted_is_refused(right, wrong, found, root):
    assert right in DRAWING
    (root / "snippets/guide/one/a.py").write_text(DRAWING.replace(right, wrong))
    findings = found(FIGURE + shown("a.py", "a.out"))
    assert sum(each.state == "failed" for each in findings) >= 2
