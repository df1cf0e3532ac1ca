"""Promise: a sentence that speaks of more than one run has a test, the test finds what
refutes it and supplies what the sentence says, and a changed word is seen."""

import ast
import collections
import importlib
import inspect
import re
import shutil
import subprocess
from datetime import date
from pathlib import Path

import pytest

from algebra import points
from tracebook import settings
from truth import sample, sentences, testfile
from truth.finding import Finding
from truth.modes import seen
from truth.page import Page
from truth.rules import lock as rules
from truth.sentences import plain
from truth.statements import check, evidence, lambdas, lock, tokens, tries
from truth.statements.accept import accept
from truth.statements.tries import *
from truth.statements.turned import turned
from truth.testfile import Tests

pytestmark = pytest.mark.tools

HEAD = "from truth.statements.tries import *\n"
PAGE = """\
# A page

A rule is *always* called once. It has **two** [inputs](x.md), `tf.sin` and $y$.

| mode | answer |
| --- | --- |
| eager | none |

![A curve that never falls](x.svg)

!!! note "Only here"

    - In each list, too.

Is it every one? It prints 4.
"""
TESTS = """
@says("A rule is always …", "It has two inputs, …")
@over(x=numbers())
def test_rule(x):
    runs = [x, x]
    assert tf.sin(x) == tf.sin(x) and len(runs) == 2 and len(runs[1:]) == 1

definition("eager — none", "A curve …", "Only here", "mode — answer")
advice("In each list, too.")
"""


class Book:
    """A book of one page, with its tests and their lock."""

    def __init__(self, root: Path, name: str = "guide/page") -> None:
        self.root, self.shown = root, f"docs/{name}.md"
        root.mkdir(parents=True, exist_ok=True)
        (root / "pyproject.toml").write_text("[tool.tracebook]\n")
        self.path = root / self.shown
        self.tests = root / "tests/statements" / f"{name}.py"
        self.lock = self.tests.with_suffix(".lock")
        for path in (self.path, self.tests):
            path.parent.mkdir(parents=True, exist_ok=True)
        self.write()

    def write(self, text: str = PAGE, tests: str | None = TESTS) -> None:
        self.path.write_text(text)
        if tests is None:
            self.tests.unlink(missing_ok=True)
        else:
            self.tests.write_text(HEAD + tests)

    def edit(self, *edits: tuple[str, str]) -> None:
        """Change words of the page and of its tests alike, as an author would."""
        for old, new in edits:
            assert old in PAGE
            self.path.write_text(self.path.read_text().replace(old, new))
            tests = self.tests.read_text()
            self.tests.write_text(
                tests.replace(sentences.plain(old), sentences.plain(new))
            )

    @property
    def page(self) -> Page:
        return Page(self.path, self.root)

    def accept(self, reviewed: bool = False) -> int:
        return accept(self.page, reviewed=reviewed)

    def check(self) -> list[Finding]:
        return check.check([self.page], self.root)

    def commit(self) -> None:
        git = ["git", "-c", "user.name=x", "-c", "user.email=x@localhost"]
        for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "A page"]):
            subprocess.run([*git, *words], cwd=self.root, check=True)


@pytest.fixture
def book(tmp_path):
    return Book(tmp_path)


@pytest.fixture
def accepted(book):
    assert book.accept() == 0
    book.commit()
    return book


def states(found) -> dict[str, str]:
    return {each.what: each.state for each in found}


def failures(found) -> list[str]:
    return [str(each) for each in found if each.state == "failed"]


def counted(monkeypatch) -> list[str]:
    """The names of the tests that run from now on."""
    runs: list[str] = []

    def failure(test) -> str:
        runs.append(test.__name__)
        return ""

    monkeypatch.setattr(check, "_failure", failure)
    return runs


