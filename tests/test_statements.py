"""Promise: a sentence that speaks of more than one run is quoted by a test, the test
finds what refutes it, and a changed word is seen."""

import collections
import importlib
import re
from pathlib import Path

import pytest

from truth import sentences
from truth.page import Page
from truth.sentences import plain
from truth.statements import check, tries
from truth.statements.tries import *

HEAD = "from truth.statements.tries import *\n"
PAGE = """\
# A page

A rule is *always* called once. It has **two** [inputs](x.md), `x` and $y$.

| mode | answer |
| --- | --- |
| eager | none |

![A curve that never falls](x.svg)

!!! note "Only here"

    - In each list, too.

Is it every one? It prints 4.
"""
TESTS = """
@says("A rule is always called once.", "It has two inputs, `x` and $y$.")
@over(x=numbers())
def test_rule(x):
    assert x == x

definition("eager — none", "A curve that never falls", "Only here", "mode — answer")
advice("In each list, too.")
"""


@pytest.fixture
def judged(tmp_path):
    """States and reasons of what is found of a page's sentences."""

    def judge(tests: str | None = TESTS, text: str = PAGE, name: str = "guide/page"):
        (tmp_path / "pyproject.toml").write_text("[tool.tracebook]\n")
        page = tmp_path / "docs" / f"{name}.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text)
        file = tmp_path / "tests/statements" / f"{name}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.unlink(missing_ok=True)
        if tests is not None:
            file.write_text(HEAD + tests)
        return check.check([Page(page, tmp_path)], tmp_path)

    return judge


def states(found) -> dict[str, str]:
    return {each.what: each.state for each in found}


def failures(found) -> list[str]:
    return [str(each) for each in found if each.state == "failed"]


def test_each_kind_of_sentence_is_found(judged):
    found = judged()
    assert failures(found) == []
    assert states(found) == {
        "A rule is always called once.": "tried",
        "It has two inputs, `x` and $y$.": "tried",
        "mode — answer": "definition",
        "eager — none": "definition",
        "A curve that never falls": "definition",
        "Only here": "definition",
        "In each list, too.": "definition",
        "It prints 4.": "unchecked",
    }
    [tried, *_] = found
    assert tried.cases == tries.CASES and tried.where == "docs/guide/page.md:3"


@pytest.mark.parametrize(
    "old, new",
    [
        ("*always*", "*never*"),
        ("**two**", "**three**"),
        ("eager |", "graph |"),
        ("never falls", "always falls"),
        ("Only here", "Also here"),
        ("each list", "no list"),
        ("`x` and", "`z` and"),
    ],
)
def test_a_changed_word_is_seen(judged, old, new):
    found = failures(judged(text=PAGE.replace(old, new)))
    assert len(found) >= 1
    assert found[0].startswith("tests/statements/guide/page.py:"), found
    assert "not on the page" in found[0]


def test_what_no_test_quotes_fails_on_the_guide_and_where_a_page_has_tests(judged):
    added = PAGE + "\nIt is so in every mode.\n"
    for name in ("guide/page", "page"):
        [failed] = failures(judged(text=added, name=name))
        assert failed.startswith(f"docs/{name}.md:17: It is so in every mode.: ")
    assert "A rule is always called once." in str(failures(judged(None, added)))
    untried = judged(tests=None, text=added, name="page")
    assert set(states(untried).values()) == {"unchecked"}


def test_nine_of_ten_of_all_others_are_quoted(judged):
    more = "\n\nIt is red. It is blue."
    assert len(failures(judged(text=PAGE + more))) == 3


def test_a_test_that_fails_names_its_line_and_the_counterexample(judged):
    refuted = TESTS.replace("x == x", "x < 2")
    found = failures(judged(refuted))
    assert len(found) == 2 and found[0].startswith("tests/statements/guide/page.py:3: ")
    assert "assert x < 2" in found[0] and "x=2.0" in found[0]


def test_a_test_that_runs_no_case_fails(judged):
    found = failures(judged(TESTS.replace("x=numbers()", "x=[]")))
    assert len(found) == 2 and "its test ran no case" in found[0]
    for once in ("", "@over()\n"):
        plain = f'@says("A rule is always called once.")\n{once}def test(): pass\n'
        [tried, *_] = judged(plain)
        assert (tried.state, tried.cases) == ("tried", 1)


def test_a_file_that_cannot_be_read_fails(judged):
    [failed] = failures(judged("def (:"))
    assert "SyntaxError" in failed and "tests/statements/guide/page.py" in failed


def test_marks_are_left_out(tmp_path):
    assert plain("**A** [link *to*](x.md#y){ .z } `a*b*c` and $a_1*b$ snake_case") == (
        "A link to `a*b*c` and $a_1*b$ snake_case"
    )


