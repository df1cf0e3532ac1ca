"""Build the index of the search in parts, of which a browser loads the ones it needs.

``search/sections.js`` has the address and title of each section, and the rules that
split a text into words. ``search/words/N.js`` has, for a part of the alphabet, the
sections of each word with its weight there (BM25F, times ten). ``search/prose/N.js``
and ``search/code/N.js`` have the text of a page's sections, for excerpts.
``search/messages.js`` has the messages with which a pasted message is compared, and
``search/spelling.js`` the words with which a word is compared that no page has.

Of the 161 queries that the tests had in November 2026, it put the right section first
for 144. On the same pages Pagefind did so for 58, and the theme's own search for 68.

Each file is a call instead of JSON, so that it also loads in a site that is opened from
a folder.
"""

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from unicodedata import normalize
from urllib.parse import urljoin

from lxml import html
from lxml.etree import _Element as Element

from .sections import TextSection, sections

# The script reads these rules from the index, so that it splits queries the same way.
WORD = r"[a-z_∂][a-z0-9_\u0300-\u036f]*(?:\.[a-z_][a-z0-9_]*)*"
"""A word, a dotted name, or a symbol with its bar. Numbers differ from run to run."""
JOINT = r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[_.]+"
"""A boundary inside a name, which is found as a whole and by its parts."""
ENDING = (
    r"(?<=[a-z]{3})(?:at(?:ions?|ors?|es?|ed|ing)|abl[ey]|ables|(?<=[sv])ions?|ly)$"
    r"|(?<=[a-z]{2}[b-df-hj-np-tv-z])(?:ies|ied|y)$"
    r"|(?<=[a-z]{2})(?:(?<=([bdgmnprt]))\1(?:ing|ed)|(?<!s)s|ing|ed|es|e)$"
)
"""An ending that doesn't distinguish words: clips, clipping; train, trainable."""
SILENT = (
    "a about an and are as at be been but by can do does for from had has have how i if"
    " in is it its me my no not of on or so than that the their then there these they"
    " this to was were what when where which while why will with you your"
)
"""Words that say nothing about the subject of a query."""
FAINT = (
    "after again all also any argument attribute attributeerror because before"
    " behind between called difference during each error errors every exception"
    " expected failed first following get gets getting give given gives got happens"
    " hint instead into just like make makes making need needs new now object off"
    " one only operation other out own please raised raises runtimeerror same should"
    " some specify still takes type typeerror use used uses using value valueerror"
    " very want warning wrong"
)
"""Words of queries and error messages that tell less than they are rare here."""
KIN = {
    "backprop": "backpropagate backward",
    "derivative": "gradient",
    "grad": "gradient",
    "mismatch": "differs",
    "multiple": "several",
    "wrt": "respect",
}
"""Words that a reader may use, and what stands for them on the pages."""

_FIELDS = {
    "title": (6.0, 0.5),
    "names": (6.0, 0.0),
    "description": (3.0, 0.0),
    "ancestors": (1.5, 0.0),
    "prose": (1.0, 0.6),
    "code": (0.5, 0.8),
}
"""For each field of a section, the weight of a word, and the influence of the field's
length, by which this weight decreases."""
_SATURATION = 1.4
_COMMON = 0.5
"""Share of sections. A word in more of them is found only in titles."""
_SPELLED = re.compile(r"[^\W\d]{3,}")
"""A word or a name with which a misspelt one is compared."""
_PART = 24_000
"""Approximate number of characters in a file of words."""
_SILENT = frozenset(SILENT.split())

_Index = list[tuple["IndexedPage", TextSection]]
_Fields = dict[str, Counter[str]]
"""Number of times that each word occurs, by field of a section."""


@dataclass
class IndexedPage:
    """A built page with its address on the site and the HTML of its text."""

    address: str
    content: str
    boost: float = 1.0
    """Factor of the weights of its words."""
    description: str = ""
    """The question that it answers, which is a field of its first section."""


def words(text: str) -> Iterator[str]:
    """Return the words of a text, including the parts of names."""
    for name in re.findall(WORD, normalize("NFD", text), re.IGNORECASE):
        for word in {
            part.lower() for part in (name, *name.split("."), *re.split(JOINT, name))
        }:
            if len(word) > 1 and word not in _SILENT:
                yield re.sub(ENDING, "", word)


