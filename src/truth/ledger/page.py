"""The ledger: a page made from the results, never written by hand.

Its words are in ``ledger.md.jinja``; this module counts and gathers what they say.
"""

import html
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from tracebook import live, settings

from .. import results
from ..menu import menu
from ..page import LEDGER, Page, all_pages
from ..results import Record, Results

NAMES = {
    "formula": ("displayed formula", "displayed formulas"),
    "inline formula": ("inline formula", "inline formulas"),
    "rule": ("rule", "rules"),
    "statement": ("statement", "statements"),
    "mode": ("table of modes", "tables of modes"),
    "error": ("error message", "error messages"),
    "quote": ("quotation", "quotations"),
    "structure": ("thing in its place", "things in their places"),
    "agreement": ("formula and rule compared", "formulas and rules compared"),
}
_ABOUT = "docs/checked.md"
_RAW_TEX = re.compile(r"[\\$]|\^\{")
_CODE_SPAN = re.compile(r"(`[^`]*`)")
_MARKUP = re.compile(r"[*_\[\]{}#|]")


def text(root: Path) -> str:
    """The page, as the results on record have it.

    A page that was edited since it was checked counts for nothing.
    """
    known = results.load(root)
    fresh = results.fresh(known, root) if known else {}
    pages = sorted(all_pages(root), key=_place_in_menu(root))
    return _TEMPLATE.render(
        known=known,
        about=(root / _ABOUT).exists(),
        sums=known and Sums(known, root, *fresh.values()),
        parts=[
            Part(page, fresh.get(page.shown), known, root) for page in pages if known
        ],
    )


def write(root: Path) -> None:
    results.write(root / LEDGER, text(root))


def _place_in_menu(root: Path) -> Callable[[Page], int]:
    names = menu(root)
    places = {f"docs/{name}": place for place, name in enumerate(names)}
    return lambda page: places.get(page.shown, len(names))


def anchor(shown: str) -> str:
    """The id of a page's part."""
    name = shown.removeprefix("docs/").rpartition(".")[0]
    return re.sub(r"\W+", "-", name)


def counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


class Sums:
    """How much was checked on some pages."""

    def __init__(self, known: Results, root: Path, *records: Record) -> None:
        programs = known.programs_of(*records)
        folder = settings.load(root).snippets_dir
        stops = [live.count(folder / name) for name in programs]
        self.with_inputs = len([each for each in stops if each])
        self.stops = sum(stops)
        self.pages = len(records)
        self.ran = {name: each for name, each in programs.items() if each.ran}
        self.failed = len(programs) - len(self.ran)
        self.traces = {
            name
            for record in records
            for name in record.traces
            if name.removesuffix(".out") + ".py" in self.ran
        }
        self.errors = sum(bool(each.raises) for each in self.ran.values())
        self.wrong = sum("wrong" in name.split("/") for name in self.ran)
        self.findings = known.findings(*records)
        self.of_kind = results.tally(self.findings)
        self.wrong_rules = sum(
            each.wrong_on_purpose for each in self.findings if each.holds
        )


class Part:
    """What stands in the ledger of one page."""

    def __init__(
        self, page: Page, record: Record | None, known: Results, root: Path
    ) -> None:
        self.title = (record or Record.of(page, root)).title
        self.anchor = anchor(page.shown)
        self.link = page.shown.removeprefix("docs/")
        self.sums = Sums(known, root, record) if record else None
        self._displayed = {f.shown: f.text for f in page.formulas if f.display}
        self._inline = {f.shown for f in page.formulas if not f.display}

    def groups(self, kind: str) -> list[tuple[str, str, list[str]]]:
        """What was proven alike: its state, how, and the things, as shown."""
        groups: dict[tuple[str, str], Counter] = {}
        for each in self.sums.findings if self.sums else ():
            if each.kind == kind:
                how = each.how
                how += f", on {each.day}; not tried again since" if each.day else ""
                groups.setdefault((each.state, how), Counter())[each.what] += 1
        return [
            (state, _prose(how), [*self._shown(kind, things)])
            for (state, how), things in groups.items()
        ]

    def _shown(self, kind: str, things: Counter) -> Iterator[str]:
        for what, times in things.items():
            if kind == "formula":
                lines = self._displayed.get(what, what).strip().splitlines()
                yield "\n".join(line.strip() for line in lines)
                continue
            is_formula = kind == "inline formula" and what in self._inline
            shown = f"${what}$" if is_formula else _code(what)
            yield shown + (f" ({times} times)" if times > 1 else "")


def _code(what: str) -> str:
    return "`" + " ".join(what.split()).replace("`", "'") + "`"


def _prose(how: str) -> str:
    """One line of Markdown that shows what a check said, and no more."""
    line = " ".join(how.split())
    parts = _CODE_SPAN.split(line)
    if any(_RAW_TEX.search(part) for part in parts[::2]):
        return _code(line)
    parts[::2] = [
        _MARKUP.sub(lambda m: f"&#{ord(m[0])};", html.escape(part, False))
        for part in parts[::2]
    ]
    return "".join(parts)


_environment = Environment(
    loader=PackageLoader("truth.ledger", ""),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
_environment.globals |= {"NAMES": NAMES, "counted": counted, "states": results.states}
_environment.globals["holding"] = results.holding
_environment.filters["capital"] = lambda text: text[:1].upper() + text[1:]
_TEMPLATE = _environment.get_template("ledger.md.jinja")
