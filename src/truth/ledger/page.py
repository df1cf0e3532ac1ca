"""The ledger: a page made from the results, never written by hand."""

import html
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from .. import results
from ..finding import Finding
from ..page import LEDGER, Page, all_pages
from ..results import Program, Record, Results

_PLURALS = {"checked": "checked", "premise": "premises", "definition": "definitions"}
KINDS = {
    "formula": ("displayed formula", "displayed formulas"),
    "inline formula": ("inline formula", "inline formulas"),
    "rule": ("rule", "rules"),
    "error": ("error message", "error messages"),
    "number": ("number", "numbers"),
    "name": ("name", "names"),
    "quote": ("quotation", "quotations"),
}
_WITH_FORMULAS = ("inline formula", "number")
"""Kinds of which some are formulas of the text, and shown as they are there."""
_HOW = {
    "formula": "read from the LaTeX of the page, proven by computer algebra",
    "inline formula": "those that state something, in the same way",
    "rule": "compared with differences of the forward pass",
    "error": "compared with what a program of the page raised or printed",
    "number": "tied to the trace, the program or the formula that proves it",
    "name": "looked up in the installed packages and in the programs",
    "quote": "compared with the docstring that is installed",
}
_ABOUT = "docs/checked.md"
_LINK = "[How this site is checked](checked.md)"
_NOTHING = f"""\
# The ledger

Nothing has been recorded yet. `make truth`, or `python -m truth` in the
environment of the site, checks every formula, rule and number and writes this
page. {_LINK} says what that means.
"""
_WORDS = """\
## What the words mean

Checked
:   Proven by something that does not come from the thing itself: an equation by
    computer algebra, a rule by differences of its forward pass, a number by a
    trace.

Premise
:   A formula that what follows builds on, such as the function whose derivative
    is sought. It proves nothing, but it binds: if it changes, what follows from
    it no longer holds, and the check fails.

Definition
:   Marked as one in the source of the page: a notation, or a decision that could
    have been another. Nothing proves it, and nothing can contradict it. A number
    of this kind is what another source says.

Computed, compared, labeled, listed, shown
:   What ties a number to its proof. Its formula was evaluated; it is what the
    section's formulas and programs compare with; it is the value of that name in
    a trace; its neighbors stand beside it there; or it stands there.

Weak
:   A number that would pass with one of its digits changed as well, for the trace
    has both. Most small whole numbers are.

## What is not checked

Whether an explanation is good, whether a sentence without a formula, a number, a
name or a quotation is true, and whether a definition is wise. The programs of a
lab run in every build, and what they print is shown as it comes; it is not
compared with anything. Numbers that state no result (dates, versions, the
numbers of a list) are told apart by one rule and not counted.
"""
_RAW_TEX = re.compile(r"[\\$]|\^\{")
_CODE_SPAN = re.compile(r"(`[^`]*`)")
_MARKUP = re.compile(r"[*_\[\]{}#|]")


def text(root: Path) -> str:
    """The page, as the results on record have it.

    A page that was edited since it was checked counts for nothing.
    """
    known = results.load(root)
    page = _NOTHING if known is None else _whole(known, root)
    if not (root / _ABOUT).exists():
        page = page.replace(_LINK, "How this site is checked")
    return page


def _whole(known: Results, root: Path) -> str:
    fresh = results.fresh(known, root)
    parts = [_head(known), _in_all(known, fresh), _WORDS, "## Page by page\n"]
    for page in sorted(all_pages(root), key=_place_in_menu(root)):
        if record := fresh.get(page.shown):
            parts.append(_page(page, record, known))
        else:
            parts.append(
                f"{_heading(page.shown, Record.of(page, root).title)}\n"
                "Edited since it was checked, or not checked to the end:"
                " nothing is claimed here.\n"
            )
    return "\n".join(parts)


def write(root: Path) -> None:
    results.write(root / LEDGER, text(root))


def _place_in_menu(root: Path) -> Callable[[Page], int]:
    menu = re.findall(
        r"[\w/-]+\.(?:md|py)$", (root / "mkdocs.yml").read_text("utf-8"), re.MULTILINE
    )
    places = {f"docs/{name}": place for place, name in enumerate(menu)}
    return lambda page: places.get(page.shown, len(menu))


def anchor(shown: str) -> str:
    """The id of a page's part."""
    name = shown.removeprefix("docs/").rpartition(".")[0]
    return re.sub(r"\W+", "-", name)


def states(counts: Counter) -> str:
    """``48 checked, 9 premises, 3 definitions``"""
    return ", ".join(
        f"{counts[state]} {state if counts[state] == 1 else plural}"
        for state, plural in _PLURALS.items()
        if counts[state] or state == "checked"
    )


def counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _head(known: Results) -> str:
    versions = ", ".join(
        f"{name} {version}" for name, version in known.versions.items()
    )
    return f"""\
# The ledger

What a machine has checked on this site, how many of each, with what, and below,
page by page, each thing and how it was proven. `python -m truth` wrote this page
from what it found. {_LINK} says when it does.

As of the commit of {known.date}: Python {known.python} on {known.system}; {versions}.
"""