def test_each_kind_of_sentence_is_found(accepted):
    found = accepted.check()
    assert failures(found) == []
    assert states(found) == {
        "A rule is always called once.": "tried",
        "It has two inputs, `tf.sin` and $y$.": "tried",
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
        ("each list", "no list"),
        ("`tf.sin` and", "`tf.cos` and"),
        ("prints 4", "prints 5"),
    ],
)
def test_a_changed_word_is_seen_at_once_with_what_it_was(accepted, old, new):
    accepted.path.write_text(PAGE.replace(old, new))
    found = failures(accepted.check())
    assert len(found) >= 1
    if "begins no sentence" not in found[0]:
        assert "not reviewed" in found[0] and "\n    was: " in found[0]
        assert "run: python -m truth accept docs/guide/page.md" in found[0]


@pytest.mark.parametrize(
    "old, new",
    [
        ("**two**", "**three**"),  # a number word
        ("`tf.sin` and", "`tf.cos` and"),  # a name of the API
        ("*always*", "*never*"),  # turned round
        ("is *always* called", "is *not always* called"),
        ("prints 4", "prints 5"),  # a digit
    ],
)
def test_what_its_test_does_not_say_is_refused(accepted, capsys, old, new):
    accepted.edit((old, new))
    assert accepted.accept() == 1
    assert "refused" in capsys.readouterr().out
    assert failures(accepted.check())  # what was refused stays out of the lock
    assert accepted.accept(reviewed=True) == 0
    assert failures(accepted.check()) == []


def test_what_was_committed_may_be_in_another_encoding(book):
    """As a page that was saved anew in the one that truth asks for."""
    book.path.write_bytes("# Naïve\n".encode("latin-1"))
    book.commit()
    book.write()
    assert "not reviewed" in failures(book.check())[0]


def test_a_test_that_no_longer_says_it_is_refused(accepted):
    """While its sentence is as it was."""
    accepted.write(tests=TESTS.replace(" and len(runs) == 2", ""))
    assert "says two, and no assertion" in failures(accepted.check())[0]
    assert accepted.accept() == 1
    shutil.rmtree(accepted.root / ".cache")
    assert "not reviewed with its test" in failures(accepted.check())[0]
    assert accepted.accept(reviewed=True) == 0
    assert failures(accepted.check()) == []


def test_a_better_wording_costs_one_command(accepted, capsys):
    accepted.path.write_text(PAGE.replace("A rule is *always*", "Every rule is always"))
    assert "begins no sentence of the page" in failures(accepted.check())[0]
    assert accepted.accept() == 0
    said = capsys.readouterr().out
    assert "- A rule is always called once." in said
    assert "+ Every rule is always called once." in said
    assert "test_rule (tests/statements/guide/page.py:" in said
    assert '@says("Every rule is …"' in accepted.tests.read_text()
    assert failures(accepted.check()) == []


def test_a_sentence_is_compared_with_the_one_that_its_test_tried(book, capsys):
    """Not with another that is gone, too, and has more of its words."""
    text = "Both calls return a gradient of ones.\n\nNo call returns a gradient of 0.\n"
    tests = """
@says("Both calls return …")
def test_both():
    assert tf.ones([]) == 1


@says("No call returns …")
def test_none():
    assert not tf.zeros([])
"""
    book.write(text, tests)
    assert book.accept(reviewed=True) == 0
    book.commit()
    changed = "A gradient of ones is what both return.\n\nNeither call returns a gradient of ones.\n"
    tests = tests.replace("Both calls return", "A gradient of ones")
    book.write(changed, tests.replace("No call returns", "Neither call returns"))
    capsys.readouterr()
    book.accept()
    said = capsys.readouterr().out
    assert "- Both calls return a gradient of ones.\n  + A gradient of ones" in said
    assert "- No call returns a gradient of 0.\n  + Neither call returns" in said