def test_a_term_of_a_glossary_is_none(judged):
    text = '# Words\n\neager mode { #eager data-forms="eagerly" }\n\n:   No graph.\n'
    assert [*states(judged(tests=None, text=text))] == ["No graph."]


def test_comments_and_docstrings_of_programs_are_sentences(tmp_path):
    program = (
        '"""What it is."""\n# One thing.\n# truth: x = 1\nx = 1  # Another here.\n'
    )
    assert [*sentences._comments(program)] == [(2, "One thing."), (4, "Another here.")]
    assert [*sentences._docstrings(program)] == [(1, "What it is.")]


# What is known to be false is refuted: an operation, and for which values, in which
# modes, for which upstream gradients or types the sentence does not hold.


@tf.custom_gradient
def identity(x):
    return tf.identity(x), lambda upstream: upstream


@tf.custom_gradient
def squared_upstream(x):
    return tf.identity(x), lambda upstream: upstream**2


def read_as_numpy(x):
    return x * float(x.numpy())


def closes_over(x):
    k = 2.0 * x

    @tf.custom_gradient
    def scaled(y):
        return k * y, lambda upstream: k * upstream

    return scaled(tf.constant(3.0))


FALSE = {
    "sqrt(x**2) is |x|": over(x=numbers())(
        lambda x: _assert(same(tf.sqrt(tf.square(x)), abs(x), 1e-5))
    ),
    "relu(x) is (x + |x|) / 2": over(x=numbers(finite=False))(
        lambda x: _assert(same(tf.nn.relu(x), 0.5 * (x + tf.abs(x))))
    ),
    "x and -x have one reciprocal up to sign, and it is finite": over(
        x=numbers(), cases=64
    )(lambda x: _assert(np.isfinite(1 / np.float32(x or 1)))),
    "min(x, 4) has slope 1": over(x=numbers(around=[4]))(
        lambda x: _assert(same(EAGER.gradient(lambda x: tf.minimum(x, 4.0), x), 1.0))
    ),
    "a rule may square its upstream gradient": over(mode=MODES, loss=LOSSES)(
        lambda mode, loss: _assert(
            raised(mode.gradient, squared_upstream, tf.ones(2), loss) is None
        )
    ),
    "what is computed in numpy runs in every mode": over(mode=MODES)(
        lambda mode: _assert(raised(mode.gradient, read_as_numpy, 2.0) is None)
    ),
    "a rule over a closed-over tensor has the same gradient": over(mode=MODES)(
        lambda mode: _assert(same(mode.gradient(closes_over, 2.0), 6.0))
    ),
    "a half has the sum of its parts": over(dtype=FLOATS)(
        lambda dtype: _assert(tf.constant(2049, dtype) - 2048 == 1)
    ),
}


def _assert(holds: object) -> None:
    assert holds


@pytest.mark.parametrize("sentence", FALSE)
def test_what_is_known_to_be_false_is_refuted(sentence):
    with pytest.raises(AssertionError):
        FALSE[sentence]()


def test_each_combination_is_searched_from_a_seed_of_its_own():
    """The first case of each is the simplest one, 0."""
    seen = collections.defaultdict(list)

    @over(mode=MODES, dtype=FLOATS, x=numbers())
    def values(mode, dtype, x):
        seen[mode, dtype].append(x)

    @over(mode=MODES, dtype=FLOATS, x=numbers())
    def others(mode, dtype, x):
        seen["others"].append(x)

    values()
    first = {**seen}
    assert {len(each) for each in first.values()} == {2}
    assert len({x for each in first.values() for x in each}) > 16
    seen.clear()
    values()
    assert seen == first
    others()
    assert seen["others"] != [x for each in first.values() for x in each]


def test_what_is_searched_does_not_depend_on_loaded_modules(tmp_path, monkeypatch):
    """Hypothesis prefers numbers that it finds in the source of the project."""
    (tmp_path / "local.py").write_text(
        "".join(f"x = {x}.125\n" for x in range(1000, 1300))
    )
    seen = []

    @over(x=st.floats(1000, 9000), cases=100)
    def values(x):
        seen.append(x)

    values()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    importlib.import_module("local")
    values()
    assert seen[:100] == seen[100:]


def test_forward_modes_give_one_product_of_what_has_one():
    for mode in FORWARDS:
        assert same(mode.jvp(tf.square, [3.0, 2.0], [1.0, 10.0]), [6.0, 40.0])
        assert same(mode.jvp(tf.square, 3.0), 6.0), mode.name
        assert mode.jvp(tf.sign, 3.0) is None, mode.name


