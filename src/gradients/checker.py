"""An observer of tracebook: check the custom gradients of a program when it ended."""

import builtins
import contextlib
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from tracebook.snippet import Snippet
from vjpcheck.core import GradientError, Result
from vjpcheck.function import STATIC, Function, Misdeclared, describe
from vjpcheck.rule import Rule
from vjpcheck.situations import Situations

from .client import POSTPONED, WRONG
from .declared import Declared
from .definitions import Definition, find_definitions, read_declarations
from .local_values import BUILTIN, LocalValues, prepared
from .observer import CustomGradient, Observer
from .recording import MOST_CALLS

__all__ = ["ProgramChecker", "begin", "prepared"]

MOST_FUNCTIONS = 12
"""Function objects of one definition that are checked, at most."""
MOST_DIFFERENT_CALLS = 3
"""Calls of one function object that are checked, at most."""
SECONDS_FOR_A_CALL = 300
"""Processor time for the check of one call, which may be endless for some inputs."""

HIDDEN = "made here, but not by name: write the decorator out"


class TooLong(BaseException):
    """A call took too long. The program can't catch it as an exception of its own."""


class Uncheckable(Exception):
    """A custom gradient that can't be checked."""


def begin(snippet: Snippet) -> Callable[[], dict]:
    """Observe a program, and return a function to call when it has ended.

    The function returns an ``Observation`` as JSON.
    """
    checker, local_values = ProgramChecker(snippet), LocalValues()
    setattr(builtins, BUILTIN, local_values.record)
    observing = contextlib.ExitStack()
    observing.enter_context(checker.observer.observe())

    def end() -> dict:
        observing.close()
        return {"local_values": local_values.end(), "gradients": checker.results()}

    return end


class ProgramChecker:
    """The checks of the custom gradients of one program."""

    def __init__(self, snippet: Snippet) -> None:
        self._is_postponed = snippet.name in json.loads(os.environ.get(POSTPONED, "[]"))
        self._is_wrong = snippet.path.parent.name == WRONG
        try:
            self.definitions = find_definitions(snippet.source)
        except SyntaxError:  # which ends the program
            self.definitions = []
        self.declared, self._problems = read_declarations(
            snippet.source, self.definitions
        )
        self.observer = Observer(sys.argv[0], self.definitions, snippet.line)

    def results(self) -> list[dict]:
        """Return a ``GradientResult`` as JSON for each definition, for each declaration
        that isn't understood, and for each line with a hidden custom gradient."""
        problems = [(line, "declaration", message) for line, message in self._problems]
        problems += [(line, "rule", HIDDEN) for line in {*self.observer.hidden_lines}]
        results = [
            {"line": line, "text": text, "state": "failed", "detail": message}
            for line, text, message in problems
        ]
        results += map(self._result, self.definitions)
        return sorted(results, key=lambda result: result["line"])

    def _result(self, definition: Definition) -> dict:
        recorded = self.observer.recorded_calls[definition]
        calls = [part for call in recorded for part in call.as_json()]
        result = {
            "line": definition.line,
            "text": definition.text,
            "state": "not run",
            "detail": "",
            "calls": calls[:MOST_CALLS],
        }
        if self._is_postponed:
            return result
        declared = with_defaults(self.declared[definition], definition)
        must_be_right = declared.right or not self._is_wrong
        outcome, message = self._check(definition, declared)
        passed = outcome == ("right" if must_be_right else "wrong")
        if outcome == "right" and not must_be_right:
            message = "the rule is right: declare '# truth: the rule is right'"
        elif passed and not must_be_right:
            message = f"wrong, as it shall be: {message}"
        if declared.clauses:
            message += f"; declared: {'; '.join(declared.clauses)}"
        return result | {
            "state": "tried" if passed else "failed",
            "detail": message,
            "expected_failure": passed and not must_be_right,
        }

    def _check(self, definition: Definition, declared: Declared) -> tuple[str, str]:
        """Return ``right``, ``wrong`` or ``unchecked``, and a message."""
        result, repeated = Result(), 0
        try:
            _limit(SECONDS_FOR_A_CALL)
            for recorded in self.observer.recorded_calls[definition]:
                repeated += recorded.repeat()
            for check in self._checks(definition, declared, result):
                _limit(SECONDS_FOR_A_CALL)
                with contextlib.closing(check):
                    Situations(check).run()
            if declared.right or not self._is_wrong:
                result.demand_enough()
        except GradientError as problem:
            return "wrong", str(problem)
        except (Uncheckable, Misdeclared, TooLong) as error:
            return "unchecked", str(error)
        except Exception as error:
            return "unchecked", f"cannot be checked: {describe(error)}"
        finally:
            _limit(0)
        return "right", _summary(declared, result, repeated)

    def _checks(
        self, definition: Definition, declared: Declared, result: Result
    ) -> Iterator[Rule]:
        """Yield a check for each call that is to be checked."""
        must_be_right = declared.right or not self._is_wrong
        number = self.definitions.index(definition)
        gradients = _distinct(
            [each for each in self.observer.gradients if each.definition is definition]
        )
        if not gradients:
            raise Uncheckable("this line never ran")
        called = [gradient for gradient in gradients if gradient.calls]
        if not called:
            raise Uncheckable("never called")
        # A deliberately wrong program shows its mistake in the last call, and one wrong
        # call is enough.
        step = 1 if must_be_right else -1
        for i, gradient in [*enumerate(called[:MOST_FUNCTIONS])][::step]:
            checked = set()
            for k, call in [*enumerate(different_calls(gradient.calls))][::step]:
                shapes = tuple((leaf.dtype, leaf.shape) for leaf in call.leaves)
                is_first = shapes not in checked
                is_far = must_be_right and is_first
                made = declared.call(call)
                yield Rule(
                    made,
                    declared.options(
                        call, gradient.is_nested, "broadcast" if is_far else False
                    ),
                    result,
                    np.random.default_rng([number, i, k]),
                    first=is_first,
                    far=is_far,
                )
                checked.add(shapes)