def test_what_was_refused_stays_refused_after_a_commit(accepted, capsys):
    """The lock that a refusal wrote is committed with the page, and accepted again."""
    accepted.edit(("*always*", "*never*"), ("prints 4", "prints 4 or so"))
    assert accepted.accept() == 1
    accepted.commit()
    assert accepted.accept() == 1
    assert "Git has no text of it" in capsys.readouterr().out
    shutil.rmtree(accepted.root / ".git")
    assert accepted.accept() == 1


def test_a_new_sentence_that_begins_alike_takes_no_test_away(accepted):
    text = PAGE.replace("Is it every", "A rule is always at hand.\n\nIs it every")
    accepted.path.write_text(text)
    assert "begins 2 sentences" in failures(accepted.check())[0]
    accepted.accept()
    assert '@says("A rule is always called …"' in accepted.tests.read_text() or (
        "A rule is always called once." in accepted.tests.read_text()
    )


@pytest.mark.parametrize(
    "tests, problem",
    [
        (TESTS + TESTS, "another test has the name test_rule"),
        (
            TESTS.replace('"It has two', 'f"It has two'),
            "a sentence is named by a string",
        ),
        (
            TESTS.replace("@says(", "@tries.says(").replace("A rule", "No rule"),
            "begins",
        ),
        (TESTS.replace('…")', '…", was=3)'), "was= is a string"),
        ("def (:", "SyntaxError"),
    ],
)
def test_a_file_of_tests_that_misleads_is_refused(accepted, tests, problem):
    accepted.tests.write_text(HEAD + tests)
    [failed, *_] = failures(accepted.check())
    assert problem in failed and "tests/statements/guide/page.py:" in failed


def test_what_stands_right_below_a_heading_is_a_sentence(book):
    book.write(text="# A page\nIt always works.\n", tests=None)
    assert [*states(book.check())] == ["It always works."]


def test_a_forged_digest_does_not_help_a_false_number(accepted):
    """The lock may be written by hand: the test's values are asked all the same."""
    accepted.edit(("**two**", "**three**"))
    old, new = (f"It has {n} inputs, `tf.sin` and $y$." for n in ("two", "three"))
    text = accepted.lock.read_text()
    assert lock.digest(old) in text
    accepted.lock.write_text(text.replace(lock.digest(old), lock.digest(new)))
    [failed] = failures(accepted.check())
    assert "says three, and no assertion of test_rule does" in failed


@pytest.mark.parametrize(
    "name, counts",
    [
        ("TF_ENABLE_ONEDNN_OPTS", True),
        ("XLA_FLAGS", True),
        ("KERAS_BACKEND", True),
        ("TF_CPP_MIN_LOG_LEVEL", False),
        ("TF_CLI_CONFIG_FILE", False),
        ("OPENBLAS_CORETYPE", False),
        ("OMP_NUM_THREADS", False),
        ("TF2_BEHAVIOR", False),
    ],
)
def test_a_verdict_depends_on_what_is_chosen_and_not_on_the_machine(
    monkeypatch, name, counts
):
    """Or the committed locks would be of no use on another one."""
    for of in (testfile._around.__wrapped__, rules._judge.__wrapped__):
        monkeypatch.delenv(name, raising=False)
        without = of()
        monkeypatch.setenv(name, "1")
        assert (of() != without) == counts


def test_a_forged_verdict_is_caught_by_all_and_by_the_sample(accepted, monkeypatch):
    wrong = TESTS.replace("len(runs) == 2", "len(runs) == 3")
    accepted.write(tests=wrong)
    page = accepted.page
    [test, *_] = Tests(page).all
    text, key = accepted.lock.read_text(), Tests(page).key(test)
    accepted.lock.write_text(re.sub(r"(?m)^test_rule [\w-]+", f"test_rule {key}", text))
    shutil.rmtree(accepted.root / ".cache")
    monkeypatch.setattr(sample, "tries_again", lambda *_: False)
    assert failures(accepted.check()) == []  # for a day, the lock is believed
    monkeypatch.undo()
    days = [date.fromordinal(735000 + n) for n in range(sample.ONE_IN)]
    turns = [sample.tries_again(page.shown, "test_rule", day=day) for day in days]
    assert turns.count(True) == 1
    monkeypatch.setenv(sample.EVERYTHING, "1")
    [failed] = failures(accepted.check())
    assert "refuted" in failed