def files(
    pages: Iterable[IndexedPage], lists: Iterable[IndexedPage] = ()
) -> dict[str, str]:
    """Return the files of the index for pages, and for lists of messages, by path."""
    index = [(page, section) for page in pages for section in sections(page.content)]
    parts = _parts(_postings(index))
    addresses = sorted({page.address for page, _ in index})
    rows = []
    prose: dict[int, dict[int, list[str]]] = defaultdict(dict)
    code: dict[int, dict[int, list[str]]] = defaultdict(dict)
    for number, (page, section) in enumerate(index):
        place = addresses.index(page.address)
        anchor = section.anchor if section.ancestors else ""
        ancestors, names = " › ".join(section.ancestors), filter(None, section.names)
        rows.append([place, anchor, section.title, ancestors, *names])
        prose[place][number] = section.prose
        code[place][number] = section.code
    contents = {
        "sections": {
            "word": WORD,
            "joint": JOINT,
            "ending": ENDING,
            "silent": SILENT,
            "faint": FAINT,
            "kin": KIN,
            "starts": [next(iter(part)) for part in parts],
            "pages": addresses,
            "sections": rows,
        },
        "messages": [message for page in lists for message in messages(page)],
        **{f"words/{n}": part for n, part in enumerate(parts)},
        # The words that a misspelt one may have been meant as.
        "spelling": [w for part in parts for w in part if _SPELLED.fullmatch(w)],
        **{f"prose/{n}": text for n, text in prose.items()},
        **{f"code/{n}": text for n, text in code.items()},
    }
    return {f"search/{name}.js": _call(name, value) for name, value in contents.items()}


def messages(page: IndexedPage) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Return the messages that a page lists.

    Each has the titles and addresses of the sections that explain it.
    """
    for row in html.fromstring(f"<div>{page.content}</div>").iter("tr"):
        links = [
            (_text(link), urljoin(page.address, link.get("href", "")))
            for link in row.iter("a")
            if not re.match("https?:", link.get("href", ""))
        ]
        message = next(row.iter("code"), None)
        if links and message is not None:
            yield _text(message), links


def _text(element: Element) -> str:
    return "".join(map(str, element.itertext()))


def _call(name: str, value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    text = normalize("NFD", text)  # so that a bar is a character, however it was typed
    return f'searched("{name}",{text})\n'


def _postings(index: _Index) -> dict[str, list[int]]:
    """Return pairs of numbers for each word, one pair for each section that has it.

    The first number is the distance from the previous section of the word, the second
    the weight of the word in the section.
    """
    counts = [_count_words(page, section) for page, section in index]
    postings: dict[str, list[int]] = {}
    for word, amounts in sorted(_amounts(index, counts).items()):
        rarity = math.log(1 + (len(index) - len(amounts) + 0.5) / (len(amounts) + 0.5))
        if len(amounts) > _COMMON * len(index):
            amounts = {
                number: amount
                for number, amount in amounts.items()
                if word in counts[number]["title"] or word in counts[number]["names"]
            }
        previous = 0
        for number, amount in sorted(amounts.items()):
            weight = 10 * rarity * amount / (amount + _SATURATION)
            weight *= index[number][0].boost
            pair = number - previous, max(1, round(weight))
            postings.setdefault(word, []).extend(pair)
            previous = number
    return postings


def _amounts(index: _Index, counts: list[_Fields]) -> dict[str, dict[int, float]]:
    """Return the weighted number of times that each word occurs in each section."""
    titles = Counter(section.title for _, section in index)
    mean_length = {
        field: sum(fields[field].total() for fields in counts) / len(counts)
        for field in _FIELDS
    }
    amounts: dict[str, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for number, fields in enumerate(counts):
        for field, count in fields.items():
            weight, share = _FIELDS[field]
            length = 1 - share + share * count.total() / (mean_length[field] or 1)
            if field == "title":  # a frequent one, such as "Exercises", weighs less
                weight /= titles[index[number][1].title]
            for word, times in count.items():
                amounts[word][number] += weight * times / length
    return amounts


def _count_words(page: IndexedPage, section: TextSection) -> _Fields:
    fields = {
        "title": [section.title],
        "names": section.names,
        "description": [] if section.ancestors else [page.description],
        "ancestors": section.ancestors,
        "prose": section.prose,
        "code": section.code,
    }
    return {field: Counter(words("\n".join(texts))) for field, texts in fields.items()}


def _parts(postings: dict[str, list[int]]) -> list[dict[str, list[int]]]:
    """Split the words into files of similar size, but not within two first letters."""
    parts: list[dict[str, list[int]]] = [{}]
    size, start = 0, ""
    for word, pairs in postings.items():
        if size > _PART and word[:2] != start:
            parts.append({})
            size = 0
        parts[-1][word] = pairs
        size += len(word) + 3 * len(pairs)
        start = word[:2]
    return parts