def _limit(seconds: int) -> None:
    """Interrupt a computation that takes more processor time; 0 lifts the limit."""

    def stop(*_: object) -> None:
        raise TooLong(
            f"computes for more than {seconds} s at some inputs; declare a"
            " condition that bounds them"
        )

    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGPROF, stop)
        signal.setitimer(signal.ITIMER_PROF, seconds)


def with_defaults(declared: Declared, definition: Definition) -> Declared:
    """Return what is declared of a definition, or what its decorator implies."""
    if definition.kind == "grad_pass_through" and not (
        declared.surrogate or declared.becomes
    ):
        return replace(declared, surrogate="lambda *inputs: inputs")
    return declared


def _distinct(gradients: list[CustomGradient]) -> list[CustomGradient]:
    """Return the first of those with equal code and captured values, called ones
    first."""
    first: dict[tuple, CustomGradient] = {}
    for gradient in sorted(gradients, key=lambda gradient: not gradient.calls):
        function = gradient.function
        key = [getattr(function, "__code__", function)]
        for cell in getattr(function, "__closure__", None) or ():
            with contextlib.suppress(ValueError):  # it isn't filled yet
                value = cell.cell_contents
                is_static = isinstance(value, (*STATIC, float))
                kind = getattr(value, "__code__", type(value))
                key.append(value if is_static else kind)
        first.setdefault(tuple(key), gradient)
    return [*first.values()]


def different_calls(calls: list[Function]) -> list[Function]:
    """Return a few calls with different inputs, the first and the last among them."""
    by_inputs = {
        repr([(leaf.dtype, leaf.shape, leaf.value) for leaf in call.leaves]): call
        for call in calls
    }
    different = [*by_inputs.values()]
    if len(different) <= MOST_DIFFERENT_CALLS:
        return different
    steps = MOST_DIFFERENT_CALLS - 1
    return [different[i * (len(different) - 1) // steps] for i in range(steps + 1)]


def _summary(declared: Declared, result: Result, repeated: int) -> str:
    """Return what was compared: ``equals differences of the forward pass at …``."""
    reference = "differences of the forward pass"
    if declared.surrogate:
        reference = f"the gradient of {declared.surrogate}"
    parts = [
        f"equals {reference} at {result.points} points",
        f"in {' and '.join(sorted(result.dtypes))}",
        "eagerly and inside tf.function" if result.graph else "eagerly",
    ]
    if result.slices:
        parts.append("with slices of upstream")
    if result.order > 1:
        parts.append("with its second derivative")
    for text, count in (
        ("in {} other shape{}", result.shapes),
        ("{} time{} between both sides of a kink", result.kinks),
        (f"{{}} of {result.compared} slopes not settled", result.unsettled),
        ("as in {} call{} of the run", repeated),
    ):
        if count:
            parts.append(text.format(count, "s" * (count > 1)))
    return ", ".join(parts)