def test_what_held_is_not_run_again_until_its_code_changes(accepted, monkeypatch):
    runs = counted(monkeypatch)
    accepted.check()
    assert runs == []
    accepted.write(tests=TESTS + "\n# A comment, and another test.\nOTHER = 1\n")
    accepted.check()
    assert runs == []
    accepted.write(tests=TESTS.replace("runs = [x, x]", "runs = [x, 1 * x]"))
    accepted.check()
    assert runs == ["test_rule"]


def test_a_damaged_line_of_the_memory_counts_for_nothing(accepted, monkeypatch):
    runs = counted(monkeypatch)
    [memory] = (accepted.root / ".cache").rglob("*.jsonl")
    memory.write_text(memory.read_text().replace('"cases": 16', '"cases": 99'))
    accepted.lock.write_text(
        re.sub(r"(?m)^(test_rule) [\w-]+", r"\1 0000", accepted.lock.read_text())
    )
    accepted.check()
    assert runs == ["test_rule"]


def test_two_branches_that_accept_sentences_merge(tmp_path):
    def git(*words):
        subprocess.run(["git", *words], cwd=tmp_path, check=True, capture_output=True)

    path = tmp_path / "page.lock"
    base = {
        "advice": lock.Entry(sentences=["a0"]),
        "test_x": lock.Entry("k0", "day", 3, ["x0"]),
    }

    def commit(name, **changed):
        lock.save(path, base | changed)
        git("add", "-A")
        git("-c", "user.name=x", "-c", "user.email=x", "commit", "-m", name)

    git("init", "-b", "main")
    shutil.copy(Path(__file__).parents[1] / ".gitattributes", tmp_path)
    commit("base")
    git("checkout", "-b", "other")
    commit("theirs", test_x=lock.Entry("k1", "day", 3, ["x1"], ["two"]))
    git("checkout", "main")
    commit("ours", test_x=lock.Entry("k2", "day", 4, ["x0", "x2"]), advice=lock.Entry())
    git("-c", "user.name=x", "-c", "user.email=x", "merge", "other")
    merged = lock.load(path)
    assert {"x1", "x2"} <= {*merged["test_x"].sentences}
    assert merged["test_x"].reviewed == ["two"] and merged["test_x"].key in ("k1", "k2")
    assert not merged["advice"].sentences


@pytest.mark.parametrize(
    "line, said",
    [
        (b"<<<<<<< HEAD of it\n", "not a line of a lock"),
        (b"\xe9\n", "is not UTF-8; save it"),
    ],
)
def test_a_line_that_is_no_lock_is_named(accepted, line, said):
    accepted.lock.write_bytes(line)
    [failed] = failures(accepted.check())
    assert f"page.lock:1: {said}" in failed and "Error" not in failed


def test_what_has_no_test_fails_on_the_guide_and_where_a_page_has_tests(tmp_path):
    added = PAGE + "\nIt is so in every mode.\n"
    for name in ("guide/page", "page"):
        book = Book(tmp_path / name, name)
        book.write(text=added)
        book.accept()
        [failed] = failures(book.check())
        assert failed.startswith(f"docs/{name}.md:17: It is so in every mode.: ")
        assert "“every” speaks of more than one run" in failed
        book.write(text=added, tests=None)
        assert "has no tests, and its lock is there" in str(failures(book.check()))
        book.lock.unlink()
        untried = book.check()
        if name == "page":
            assert set(states(untried).values()) == {"unchecked"}
        else:
            assert "A rule is always called once." in str(failures(untried))


