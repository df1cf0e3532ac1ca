"""Formulas and programs say the same: what a page derives is what its programs did.

While a program runs, it is kept what its rules are given and give. The maps and the
gradients that the page states are evaluated at these inputs, name for name, and must
give these outputs and gradients. A function of one input may have it by another name:
a program squares ``x``, and the page says ``w = u^2``.

A formula belongs to the rules of its section, and to those below that have no formula
in their own. It fails if it differs from some of them, and agrees with no rule of the
page. A rule that agrees with no formula, and a formula to which rules belong and that
was compared with none, are unchecked.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from .. import results
from ..finding import Finding
from ..formulas import evaluate
from ..formulas.evaluate import Rule as Formula
from ..formulas.meaning import Unclear
from ..page import Page

CLOSE = 1e-5
"""What float32 may do."""

WRONG = "wrong"
"""The folder of programs that are wrong on purpose."""

Array = np.ndarray | None


@dataclass
class Call:
    """What a rule was given and gave in one call."""

    inputs: dict[str, Array]
    closed: dict[str, Array]
    outputs: list[Array]
    upstream: list[Array]
    downstream: list[Array]

    @classmethod
    def of(cls, said: dict[str, Any]) -> "Call":
        inputs, closed = (
            {name: _array(value) for name, value in said[part].items()}
            for part in ("inputs", "closed")
        )
        parts = ("outputs", "upstream", "downstream")
        return cls(inputs, closed, *(list(map(_array, said[part])) for part in parts))

    @property
    def is_empty(self) -> bool:
        return any(each is not None and not each.size for each in self.inputs.values())


def _array(said: Any) -> Array:
    if isinstance(said, dict):
        return np.array(said["real"]) + 1j * np.array(said["imag"])
    array = np.array(said)
    return array if array.dtype.kind in "iufc" else None


@dataclass(frozen=True)
class Site:
    """One rule of a program, and the heading below which the page shows it."""

    where: str
    what: str
    line: int
    """Of the page."""
    calls: tuple[Call, ...] = field(compare=False)

    @property
    def name(self) -> str:
        return self.where.rpartition("/")[2].partition(":")[0]


def check(pages: list[Page], root: Path) -> list[Finding]:
    known = results.load(root)
    return [
        finding
        for page in pages
        for finding in _findings(page, _sites(page, known.programs if known else {}))
    ]


def _sites(page: Page, programs: dict[str, results.Program]) -> list[Site]:
    return [
        Site(each.where, each.what, include.line, _calls(each.calls))
        for include in page.includes
        if include.name in programs and WRONG not in include.name.split("/")
        for each in programs[include.name].rules or ()
        if each.kind == "rule" and not each.wrong_on_purpose
    ]


def _calls(said: str) -> tuple[Call, ...]:
    calls = map(Call.of, json.loads(said or "[]"))
    return tuple(each for each in calls if not each.is_empty)


def _findings(page: Page, sites: list[Site]) -> Iterator[Finding]:
    formulas = evaluate.rules(page, 0, len(page.text)) if sites else []
    groups: dict[object, list[Formula]] = defaultdict(list)
    for formula in formulas:
        groups[formula.section].append(formula)
    agree: dict[Formula, list[Site]] = defaultdict(list)
    differ: dict[Formula, dict[Site, str]] = defaultdict(dict)
    for site in sites:
        for group in groups.values():
            same, other = _compared(group, site)
            for formula in same:
                agree[formula].append(site)
            for formula, how in other.items():
                differ[formula][site] = how
    belong = _belonging(page, formulas, sites, agree, differ)
    for formula in dict.fromkeys(formulas):
        own = belong[formula]
        cases = sum(len(each.calls) for each in agree[formula])
        if cases:
            names = ", ".join(dict.fromkeys(each.name for each in agree[formula]))
            state, how = "compared", f"agrees with {names}"
        elif not own or not (formula.is_gradient or formula.is_output):
            continue
        elif said := [(s, differ[formula][s]) for s in own if s in differ[formula]]:
            state, how = "failed", f"{said[0][0].where}: {said[0][1]}"
        else:
            state, how = "unchecked", "no rule of the section has its names"
        where = f"{page.shown}:{formula.line}"
        tex = formula.tex
        yield Finding("agreement", state, page.shown, where, tex, how, cases=cases)
    agreeing = {site for some in agree.values() for site in some}
    for site in sites:
        if site not in agreeing:
            how = (
                "no formula of the page has its names"
                if site.calls
                else "no small call outside of graphs"
            )
            what = f"{site.what} of {site.name}"
            yield Finding("agreement", "unchecked", page.shown, site.where, what, how)


def _belonging(
    page: Page, formulas: list[Formula], sites: list[Site], agree: dict, differ: dict
) -> dict[Formula, list[Site]]:
    """The rules to which each formula belongs: not to what agrees with others of its
    section, but of another map. A rule of several inputs that agrees with nothing
    belongs to the nearest map that is made of them."""
    headings = [page.line(at) for at, _, _ in page.headings]

    def section(line: int) -> int:
        return max((each for each in headings if each <= line), default=0)

    found: dict[Formula, list[Site]] = defaultdict(list)
    ends = [each for each in formulas if each.is_gradient or each.is_output]
    sections = {section(each.line) for each in ends}
    for site in sites:
        own = section(site.line)
        nearest = max((each for each in sections if each <= own), default=0)
        here = [each for each in ends if section(each.line) == nearest]
        groups = {each.section for each in here if site in agree[each]}
        for each in here:
            if not groups or each.section in groups:
                found[each].append(site)
        maps = [
            each
            for each in ends
            if not each.is_gradient
            and site in differ[each]
            and len(inputs := site.calls[0].inputs.keys()) > 1
            and inputs <= _made_of(each, formulas)
        ]
        if maps and not any(site in some for some in agree.values()):
            above = [each for each in maps if section(each.line) <= own]
            found[(above or maps)[-1]].append(site)
    return found


def _made_of(formula: Formula, formulas: list[Formula]) -> set[str]:
    """Names of its symbols, and of those of the maps that define some of them."""
    found, names = set(formula.symbols), {*formula.symbols}
    while names:
        name = names.pop()
        for each in formulas:
            if each.section is formula.section and each.name == name:
                names |= each.symbols - found
                found |= each.symbols
    return found


def _compared(group: list[Formula], site: Site) -> tuple[set[Formula], dict]:
    """The formulas of one section that agree with a rule in all calls that have their
    names, and what those that do not say instead."""
    same: set[Formula] = set()
    differ: dict[Formula, str] = {}
    for call in site.calls:
        case = _Case(group, call)
        if not case.same and len(call.inputs) == 1:
            case = _by_another_name(group, call) or case
        same |= case.same
        differ = {**case.differ, **differ}
    return same - differ.keys(), differ


def _by_another_name(group: list[Formula], call: Call) -> "_Case | None":
    """Where that agrees with something; it contradicts nothing."""
    [value] = call.inputs.values()
    names = {name for each in group if len(each.symbols) == 1 for name in each.symbols}
    for name in sorted(names - call.inputs.keys()):
        case = _Case(group, replace(call, inputs={name: value}))
        if case.same:
            case.differ.clear()
            return case
    return None


class _Case:
    """The formulas of one section at what a rule was given in one call."""

    def __init__(self, group: list[Formula], call: Call) -> None:
        self._group = group
        self._call = call
        self._given: dict[str, Array] = {**call.closed, **call.inputs}
        self.same: set[Formula] = set()
        self.differ: dict[Formula, str] = {}
        names = self._outputs()
        is_found = bool(names)
        if not is_found and len(call.outputs) == 1:
            names = self._only_upstream()
        self._gradients(names)
        if self.same and not is_found:  # other maps have other outputs
            self.differ = {
                each: how
                for each, how in self.differ.items()
                if each.is_gradient or each.name in names.values()
            }

    def _outputs(self) -> dict[int, str]:
        """The names of the outputs that maps agree with."""
        names: dict[int, str] = {}
        maps = {
            each: self._value(each)
            for each in self._group
            if not each.is_gradient and each.name not in self._call.inputs
        }
        for k, output in enumerate(self._call.outputs):
            for each, value in maps.items():
                if each.name not in names.values() and _same(value, output):
                    names[k] = each.name
                    self.same.add(each)
                    break
        for k, output in enumerate(self._call.outputs):
            for each, value in maps.items() if k not in names else ():
                if each not in self.same:
                    self._note(each, value, output)
        return names

    def _only_upstream(self) -> dict[int, str]:
        """The name of the one output, by its gradient, where no map has it."""
        names = {
            name.removeprefix("bar ")
            for each in self._group
            if each.is_gradient
            for name in each.symbols
            if name.startswith("bar ")
        } - self._call.inputs.keys()
        return {0: names.pop()} if len(names) == 1 else {}

    def _gradients(self, names: dict[int, str]) -> None:
        call = self._call
        for k, name in names.items():
            self._given.setdefault(name, call.outputs[k])
            if call.upstream:
                self._given[f"bar {name}"] = call.upstream[k]
        upstream = {f"bar {name}" for name in names.values()}
        downstream = dict(zip(call.inputs, call.downstream))
        for each in self._group:
            there = downstream.get(each.name.removeprefix("bar "))
            if there is None or not each.is_gradient or not upstream & each.symbols:
                continue
            with suppress(IndexError):  # of an array with fewer elements
                self._note(each, self._value(each), there[each.element])

    def _note(self, formula: Formula, value: Array, there: Array) -> None:
        same = _same(value, there)
        if same:
            self.same.add(formula)
        elif same is False:
            how = f"{_few(value)}, and the program gives {_few(there)}"
            self.differ[formula] = how

    def _value(self, formula: Formula) -> Array:
        """None where what is given does not fit it, or does not say enough."""
        given = {n: v for n, v in self._given.items() if v is not None}
        stated = {each.name: each for each in self._group}
        inputs = formula.section.inputs
        seen, names = {formula.name}, [*formula.symbols]
        arrays = {}
        while names:
            name = names.pop()
            if name in given and name != formula.name:
                arrays[name] = given[name]
            elif name in inputs:
                return None
            elif name in stated and name not in seen:
                names += stated[name].symbols
            elif name not in seen:  # what a local factor is made of, nobody tells
                names += given.keys() & inputs
            seen.add(name)
        leading = set()
        for name, array in arrays.items():
            rank = len(formula.section.shape(name.removeprefix("bar ")))
            if array.ndim > rank == (single := array.squeeze()).ndim:
                array = arrays[name] = single  # as a column, or with its axes kept
            if array.ndim or rank:
                leading.add(array.shape[: max(array.ndim - rank, 0)])
        refused = (Unclear, ValueError, TypeError, ZeroDivisionError)
        with suppress(*refused), np.errstate(invalid="ignore"):
            return formula.at(arrays) if len(leading) < 2 else None
        return None


def _same(value: Array, there: Array) -> bool | None:
    """Whether they are, where the formula has a value: at a kink it may have none.
    None where they cannot be compared."""
    if value is None or there is None:
        return None
    value, there = value.squeeze(), there.squeeze()
    if value.shape != there.shape:
        return None
    has = np.isfinite(value)
    if not has.any():
        return None
    size = CLOSE * np.max(np.abs(there[has]), initial=0)
    return np.allclose(value[has], there[has], CLOSE, size, equal_nan=True)


def _few(array: Array) -> str:
    text = np.array2string(
        np.asarray(array), precision=6, threshold=8, max_line_width=999
    )
    return " ".join(text.split())
