"""Derivations in which all was changed alike: what the programs do is another.

A seed chooses a section with a rule, one of its symbols and another map: its output
times a number, or its input times a number or plus one. Each formula of the section
is written in the new symbol, by its text alone. Where the algebra then holds, nothing
but a program can tell; where it does not, this is no plant of the class.
"""

import hashlib
import random
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from mathml.source import Formula
from truth.formulas.check import check_page
from truth.page import Page, all_pages
from truth.results import Results

from .formulas import GOAL, failed
from .numbers import altered
from .tally import Tally

_KIND = "a derivation, changed by a seed"
_EACH, _EACH_FAST, _PAGES_FAST = 4, 1, 2
"""Plants on each page, at most, and in a fast run, and on how many pages."""
_INDEX = r"(?:_(?:\w|\{[^{}]*\}))?"
_PIECES = re.compile(r"(\\qquad|\\quad|\\\\|\\Longrightarrow|(?<!\\)%[^\n]*)")
_EQUALS = re.compile(r"&?(?::=|=)")
_INPUT = re.compile(rf"\\downstream\{{\\bar (\\?[A-Za-z]+){_INDEX}\}}")
_OUTPUT = re.compile(rf"\s*(?:\\begin\{{aligned\}})?\s*(\\?[A-Za-z]+){_INDEX} *&?=")
_NUMBERS = ("2", "3", "(-1)", r"\frac{1}{2}")


def _is_recorded(page: Page, known: Results) -> bool:
    """Return whether the programs of a page ran, and there are some."""
    results = known.programs(page)
    return bool(results) and all(
        "/wrong/" in name or (result and result.local_values)
        for name, result in results.items()
    )


def run(root: Path, tally: Tally) -> None:
    known = Results(root)
    tally.kind(_KIND, GOAL)
    verdicts = tomllib.loads((Path(__file__).parent / "verdicts.toml").read_text())
    pages = [  # what programs did is known where they ran
        page
        for page in all_pages(root)
        if not page.is_generated and _is_recorded(page, known)
    ]
    if tally.fast:
        generator = random.Random(tally.seed)
        pages = generator.sample(pages, min(_PAGES_FAST, len(pages)))
    for page in pages:
        for drill, other in plants(page, tally.seed, tally.fast):
            key = hashlib.sha256(drill.encode()).hexdigest()[:12]
            caught = bool(failed(other))
            if not caught and key in verdicts:
                tally.kind(_KIND, GOAL).equal += 1
            else:
                tally.count(_KIND, f"{drill} [{key}]", caught, GOAL)


def plants(page: Page, seed: int, fast: bool = False) -> Iterator[tuple[str, Page]]:
    """Drill and page, of those whose algebra holds."""
    generator = random.Random(f"{seed} {page.label}")
    every = [(part, *each) for part in _parts(page) for each in _changes(part)]
    generator.shuffle(every)
    left, seen = _EACH_FAST if fast else _EACH, set()
    for part, symbol, how, number in every:
        if not left or (part[0].start, symbol) in seen:
            continue
        text = page.text
        for each in reversed(part):
            new = _rewritten(each.text, symbol, how, number)
            text = text[: each.start] + new + text[each.start + len(each.text) :]
        other = altered(page, text)
        found = [each for each in check_page(other) if each.kind == "formula"]
        if text != page.text and all(each.state != "failed" for each in found):
            left -= 1
            seen.add((part[0].start, symbol))
            yield f"{page.label}: {part[0].label}: {how} {symbol}, {number}", other


def _parts(page: Page) -> list[list[Formula]]:
    """The displayed formulas from a heading or a ``% premise`` to the next, where
    they have a rule."""
    starts = [start for start, _, _ in page.headings]
    parts: list[list[Formula]] = []
    last = -1
    for each in page.formulas:
        if not each.display:
            continue
        heading = max((start for start in starts if start < each.start), default=0)
        if heading != last or "% premise" in each.text:
            parts.append([])
        last = heading
        parts[-1].append(each)
    return [part for part in parts if any(_INPUT.search(f.text) for f in part)]


def _changes(part: list[Formula]) -> Iterator[tuple[str, str, str]]:
    texts = [_PIECES.split(each.text)[::2] for each in part]
    pieces = [piece for text in texts for piece in text]
    outputs = {match[1] for piece in pieces if (match := _OUTPUT.match(piece))}
    inputs = {name for each in part for name in _INPUT.findall(each.text)}
    for symbol in sorted(outputs - inputs - {"L", r"\d"}):
        yield from ((symbol, "output", each) for each in _NUMBERS)
    for symbol in sorted(inputs):
        yield from ((symbol, "input", each) for each in (*_NUMBERS, "+"))


def _rewritten(tex: str, symbol: str, how: str, number: str) -> str:
    parts = _PIECES.split(tex)
    parts[::2] = [_piece(each, symbol, how, number) for each in parts[::2]]
    return "".join(parts)


def _piece(tex: str, symbol: str, how: str, number: str) -> str:
    """One statement in the new symbol: its value, its differential, its gradient."""
    sides = _EQUALS.split(tex)
    signs = _EQUALS.findall(tex)
    if not signs:
        return tex
    name = rf"(?<![A-Za-z\\]){re.escape(symbol)}(?![A-Za-z]){_INDEX}"
    stated = (
        how == "output"
        and re.fullmatch(rf"[\s\S]*\s*{name}\s*", sides[0])
        and not re.search(r"\\(bar|d|partial)", sides[0])
    )
    read = how == "input" and re.search(rf"\\downstream\{{\\bar {name}\}}", sides[0])
    new = [
        each if n == 0 and (stated or read) else _said(each, symbol, name, how, number)
        for n, each in enumerate(sides)
    ]
    if (stated or read) and number != "+":
        new[1:] = [_times(number, each) for each in new[1:]]
    return "".join(a + b for a, b in zip(new, [*signs, ""]))


def _times(number: str, side: str) -> str:
    body, tail = re.fullmatch(
        r"([\s\S]*?)((?:[\s,.]|\\end\{aligned\})*)", side
    ).groups()
    return rf" {number} \bigl( {body} \bigr){tail}"


def _said(tex: str, symbol: str, name: str, how: str, number: str) -> str:
    over = rf"\frac{{1}}{{{number}}}"
    if number == "+":
        forms = (r"\bigl( {} + 1 \bigr)", "{}", "{}")
    elif how == "input":
        forms = (rf"\bigl( {number} {{}} \bigr)", rf"{number} {{}}", rf"{over} {{}}")
    else:
        forms = (rf"\bigl( {over} {{}} \bigr)", rf"{over} {{}}", rf"{number} {{}}")
    slope = over + " {}" if number != "+" else "{}"
    plain, small, bar, slope = (each.replace("{}", "@") for each in (*forms, slope))
    star = r"(?:\^\*)?"
    above, below = (name, r"[^{}]*") if how == "output" else (r"[^{}]*", name)
    pattern = re.compile(
        rf"(?P<slope>\\frac\{{\\(?:d|partial) {above}\}}\{{\\(?:d|partial) {below}\}})"
        rf"|(?P<bar>\\upstream\{{\\bar {name}{star}\}}|\\bar {name})"
        rf"|(?P<small>\\d {name})|(?P<plain>{name})"
    )

    def written(match: re.Match) -> str:
        forms = {"slope": slope, "bar": bar, "small": small, "plain": plain}
        return forms[match.lastgroup or ""].replace("@", match[0])

    return pattern.sub(written, tex)