@pytest.mark.parametrize(
    "text",
    [
        "##It never fails\n",
        "It is so\n#it never fails\n",
        "--- It never fails\n",
        '!!! note "One thing"\n\n    ## It never fails\n',
        "| it | never fails { #it } |\n| --- | --- |\n",
    ],
)
def test_what_a_reader_sees_is_read(book, text):
    """As a heading or as a sentence, however it is written."""
    book.write(f"---\ntitle: none\n---\n\n# A page\n\n{text}", tests=None)
    found = [*sentences.of(book.page), *sentences.headings(book.page)]
    assert "never fails" in str(found) and "title" not in str(found)


def test_nine_of_ten_of_all_others_have_a_test(book):
    book.write(text=PAGE + "\n\nIt is red. It is blue.")
    book.accept()
    assert len(failures(book.check())) == 3


def test_a_test_that_fails_is_one_failure_with_its_line_and_sentences(book):
    book.write(tests=TESTS.replace("tf.sin(x) == tf.sin(x)", "x < 2"))
    assert book.accept() > 0
    book.lock.write_text("")
    book.accept(reviewed=True)
    failed = check.Check(book.page, only="test_rule")
    [finding] = [each for each in failed if each.state == "failed"]
    said = str(finding)
    assert said.startswith("tests/statements/guide/page.py:5: test_rule: refuted")
    assert "assert x < 2" in said and "x=2.0" in said
    assert said.count("it tries: ") == 2


def test_what_was_refuted_is_no_longer_locked(accepted, monkeypatch):
    """On the day of its turn; or it would hold again on the next one."""
    shutil.rmtree(accepted.root / ".cache")
    with monkeypatch.context() as patched:
        patched.setattr(sample, "tries_again", lambda *_: True)
        patched.setattr(check, "_failure", lambda test: "refuted")
        assert accepted.accept() == 1
    runs = counted(monkeypatch)
    monkeypatch.setattr(sample, "tries_again", lambda *_: False)
    accepted.check()
    assert runs == ["test_rule"]


def test_a_test_that_tries_no_case_fails(book):
    book.write(tests=TESTS.replace("x=numbers()", "x=[]"))
    book.accept(reviewed=True)
    found = check.Check(book.page, only="test_rule")
    assert "tried no case" in str([*found])


def test_a_test_that_asserts_nothing_fails(book):
    """As one whose ``assert`` was forgotten."""
    book.write(tests=TESTS.replace("assert ", ""))
    assert book.accept(reviewed=True)
    found = check.Check(book.page, only="test_rule")
    assert "test_rule: asserts nothing" in str([*map(str, found)])


def test_a_test_whose_assertion_is_never_reached_fails(book):
    """But for those of functions within it, which AutoGraph runs from another text."""
    for above, fails in (("for each in []:", True), ("def f():", False)):
        more = f"\n    {above}\n        assert x is None"
        book.write(tests=re.sub("(assert .*)", rf"\1{more}", TESTS))
        book.accept(reviewed=True)
        found = str([*map(str, check.Check(book.page, only="test_rule"))])
        assert ("never reached" in found) == fails, found


def test_assertions_hold_under_any_setting_of_python(tmp_path):
    """What `python -O` takes out of a program stays in the tests."""
    code = evidence.compiled("assert 1 == 2, 'no'", tmp_path / "x.py")
    collector = evidence.Collector()
    with pytest.raises(AssertionError, match="no"):
        exec(code, evidence.names_for(collector))
    assert collector.evidence().counts == {1, 2}
    assert "Assert(" not in ast.dump(
        evidence._Assertions().visit(ast.parse("def f():\n    assert f()"))
    )