def _in_all(known: Results, fresh: dict[str, Record]) -> str:
    ran, traces, failed = _ran(known, *fresh.values())
    findings = known.findings(*fresh.values())
    errors = sum(bool(each.raises) for each in ran.values())
    rows = [
        ("pages", str(len(fresh)), "with the labs"),
        (
            "programs run",
            str(len(ran)) + (f", **{failed} failed**" if failed else ""),
            "each alone, in a process of its own",
        ),
        ("traces compared", str(len(traces)), "with what the program printed"),
        (
            "programs wrong on purpose",
            str(len(_wrong(ran))),
            "they run too, and print the trace that is shown",
        ),
        (
            "errors reproduced",
            str(errors),
            "programs that end in the error they declare",
        ),
    ]
    for kind, counts in results.tally(findings).items():
        number = states(counts) + _more(kind, findings)
        if counts["failed"]:
            number += f", **{counts['failed']} failed**"
        rows.append((KINDS[kind][1], number, _HOW[kind]))
    table = "".join(f"| **{what}**, {how} | {number} |\n" for what, number, how in rows)
    return f"## In all\n\n| What, and how | How many |\n| --- | --- |\n{table}"


def _more(kind: str, findings: list[Finding]) -> str:
    """Of the rules, how many shall be wrong; of the numbers, how many are weak."""
    checked = [
        each.how for each in findings if each.kind == kind and each.state == "checked"
    ]
    if kind == "rule" and (wrong := _beginning(results.WRONG, checked)):
        return f" ({len(checked) - wrong} right, {wrong} wrong on purpose)"
    if kind == "number" and (weak := _beginning(results.WEAK, checked)):
        return f" ({weak} of the checked are weak)"
    return ""


def _beginning(start: str, texts: list[str]) -> int:
    return sum(text.startswith(start) for text in texts)


def _ran(known: Results, *records: Record) -> tuple[dict[str, Program], set[str], int]:
    """The programs that hold, the traces compared with them, how many failed."""
    programs = known.programs_of(*records)
    ran = {name: program for name, program in programs.items() if program.ran}
    traces = {
        name
        for record in records
        for name in record.traces
        if name.removesuffix(".out") + ".py" in ran
    }
    return ran, traces, len(programs) - len(ran)


def _wrong(programs: Iterable[str]) -> list[str]:
    return [name for name in programs if "wrong" in name.split("/")]


def _heading(shown: str, title: str) -> str:
    return f"### {title} {{ #{anchor(shown)} data-search-exclude }}\n"


def _page(page: Page, record: Record, known: Results) -> str:
    link = page.shown.removeprefix("docs/")
    findings = known.findings(record)
    return "\n".join(
        [
            _heading(page.shown, record.title),
            f"{_sentence(record, known)} [Read the page]({link}).\n",
            *(_things(findings, page) if findings else ()),
        ]
    )


def _sentence(record: Record, known: Results) -> str:
    parts = []
    ran, traces, failed = _ran(known, record)
    if ran:
        parts.append(counted(len(ran), "program", "programs") + " run")
        if wrong := _wrong(ran):
            parts[-1] += f" ({len(wrong)} wrong on purpose)"
        parts.append(counted(len(traces), "trace", "traces") + " compared")
        if errors := sum(bool(each.raises) for each in ran.values()):
            parts.append(counted(errors, "error", "errors") + " reproduced")
    if failed:
        parts.append(counted(failed, "program", "programs") + " failed")
    findings = known.findings(record)
    for kind, counts in results.tally(findings).items():
        if not counts.total():
            continue
        said = f"{KINDS[kind][1]}: {states(counts)}{_more(kind, findings)}"
        if counts["failed"]:
            said += f", {counts['failed']} failed"
        parts.append(said)
    sentence = "; ".join(parts) or "nothing that could be checked"
    return sentence[0].upper() + sentence[1:] + "."


def _things(findings: list[Finding], page: Page) -> Iterator[str]:
    """What was checked, one by one; what was proven alike stands together."""
    displayed = {each.shown: each.text for each in page.formulas if each.display}
    inline = {each.shown for each in page.formulas if not each.display}
    text = " ".join(page.text.split())
    yield '??? proven "Each of them, and how it was proven"\n'
    for kind in KINDS:
        groups: dict[tuple[str, str], Counter] = {}
        for each in findings:
            if each.kind == kind:
                group = groups.setdefault((each.state, each.how), Counter())
                group[each.what] += 1
        if groups:
            yield f"    **{KINDS[kind][1].capitalize()}**\n"
        for (state, how), things in groups.items():
            said = f"{state}; {_prose(how)}" if how else state
            if kind == "formula":
                yield f"    {said[0].upper()}{said[1:]}:\n"
                yield from (_displayed(displayed.get(what, what)) for what in things)
            else:
                shown = ", ".join(
                    (
                        f"${what}$"
                        if what in inline and kind in _WITH_FORMULAS
                        else _code(
                            _in_whole_words(what, text) if kind == "number" else what
                        )
                    )
                    + (f" ({times} times)" if times > 1 else "")
                    for what, times in things.items()
                )
                yield f"    - {shown}: {said}"
        yield ""


def _displayed(tex: str) -> str:
    lines = ["$$", *(line.strip() for line in tex.strip().splitlines()), "$$", ""]
    return "\n".join(f"    {line}".rstrip() for line in lines)


def _in_whole_words(what: str, text: str) -> str:
    """A piece of running text, to the ends of its first and last word."""
    at = text.find(what) if " " in what else -1
    if at < 0:
        return what
    end = text.find(" ", at + len(what))
    return text[text.rfind(" ", 0, at) + 1 : end if end >= 0 else None]


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
