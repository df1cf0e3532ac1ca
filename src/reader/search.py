"""The index of the search, in parts: a reader's browser gets those it asks for.

``search/sections.js`` has what a result shows of each section, and how a text is cut
into words. ``search/words/N.js`` has, for a part of the alphabet, the sections of each
word with the weight that it has there (BM25F, times ten). What stands in the sections
of a page, for excerpts, is in ``search/prose/N.js`` and ``search/code/N.js``; the
messages with which a pasted one is compared in ``search/messages.js``.

Of the 161 queries in the tests' data it put the right section first for 144 in November
2026. On the same pages Pagefind did so for 58, and the theme's own search for 68.

Each file is a call, and not JSON, so that a site that was opened from a folder can
read it.
"""

import json
import math
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from unicodedata import normalize
from urllib.parse import urljoin

from lxml import html
from lxml.etree import _Element as Element

from .sections import Section, sections

# What a script reads as well: one definition for what is indexed and what is asked.
WORD = r"[a-z_∂][a-z0-9_\u0300-\u036f]*(?:\.[a-z_][a-z0-9_]*)*"
"""A word, a name with its dots, or a symbol with its bar; numbers differ from run to
run."""
JOINT = r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[_.]+"
"""Where a name has its joints: it is found whole and by its parts."""
ENDING = r"(?<=[a-z]{2})(?:(?<=([bdgmnprt]))\1(?:ing|ed)|(?<!s)s|ing|ed|es|e)$"
"""What does not tell words apart: clip, clips, clipped, clipping."""
SILENT = (
    "a about an and are as at be been but by can do does for from had has have how i if"
    " in is it its me my no not of on or so than that the their then there these they"
    " this to was were what when where which while why will with you your"
)
"""Words that say nothing of what is asked."""

_FIELDS = {"title": 6.0, "names": 6.0, "above": 1.5, "prose": 1.0, "code": 0.5}
"""How much a word weighs by the place where it stands."""
_LENGTH = {"title": 0.5, "names": 0.0, "above": 0.0, "prose": 0.6, "code": 0.8}
"""How much less it weighs in a long text."""
_SATURATION = 1.4
_COMMON = 0.5
"""A word in more than this share of the sections is found in titles alone."""
_PART = 24_000
"""About how many characters one file of words has."""


_SILENT = frozenset(SILENT.split())


@dataclass
class Page:
    """A built page: its address in the site, and the HTML of its text."""

    address: str
    content: str
    boost: float = 1.0
    """How much what stands there weighs beside other pages."""


@dataclass
class Entry:
    """A section, and where it stands."""

    address: str
    section: Section
    above: tuple[str, ...]
    """The titles of the sections that hold it, the page first."""
    boost: float


def entries(pages: Iterable[Page]) -> Iterator[Entry]:
    """What is found on pages."""
    for page in pages:
        open_: list[Section] = []
        for each in sections(page.content):
            open_ = [above for above in open_ if above.level < each.level]
            anchor = f"#{each.anchor}" if open_ else ""
            above = tuple(above.title for above in open_)
            yield Entry(page.address + anchor, each, above, page.boost)
            open_.append(each)


def words(text: str) -> Iterator[str]:
    """The words of a text: names whole, and their parts."""
    for name in re.findall(WORD, normalize("NFD", text), re.IGNORECASE):
        for word in {
            each.lower() for each in (name, *name.split("."), *re.split(JOINT, name))
        }:
            if len(word) > 1 and word not in _SILENT:
                yield re.sub(ENDING, "", word)