@pytest.mark.parametrize(
    "sentence, values, misses",
    [
        ("The total is 576.", [576], []),
        ("The total is 577.", [576], ["577"]),
        ("It is 0.0452 there.", [0.0451766551], []),
        ("It is 0.0453 there.", [0.0451766551], ["0.0453"]),
        ("Some 12 % of them.", [0.12], []),
        ("It is −4 there.", [4], ["−4"]),
        ("It is −4 there.", [-4.0], []),
        ("It falls by 4.", [-4.0], []),
        ("It ran twice.", [2], []),
        ("It ran twice.", [2.0], ["twice"]),
        ("Three of them.", [["a", "b", "c"]], []),
        ("It raises `TypeError: no float here`.", ["TypeError: no float here: 3"], []),
        (
            "It raises `TypeError: no here`.",
            ["TypeError: no float here"],
            ["`TypeError: no here`"],
        ),
        ("`tf.sin` and `tf.math.cos(x)`.", [], ["`tf.math.cos`"]),
        ("At $x = 7$ nothing is said.", [], []),
        ("True is no number: one.", [True], ["one"]),
    ],
)
def test_values_vouch_for_what_reads_like_them(sentence, values, misses):
    collector = evidence.Collector()
    for place, value in enumerate(values):
        collector.seen(place, value)
    by = [(collector.evidence(), {"sin"})]
    assert [*map(str, tokens.unsupplied(sentence, by))] == misses


def test_what_something_is_not_vouches_for_nothing(tmp_path):
    code = evidence.compiled(
        "assert 3 != 4 and 5 not in [6] and 7 == 7", tmp_path / "x"
    )
    collector = evidence.Collector()
    exec(code, evidence.names_for(collector))
    assert collector.evidence().counts == {7}


def test_what_was_drawn_at_random_vouches_for_nothing():
    collector = evidence.Collector()
    for value in range(evidence.MOST_AT_A_PLACE + 2):
        collector.seen(0, value)
    assert collector.evidence().numbers == set()


@pytest.mark.parametrize(
    "old, new",
    [
        ("It never raises.", "It always raises."),
        ("The tape keeps it.", "The tape doesn't keep it."),
        ("At most two.", "At least two."),
        ("It is larger.", "It is smaller."),
    ],
)
def test_a_sentence_that_is_turned_round_is_told(old, new):
    assert turned(old, new) and turned(new, old)
    assert not turned(old, old.replace("It", "This one")) and not turned("", new[:0])


def test_a_key_is_that_of_the_code_that_a_test_reaches(book):
    text = """
TABLE = {"a": 1}
def helper(x):
    return TABLE
@says("A rule is …")
def test_one():
    assert helper(1)
@says("It has …")
def test_two():
    assert program("x.py") or 1
"""
    book.write(tests=text)

    def keys():
        return [Tests(book.page).key(each) for each in Tests(book.page)]

    one, two = keys()
    book.write(tests=text.replace('"A rule is …"', '"It prints …"'))
    assert keys() == [one, two]
    book.write(tests=text.replace('"a": 1', '"a": 2'))
    assert keys()[0] != one and keys()[1] == two
    book.write(tests=text)
    programs = book.root / "snippets/guide/page"
    programs.mkdir(parents=True)
    (programs / "x.py").write_text("x = 1\n")
    assert keys()[0] == one and keys()[1] != two
    book.write(tests=text.replace("helper(1)", "[*Path().glob('*')]"))
    before = keys()
    (book.root / "docs/other.md").write_text("# Another page\n")
    testfile._project.cache_clear()
    after = keys()
    assert after[0] != before[0] and after[1] == before[1]  # it looks through folders


@pytest.mark.parametrize(
    "reads, name",
    [
        ("source('x.live')", "snippets/guide/page/x.live"),
        ("Path('docs/assets/site.css')", "docs/assets/site.css"),
        ("(ROOT / 'Makefile')", "Makefile"),
        ("[*Path().glob('docs'), 'mkdocs.yml']", "mkdocs.yml"),
    ],
)
def test_a_key_is_that_of_the_files_that_a_test_names(book, reads, name):
    book.write(tests=TESTS.replace("runs = [x, x]", f"runs = {reads}"))
    path = book.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    keys = set()
    for text in ("one", "two"):
        path.write_text(text)
        [test, *_] = tests = Tests(book.page)
        keys.add(tests.key(test))
    assert len(keys) == 2


