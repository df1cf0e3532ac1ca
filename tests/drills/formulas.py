"""Mistakes in formulas, planted by a seed, and true rewrites, which must pass.

Where a mistake is planted is chosen from the text alone: no checker is asked. What is
not caught is a miss, unless somebody has looked at it and found that the text is still
true: ``verdicts.toml`` keeps why, by the plant's hash. ``rewrites.toml`` has formulas of
the pages in other words, the rows of tables that repeat them, too, and derivations in
which all was changed alike.
"""

import hashlib
import random
import re
import signal
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from truth.agreement import check as agreement
from truth.finding import Finding
from truth.formulas.check import check_page
from truth.page import Page, all_pages

from .numbers import altered, refused
from .tally import Tally

_HERE = Path(__file__).parent
_EACH, _EACH_FAST = 3, 1
"""Plants of a class on each page, and in a fast run."""
GOAL, _GOAL_OF_REWRITES = 0.95, 0.9
_SECONDS = 60
"""Of work, for one page."""
_HELD = re.compile(
    r"(?<!\\)%[^\n]*|\\(?:begin|end)\{\w+\*?\}|\\text\{[^}]*\}|\\[bB]igg?[lr]?"
)
"""What no mistake is planted in: comments, environments, words."""
_GROUP = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
_WORD = r"(?<![A-Za-z\\])"
_REFERENCE = re.compile(r"#(\d)")
"""To a group of what is replaced."""
_FUNCTIONS = ("sin", "cos", "tanh", "exp", "log", "sigma")

_RELATION = re.compile(r"[=<>]|\\(?:ne|le|ge|approx|in)\b")
"""An inline formula without a relation claims nothing."""

Change = tuple[int, int, str]


def run(root: Path, tally: Tally) -> None:
    data = tomllib.loads((_HERE / "rewrites.toml").read_text("utf-8"))
    verdicts = tomllib.loads((_HERE / "verdicts.toml").read_text("utf-8"))
    pages = {page.label: page for page in all_pages(root) if page.formulas}
    chosen = [page for page in pages.values() if not page.is_generated]
    if tally.fast:  # the shortest with one of each kind
        has_all = data["rewrite"].keys() & data["derivation"].keys()
        chosen = [
            min(
                (p for p in chosen if p.label in has_all), key=lambda p: len(p.formulas)
            )
        ]
    for page in chosen:
        wrong = [each for each in _found(page) if each.state == "failed"]
        tally.count("harmless: a page as it is", page.label, not wrong)
        for kind, formula, (start, end, new) in _plants(page, tally):
            at = formula.start + start
            text = page.text[:at] + new + page.text[formula.start + end :]
            tex = formula.text[:start] + new + formula.text[end:]
            drill = f"{page.location(at)}: {_shown(tex)}"
            key = hashlib.sha256(f"{page.label} {drill}".encode()).hexdigest()[:12]
            other = altered(page, text)
            caught = bool(failed(other))
            if not (formula.display or caught):
                caught = refused(other)
            if not caught and key in verdicts:
                tally.kind(kind).equal += 1
            else:
                drill = f"{drill} for {_shown(formula.text)} [{key}]"
                tally.count(kind, drill, caught, GOAL)
    for page in chosen:
        for each in data["rewrite"].get(page.label, ()):
            said = failed(_changed(page, each, tally))
            drill = f"{page.label}: {each[0][1]}: {said}"
            tally.count("a true rewrite", drill, not said, _GOAL_OF_REWRITES)
        # What programs did is known where they ran.
        for each in data["derivation"].get(page.label, ()):
            drill = f"{page.label}: {each[0][1]}"
            caught = bool(failed(_changed(page, each, tally)))
            tally.count("a derivation, changed alike", drill, caught, GOAL)


def _changed(page: Page, changes: list[list[str]], tally: Tally) -> Page:
    """With each of the formulas in other words, where it first stands."""
    text = page.text
    for old, new in changes:
        found = re.search(r"\s+".join(map(re.escape, old.split())), text)
        tally.count(
            "harmless: what is rewritten is there", f"{page.label}: {old}", bool(found)
        )
        if found:
            text = text[: found.start()] + new + text[found.end() :]
    return altered(page, text)


def _found(page: Page) -> list[Finding]:
    return check_page(page)


def failed(page: Page) -> str:
    """The first that fails, whose task is formulas; a hang and a crash are errors."""
    with _limited():
        for each in _found(page):
            if each.state == "failed":
                return str(each)
        # What programs did is known where they ran.
        for each in agreement.check(page):
            if each.state == "failed":
                return str(each)
    return ""


