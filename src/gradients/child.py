"""In the process of one program: judges the rules that it makes."""

import builtins
import contextlib
import json
import os
import signal
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from tracebook.snippet import Snippet
from vjpcheck.compare import Report
from vjpcheck.declared import Declared
from vjpcheck.directions import Wrong
from vjpcheck.function import STATIC, Function, Misdeclared, said
from vjpcheck.judge import Judge

from . import names, sites
from .check import WAITING, WRONG
from .names import prepared
from .observer import Observer, Rule
from .records import KEPT_CALLS
from .sites import Site

__all__ = ["begin", "prepared"]

RULES_OF_A_SITE = 12
"""Function objects that close over different things, at most."""
CALLS_OF_A_RULE = 3
"""Calls with different inputs, at most."""
SECONDS_FOR_A_CALL = 120
"""All threads' together, where the slowest call of the book takes some 2. How often
it is repeated is known beforehand; this ends what some inputs make endless."""


class TooLong(BaseException):
    """Nothing between may take it for an exception of the program's."""


class Unproven(Exception):
    """A rule of which nothing can be said."""


def begin(snippet: Snippet) -> Callable[[], dict]:
    """Watch the program that runs next; what is found of its rules when it ended, and
    what its functions had by name."""
    program, its = Program(snippet), names.Names()
    setattr(builtins, names.KEEP, its.keep)
    watching = program.observer.watch()
    watching.__enter__()

    def end() -> dict:
        watching.__exit__(None, None, None)
        return {"names": its.end(), "rules": program.findings()}

    return end


class Program:
    """One program, and what is found of its rules."""

    def __init__(self, snippet: Snippet) -> None:
        waiting = json.loads(os.environ.get(WAITING, "[]"))
        self._is_waiting = snippet.name in waiting
        self._wrong = getattr(snippet, "wrong", snippet.path.parent.name == WRONG)
        try:
            self.sites = sites.find(snippet.source)
        except SyntaxError:  # which ends the program
            self.sites = []
        self.declared, self._problems = sites.declared(snippet.source, self.sites)
        self.observer = Observer(sys.argv[0], self.sites, snippet.line)

    def findings(self) -> list[dict]:
        """Of each site what holds or does not; of each declaration that is not
        understood, and each rule that no decorator makes, that it fails."""
        found = [
            {"line": line, "text": "declaration", "state": "failed", "detail": how}
            for line, how in self._problems
        ]
        found += [
            {
                "line": line,
                "text": "rule",
                "state": "failed",
                "detail": "made here, but not by name: write the decorator out",
            }
            for line in sorted(set(self.observer.strays))
        ]
        found += [self._finding(n, site) for n, site in enumerate(self.sites)]
        return sorted(found, key=lambda each: each["line"])

    def _finding(self, n: int, site: Site) -> dict:
        declared = with_defaults(self.declared[site], site)
        shall_hold = declared.right or not self._wrong
        report = Report()
        wrong = None
        if self._is_waiting:
            return self._verdict(site, "not run", "", 0, False)
        try:
            _limit(SECONDS_FOR_A_CALL)
            report.repeated = sum(
                record.repeat() for record in self.observer.records[site]
            )
            for judge in self._judges(n, site, declared, report, shall_hold):
                _limit(SECONDS_FOR_A_CALL)
                with contextlib.closing(judge):
                    judge.all()
            if shall_hold:
                report.demand_enough(declared)
        except Wrong as reason:
            wrong = str(reason)
        except (Unproven, Misdeclared, TooLong) as reason:
            wrong, shall_hold = str(reason), True
        except Exception as error:
            wrong, shall_hold = f"cannot be checked: {said(error)}", True
        finally:
            _limit(0)
        if shall_hold:
            state = "failed" if wrong else "tried"
            how = wrong or _how(declared, report)
        else:
            state = "tried" if wrong else "failed"
            how = (
                f"wrong, as it shall be: {wrong}"
                if wrong
                else "the rule is right: declare '# truth: the rule is right'"
            )
        if declared.clauses:
            how += f"; declared: {'; '.join(declared.clauses)}"
        on_purpose = state == "tried" and not shall_hold
        return self._verdict(site, state, how, report.slopes, on_purpose)

    def _verdict(
        self, site: Site, state: str, how: str, cases: int, on_purpose: bool
    ) -> dict:
        return {
            "line": site.line,
            "text": site.what,
            "state": state,
            "detail": how,
            "calls": [
                call
                for record in self.observer.records[site]
                for call in record.as_json()
            ][:KEPT_CALLS],
            "cases": cases,
            "expected_failure": on_purpose,
        }

    def _judges(
        self, n: int, site: Site, declared: Declared, report: Report, shall_hold: bool
    ) -> Iterator[Judge]:
        rules = _distinct([each for each in self.observer.rules if each.site is site])
        if not rules:
            raise Unproven("this line never ran")
        called = [rule for rule in rules if rule.calls]
        if not called:
            raise Unproven("never called")
        # A program that is wrong on purpose shows the fault last, and one call that
        # shows it is enough.
        turn = 1 if shall_hold else -1
        for i, rule in [*enumerate(called[:RULES_OF_A_SITE])][::turn]:
            seen = set()
            for k, call in [*enumerate(some(rule.calls))][::turn]:
                shapes = tuple((each.dtype, each.shape) for each in call.leaves)
                yield Judge(
                    call,
                    declared,
                    report,
                    np.random.default_rng([n, i, k]),
                    nested=rule.nested,
                    first=shapes not in seen,
                    far=shall_hold and shapes not in seen,
                )
                seen.add(shapes)