def test_marks_are_left_out(tmp_path):
    assert plain("**A** [link *to*](x.md#y){ .z } `a*b*c` and $a_1*b$ snake_case") == (
        "A link to `a*b*c` and $a_1*b$ snake_case"
    )


def test_a_term_of_a_glossary_is_none(book):
    text = '# Words\n\neager mode { #eager data-forms="eagerly" }\n\n:   No graph.\n'
    book.write(text=text, tests=None)
    assert [*states(book.check())] == ["No graph."]


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


@pytest.mark.slow
def test_every_mode_gives_one_first_and_second_derivative():
    x = tf.constant([0.5, 2.0])
    for mode in EVERYWHERE:
        assert same(mode.gradient(lambda x: x**3, x), 3 * x**2, 1e-6), mode
        assert same(mode.derivative(lambda x: x**3, x), 6 * x, 1e-6), mode
        assert same(mode.value(lambda x: x**3, x), x**3, 1e-6), mode


@pytest.mark.slow
def test_a_mode_has_all_tapes_where_it_says():
    """A gradient function that is differentiated is traced in a graph of its own only
    where the tapes stand outside of it."""

    @tf.custom_gradient
    def nested(x):
        return tf.exp(x), lambda upstream: upstream * nested(x)

    x = tf.constant([0.5, 2.0])
    outside = "out of scope"
    for mode in (AROUND, AROUND_XLA):
        assert outside in message(mode.derivative, nested, x), mode
    for mode in (EAGER, INSIDE, XLA):
        assert same(mode.derivative(nested, x, order=3), tf.exp(x), 1e-6), mode


@pytest.mark.slow
def test_a_mode_knows_no_more_of_a_shape_than_it_says():
    seen = []

    def shape(x):
        seen.append(x.shape)
        return x * 1.0

    for mode in UNKNOWN:
        seen.clear()
        mode.gradient(shape, tf.ones([2, 3]))
        known = [None, 3] if "batch" in mode.name else None
        assert seen[0].as_list() == known if known else seen[0].rank is None, mode
    assert {"around" in each.name for each in OUTSIDE} == {True}


@pytest.mark.slow
def test_another_process_differentiates_what_was_saved():
    @tf.custom_gradient
    def tripled(x):
        return x * x, lambda upstream: upstream * 6.0 * x

    x = tf.constant([1.0, 2.0])
    assert same(loaded(tripled, x), [6 * x])
    assert same(loaded(tripled, x, order=2), [tf.fill(2, 6.0)])
    with pytest.raises(RuntimeError, match="No gradient defined"):
        loaded(lambda x: tf.raw_ops.Mod(x=x, y=x), x)


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


def test_autograph_finds_the_text_that_ran(tmp_path):
    """A test runs the definitions of a program, and the tables of modes run all of it."""
    text = '''"""A program."""\n\n\ndef f(x):\n    return x\n\n\nprint(f(1))\n'''
    (path := tmp_path / "a.py").write_text(text)
    names: dict = {}
    exec(tries._compiled(path, text), names)
    for each in (names, seen._defined(path)):
        assert inspect.getsource(each["f"]).strip() == "def f(x):\n    return x"


SHARED = tf.function(lambda: tf.random.uniform([]))


@pytest.mark.parametrize(
    "draw",
    [
        lambda: tf.random.uniform([]),
        lambda: tf.random.uniform([], seed=3),
        lambda: tf.function(lambda: tf.random.uniform([], seed=3))(),
        lambda: tf.reduce_sum(tf.nn.dropout(tf.ones([9]), 0.5) * tf.range(9.0)),
        lambda: np.random.uniform(),
        SHARED,
    ],
)
def test_each_case_has_the_same_random_numbers(draw):
    """Whether or not the one before drew, or chose another seed."""
    found = []
    for before in ("draws", "nothing", "a seed"):
        tries.forget()

        @over(case=[before, "draws"])
        def drawing(case):
            if case == "a seed":
                tf.random.set_seed(7)
            if case == "draws":
                found.append([float(draw()), float(draw())])

        drawing()
    assert len(found) == 4 and all(each == found[0] for each in found)