@contextmanager
def _limited() -> Iterator[None]:
    def late(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, _SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _shown(tex: str) -> str:
    return " ".join(tex.split())


def _plants(page: Page, tally: Tally) -> Iterator[tuple]:
    """Class, formula and change."""
    generator = random.Random(f"{tally.seed} {page.label}")
    plants: dict[str, list[tuple]] = {}
    letters = sorted(set(re.findall(rf"{_WORD}[a-zA-Z](?![A-Za-z])", _math(page))))
    for formula in page.formulas:
        if re.search("% *definition", formula.text):
            continue
        if not (formula.display or _RELATION.search(formula.text)):
            continue
        where = "a displayed formula" if formula.display else "an inline formula"
        for change in _tokens(formula.text, letters, generator):
            plants.setdefault(where, []).append((formula, change))
        if formula.display:
            for change in _grammar(formula.text, letters, generator):
                kind = "the grammar of a displayed formula"
                plants.setdefault(kind, []).append((formula, change))
    for kind, found in sorted(plants.items()):
        few = min(len(found), _EACH_FAST if tally.fast else _EACH)
        for formula, change in generator.sample(found, few):
            yield kind, formula, change


def _math(page: Page) -> str:
    return " ".join(_held(each.text) for each in page.formulas)


def _held(tex: str) -> str:
    return _HELD.sub(lambda match: "\0" * len(match[0]), tex)


def _replaced(tex: str, rules: dict, generator: random.Random) -> Iterator[Change]:
    """Every match of a pattern, in the place of which another may stand."""
    held = _held(tex)
    for pattern, others in rules.items():
        for match in re.finditer(pattern, held):
            new = [_filled(each, match) for each in others]
            new = [each for each in new if each != match[0]]
            if new:
                yield *match.span(), generator.choice(new)


def _filled(other: str, match: re.Match) -> str:
    return _REFERENCE.sub(lambda number: match[int(number[1])], other)


def _tokens(tex: str, letters: list[str], generator: random.Random) -> Iterator[Change]:
    """A digit, a sign, a symbol, an operator, a function, a factor is another."""
    functions = [rf"\{name}" for name in _FUNCTIONS]
    rules = {
        r"\d": list("0123456789"),
        r"[+-]": ["+", "-"],
        rf"{_WORD}[a-zA-Z](?![A-Za-z(])": letters,
        r"\\cdot\b|\\odot\b": [" + ", " - "],
        r"/": [r"\cdot "],
        r"(?<!:)=": [r"\ne ", "= -", "= 2 "],
        rf"\\(?:{'|'.join(_FUNCTIONS)})\b": functions,
        r"\\(?:max|min)\b": [r"\max", r"\min"],
        rf"\\(?:upstream|local){_GROUP}": ["", "2"],
        r"\\frac\b": [r"\tfrac12\frac"],
    }
    return _replaced(tex, rules, generator)


def _grammar(
    tex: str, letters: list[str], generator: random.Random
) -> Iterator[Change]:
    """A limit, a bracket, a role, an index, an exponent, a transpose, a size."""
    rules = {
        r"(\\(?:sum|prod)_\w)(?![\^\w])": ["", r"#1^{2}", r"\sum_{i=2}^{n} "],
        r"\\(sum|prod)_\{(\w) *= *1\}": [r"\#1_{#2=2}", r"\#1_{#2=0}"],
        r"\\sum\b": [r"\prod", r"2 \sum"],
        r"\(([^()]*)\)": [r"#1", r"[#1 > 0]", r"|#1|"],
        r"\\(?:upstream|local|downstream)\b": [r"\upstream", r"\local", r"\downstream"],
        rf"{_WORD}([a-zA-Z])(?![A-Za-z(_}}])": [
            r"\upstream{#1}",
            r"\local{\bar #1}",
            r"#1^2",
            r"#1_1",
            r"|#1|",
            r"(-#1)",
        ],
        r"_\{([ijk])([ijk])\}": [r"_{#2#1}", r"_{#1#1}", r"_{#1}"],
        r"_([ijk])": ["", r"_{#1+1}", "_i", "_j", "_1"],
        r"\^(\d)": ["", "^3", "^{-#1}", r"^{\frac12}"],
        r"\^\{-1\}": ["", "^{-2}", r"^{\T}"],
        r"\^\{?\\T\}?|\^\*|\^\{\\mathrm\{H\}\}": [""],
        r"(?<=[=(&]) ": [" -"],
        r"\\R\^(?:\w|\{[^}]*\})|\\R(?!\^)": [
            r"\R",
            r"\R^n",
            r"\R^m",
            r"\R^{n \times m}",
        ],
        r"\\C\b": [r"\R"],
        r"<|>": ["<", ">"],
        r"\\[lg]e\b": [r"\le", r"\ge"],
        r"\\partial\b": [r"2 \partial"],
    }
    return _replaced(tex, rules, generator)