def _limit(seconds: int) -> None:
    """Interrupt what computes longer; 0 for no limit any more."""

    def stop(*_: object) -> None:
        raise TooLong(
            f"computes for more than {seconds} s at some inputs; declare a"
            " condition that bounds them"
        )

    if hasattr(signal, "setitimer"):
        # The processor's time, which does not pass while others work.
        signal.signal(signal.SIGPROF, stop)
        signal.setitimer(signal.ITIMER_PROF, seconds)


def with_defaults(declared: Declared, site: Site) -> Declared:
    if site.maker == "grad_pass_through" and not declared.intends_another:
        return replace(declared, surrogate="lambda *inputs: inputs")
    return declared


def _distinct(rules: list[Rule]) -> list[Rule]:
    """One of those with the same code that close over the same; called ones first."""
    first: dict[tuple, Rule] = {}
    for rule in sorted(rules, key=lambda rule: not rule.calls):
        cells = getattr(rule.function, "__closure__", None) or ()
        code = getattr(rule.function, "__code__", rule.function)
        first.setdefault((code, *map(_kind_of_cell, cells)), rule)
    return list(first.values())


def _kind_of_cell(cell: types.CellType) -> object:
    try:
        value = cell.cell_contents
    except ValueError:  # not yet filled
        return None
    if isinstance(value, (*STATIC, float)):
        return value
    return getattr(value, "__code__", type(value))


def some(calls: list[Function]) -> list[Function]:
    """Calls with different inputs, first and last among them."""
    different = list(
        {
            repr([(each.dtype, each.shape, each.value) for each in call.leaves]): call
            for call in calls
        }.values()
    )
    if len(different) <= CALLS_OF_A_RULE:
        return different
    return [
        different[i * (len(different) - 1) // (CALLS_OF_A_RULE - 1)]
        for i in range(CALLS_OF_A_RULE)
    ]


def _how(declared: Declared, report: Report) -> str:
    of = declared.surrogate or "the forward pass"
    counted = {
        "in {} other shape{}": report.shapes,
        "with its second derivative at {} point{}": report.second,
        "{} time{} between both sides of a kink": report.kinks,
        f"{{}} of {report.slopes} slopes not settled": report.unsettled,
        "as in {} call{} of the run": report.repeated,
    }
    return ", ".join(
        [
            f"equals differences of {of} at {report.points} points",
            f"in {' and '.join(sorted(report.precisions))}",
            "eagerly and inside tf.function" if report.graph else "eagerly",
            *["with slices of upstream"] * report.slices,
            *(
                text.format(count, "s" * (count > 1))
                for text, count in counted.items()
                if count
            ),
        ]
    )