def test_another_process_knows_nothing_of_this_one():
    tf.RegisterGradient("OfThisProcess")(lambda op, upstream: upstream)
    asked = """
import sys
from tensorflow.python.framework import ops
from tensorflow.python.eager import context
print("OfThisProcess" in ops.gradient_registry._registry)
print("truth.statements.tries" in sys.modules, context.context()._initialized)
"""
    assert elsewhere(asked).split() == ["False", "False", "False"]
    assert elsewhere("names = vars().keys()\nprint('asked' in names)") == "False\n"
    assert "ValueError: at once" in message(elsewhere, "raise ValueError('at once')")


def test_cases_share_the_figures_of_a_program(tmp_path, monkeypatch):
    monkeypatch.setattr(tries, "folder", tmp_path)
    draw = "from matplotlib import pyplot\npyplot.figure(figsize=({}, 1))\n"
    path = tmp_path / "x.py"
    found = []

    @over(width=[2, 3])
    def look(width):
        path.write_text(draw.format(width), "utf-8")
        found.append(drawn("x.py")[0].get_figwidth())

    look()
    look()
    assert found == [2, 2, 2, 2]
    path.write_text(draw.format(5), "utf-8")
    over()(lambda: found.append(drawn("x.py")[0].get_figwidth()))()
    assert found[-1] == 5


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


@pytest.mark.tools(False)
def test_the_example_on_the_page_about_checks_holds(book):
    page = (Path(__file__).parents[1] / "docs/checked.md").read_text("utf-8")
    [example] = re.findall(r"```\{.python notest\}\n(@says.*?)```", page, re.DOTALL)
    quote = re.search(r'says\("(.*?)"\)', example)[1]
    book.write(f"# A page\n\n{quote}\n".replace("…", "holds."), example)
    book.accept(reviewed=True)
    assert failures(book.check()) == []


@pytest.mark.tools(False)
def test_the_numbers_on_the_page_about_checks_are_those_of_the_code():
    """It has no file of tests."""
    page = (Path(__file__).parents[1] / "docs/checked.md").read_text("utf-8")
    said = " ".join(page.split())
    digits = round(-float(points.mpmath.log10(points._EQUAL)))
    assert f"compares the sides to {digits} digits" in said
    rel = settings.load(Path(__file__).parents[1]).rel
    assert f"differ by a relative $10^{{{np.log10(rel):.0f}}}$" in said
    assert f"may not be larger than {settings.LOOSEST:.0e}".replace("e-0", "e-") in said


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


def test_autograph_parses_a_file_once_and_finds_the_same_lambdas(tmp_path, monkeypatch):
    from tensorflow.python.autograph.pyct import errors, parser

    file = tmp_path / "lambdas_to_find.py"
    file.write_text(
        "alone = lambda x: x + 1\n"
        "two = [lambda x: x + 2, lambda x: x + 3]\n"
        "long = (lambda x:\n"
        "        x + 4)\n"
        "def decorate(of): return lambda function: of\n"
        "@decorate(lambda x: x + 5)\n"
        "def hidden(x): return x\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module(file.stem)
    lambdas.parse_once()
    parses, parse = [], parser.gast.parse

    def counting(text: str):
        parses.append(text)
        return parse(text)

    monkeypatch.setattr(parser.gast, "parse", counting)
    for _ in range(3):
        found = [parser._parse_lambda(of) for of in (module.alone, module.long)]
        assert [text for _, text in found] == [
            "lambda x: x + 1",
            "lambda x:\n        x + 4",
        ]
        for of in (*module.two, module.hidden):
            with pytest.raises(errors.UnsupportedLanguageElementError):
                parser._parse_lambda(of)
    assert parses.count(file.read_text()) == 1