def files(pages: Iterable[Page], lists: Iterable[Page] = ()) -> dict[str, str]:
    """The files of the index, by their paths in the site; messages stand in lists."""
    found = list(entries(pages))
    parts = _parts(_weights(found))
    names = sorted({each.address.partition("#")[0] for each in found})
    shown = {
        "word": WORD,
        "joint": JOINT,
        "ending": ENDING,
        "silent": SILENT,
        "starts": [next(iter(part)) for part in parts],
        "pages": names,
        "sections": [
            [
                bisect_right(names, each.address.partition("#")[0]) - 1,
                each.address.partition("#")[2],
                each.section.title,
                " › ".join(each.above),
                *filter(None, each.section.names),
            ]
            for each in found
        ],
    }
    prose: dict[int, dict[int, list[str]]] = defaultdict(dict)
    code: dict[int, dict[int, list[str]]] = defaultdict(dict)
    for number, each in enumerate(found):
        page = bisect_right(names, each.address.partition("#")[0]) - 1
        prose[page][number] = each.section.prose
        code[page][number] = each.section.code
    made = {
        "sections": shown,
        "messages": [each for page in lists for each in messages(page)],
        **{f"words/{n}": part for n, part in enumerate(parts)},
        **{f"prose/{n}": text for n, text in prose.items()},
        **{f"code/{n}": text for n, text in code.items()},
    }
    return {f"search/{name}.js": _call(name, value) for name, value in made.items()}


def messages(page: Page) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """The messages that a page lists, each with titles and addresses of what explains
    it."""
    for item in html.fromstring(f"<div>{page.content}</div>").iter("li"):
        links = [
            (_text(link), urljoin(page.address, link.get("href", "")))
            for link in item.iter("a")
            if not re.match("https?:", link.get("href", ""))
        ]
        for said in item.iter("code"):
            if links:
                yield _text(said), links
            break


def _text(element: Element) -> str:
    return "".join(map(str, element.itertext()))


def _call(name: str, value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    text = normalize("NFD", text)  # a bar is a sign of its own, however it is typed
    return f'searched("{name}",{text})\n'


def _weights(found: list[Entry]) -> dict[str, list[int]]:
    """For each word the sections that have it, each with its distance from the one
    before and its weight."""
    counts = [
        {name: Counter(words(text)) for name, text in _fields(each).items()}
        for each in found
    ]
    mean = {
        name: sum(each[name].total() for each in counts) / len(counts)
        for name in _FIELDS
    }
    titles = Counter(each.section.title for each in found)
    amounts: dict[str, dict[int, float]] = defaultdict(dict)
    for number, each in enumerate(counts):
        for name, counted in each.items():
            share = _LENGTH[name]
            length = 1 - share + share * counted.total() / (mean[name] or 1)
            for word, times in counted.items():
                before = amounts[word].get(number, 0.0)
                weight = _FIELDS[name] / (
                    titles[found[number].section.title] if name == "title" else 1
                )
                amounts[word][number] = before + weight * times / length
    index: dict[str, list[int]] = {}
    for word, at in sorted(amounts.items()):
        rarity = math.log(1 + (len(found) - len(at) + 0.5) / (len(at) + 0.5))
        if len(at) > _COMMON * len(found):
            at = {
                number: amount
                for number, amount in at.items()
                if word in counts[number]["title"] or word in counts[number]["names"]
            }
        if not at:
            continue
        index[word] = []
        last = 0
        for number, amount in sorted(at.items()):
            weight = 10 * rarity * amount / (amount + _SATURATION)
            weight *= found[number].boost
            index[word] += [number - last, max(1, round(weight))]
            last = number
    return index


def _fields(entry: Entry) -> dict[str, str]:
    return {
        "title": entry.section.title,
        "names": "\n".join(entry.section.names),
        "above": "\n".join(entry.above),
        "prose": "\n".join(entry.section.prose),
        "code": "\n".join(entry.section.code),
    }


def _parts(index: dict[str, list[int]]) -> list[dict[str, list[int]]]:
    """The words in files of about the same size; two letters are in one file."""
    parts: list[dict[str, list[int]]] = [{}]
    size, last = 0, ""
    for word, at in index.items():
        if size > _PART and word[:2] != last:
            parts.append({})
            size = 0
        parts[-1][word] = at
        size += len(word) + 3 * len(at)
        last = word[:2]
    return parts