def test_modes_give_one_gradient_of_what_has_one():
    for mode in MODES:
        assert same(mode.gradient(tf.square, 3.0), 6.0), mode.name
        assert mode.gradients(lambda x, y: x * 2.0, 1.0, 1.0)[1] is None, mode.name
        for name, loss in LOSSES.items():
            found = mode.gradient(identity, tf.constant([2.0, 3.0, 4.0]), loss)
            sent = {"dense": [1, 2, 3], "ones": [1, 1, 1], "sparse": [2, 0, 0]}
            expected = sent.get(
                name, [4, 6, 8] if name == "not constant" else [0, 0, 0]
            )
            if name != "nan":
                assert same(found, expected), (mode.name, name)
            else:
                assert np.isnan(found).all()


def test_traces_are_read_by_name_and_line(tmp_path, monkeypatch):
    monkeypatch.setattr(tries, "folder", tmp_path)
    (tmp_path / "x.out").write_text(
        "forward  x = 2  y = [1.0, -2.0]\nbackward x = 16  local of x = 1e-3\n"
        "dy/dx: None\nerror = nan\nin loss: loss = 2.0\n"
    )
    read = trace("x.py")
    assert read[0] == {"x": 2, "forward  x": 2, "y": [1, -2]} or read[0]["y"] == [1, -2]
    assert read.line("backward")["x"] == 16 and read.line("dy/dx")["dy/dx"] == "None"
    assert read.all("x") == [2, 16] and np.isnan(read[3]["error"])
    assert read[1].numbers == [16, 1e-3] and read[4]["loss"] == 2
    assert [each.text for each in read.starting("dy", "err")] == [
        read[2].text,
        read[3].text,
    ]


def test_a_program_is_read_up_to_what_it_does(tmp_path, monkeypatch):
    monkeypatch.setattr(tries, "folder", tmp_path)
    (tmp_path / "x.py").write_text(
        '"""Its line."""\nimport tensorflow as tf\nLOW = 0.0\n\n\ndef kinked(x):\n'
        "    if x > LOW:\n        x = 2 * x\n    return x\n\n\n"
        "print(kinked(1.0))\nHIGH = 1.0\n"
    )
    read = program("x.py")
    assert read.LOW == 0 and not hasattr(read, "HIGH")
    for mode in MODES:  # AutoGraph finds the source
        assert same(mode.gradient(read.kinked, 3.0), 2.0), mode.name


def test_cases_share_a_program_that_none_changed(tmp_path, monkeypatch):
    monkeypatch.setattr(tries, "folder", tmp_path)
    (tmp_path / "x.py").write_text(
        '"""Its line."""\nimport tensorflow as tf\nCALLS = []\nSCALE = 2.0\n\n\n'
        "@tf.custom_gradient\ndef f(x):\n"
        "    return SCALE * x, lambda upstream: CALLS.append(1) or SCALE * upstream\n"
    )
    (tmp_path / "v.py").write_text(
        '"""Its line."""\nimport tensorflow as tf\nV = tf.Variable(1.0)\n'
    )
    first = program("x.py")
    assert program("x.py").f is first.f
    EAGER.gradient(first.f, 1.0)
    assert first.CALLS == [1] and program("x.py").CALLS == []
    second = program("x.py")
    second.f.__wrapped__.__globals__["SCALE"] = 3.0
    assert program("x.py").SCALE == 2.0 and program("x.py").f is not second.f
    third = program("x.py")
    third.SCALE = 5.0
    assert program("x.py").SCALE == 2.0
    program("v.py").V.assign(2.0)
    assert program("v.py").V == 1.0
    over()(lambda: None)()
    assert program("x.py").f is not third.f


def test_the_example_on_the_page_about_checks_holds(judged):
    page = (Path(__file__).parents[1] / "docs/checked.md").read_text("utf-8")
    [example] = re.findall(r"```\{.python notest\}\n(@says.*?)```", page, re.DOTALL)
    quote = re.search(r'says\("(.*?)"\)', example)[1]
    assert failures(judged(example, text=f"# A page\n\n{quote}\n")) == []


FOUND_FALSE = (Path(__file__).parent / "data/found_false.txt").read_text("utf-8")


def test_the_words_find_what_a_second_reading_found():
    """Of the sentences that a second reading found false, by the words alone."""
    lines = FOUND_FALSE.splitlines()
    missed = [line for line in lines if not sentences.UNIVERSAL.search(line)]
    assert len(lines) >= 40 and len(missed) <= 0.05 * len(lines), missed


def test_what_a_map_left_is_forgotten():
    def loop():
        tries.tf.scan(lambda *_: 1 / 0, tries.tf.zeros([2]), 0.0)

    with pytest.raises(ZeroDivisionError):
        tries.tf.function(loop, autograph=False)()
    tries.forget()
    with tries.tf.compat.v1.variable_scope("any"):
        pass
