"""How pytest runs the tests of claims: one setting of Hypothesis, one record.

``pytest tests/claims/guide/tape.py`` runs the tests of one page. ``python -m truth`` does
the same, and asks for a record of what was tried.
"""

import functools
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import hypothesis
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import HealthCheck
from hypothesis.internal.conjecture import providers
from tensorflow.python.ops import variable_scope  # no public name resets the device

from tests.harness import places, programs, results
from tests.harness.results import Tried

EXAMPLES = 8
"""Examples that Hypothesis tries for each combination of parameters."""

hypothesis.settings.register_profile(
    "claims",
    max_examples=EXAMPLES,
    derandomize=True,
    database=None,
    deadline=None,
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)
hypothesis.settings.load_profile("claims")
hypothesis.settings.register_profile("weekly", max_examples=80, derandomize=False)
# Hypothesis also draws numbers from the project's modules that are imported, so the
# examples of a test would depend on the tests that ran before it.
providers.is_local_module_file = functools.cache(lambda path: False)


@dataclass
class Record:
    """What the test of one claim tried."""

    test: str
    line: int
    runs: int = 0
    """Combinations of parameters, and examples of Hypothesis."""
    tried: Tried = field(default_factory=Tried)
    passed: set[int] = field(default_factory=set)
    """The lines of the assertions that passed."""
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def as_json(self) -> dict:
        """Return the fields, with sorted lists for sets."""
        tried = {
            name: value if name == "cases" else sorted(value)
            for name, value in vars(self.tried).items()
        }
        tried["contrasts"] = [*self.tried.contrasts]
        tried["cases"] = max(self.runs, self.tried.cases)
        return {**vars(self), "tried": tried, "passed": sorted(self.passed)}


_records: dict[str, Record] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record", type=Path, help="write what was tried, as JSON")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        line = item.function.__code__.co_firstlineno
        name = item.originalname
        _count_examples(item.obj, _records.setdefault(name, Record(name, line)))


def _count_examples(test: object, record: Record) -> None:
    """Have a test of Hypothesis count its examples."""
    handle = getattr(test, "hypothesis", None)
    if handle is None or hasattr(handle.inner_test, "counts"):
        return
    inner = handle.inner_test

    @functools.wraps(inner)
    def counted(*arguments, **keywords):
        record.runs += 1
        return inner(*arguments, **keywords)

    counted.counts = True
    handle.inner_test = counted


@pytest.fixture(autouse=True, scope="module")
def _fresh_start() -> Iterator[None]:
    """Undo what the tests of another page left behind."""
    tf.random.set_seed(0)
    np.random.seed(0)
    # A tf.map_fn or tf.scan that raises in a graph leaves a caching device behind.
    variable_scope.get_variable_scope()._caching_device = None
    yield
    tf.config.run_functions_eagerly(False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item):
    record = _records[item.originalname]
    results.tried.clear()
    began = time.perf_counter()
    try:
        return (yield)
    finally:
        record.runs += not hasattr(item.obj, "hypothesis")
        record.seconds += time.perf_counter() - began
        record.tried.add(results.tried)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo):
    report = yield
    if not report.passed:  # a test that is skipped tries nothing
        failures = _records[item.originalname].failures
        failures.append(f"{item.name}: {_last_line(call)}")
    return report


def pytest_assertion_pass(item: pytest.Item, lineno: int) -> None:
    _records[item.originalname].passed.add(lineno)


def _last_line(call: pytest.CallInfo) -> str:
    error = call.excinfo.value
    notes = " ".join(getattr(error, "__notes__", ()))
    line = next((e.lineno + 1 for e in reversed(call.excinfo.traceback)), 0)
    first = f"{type(error).__name__}: {error}".partition("\n")[0]
    return f"line {line}: {first} {notes}".strip()


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Fail a test whose contrast no case has reached, and drop its graphs."""
    if nextitem is not None and nextitem.originalname == item.originalname:
        return
    places.forget_graphs()
    programs.forget_programs()
    record = _records[item.originalname]
    is_selection = item.config.option.keyword or "[" in " ".join(item.config.args)
    if not record.tried.contrasts and not record.failures and not is_selection:
        pytest.fail(f"{item.originalname} reached no contrast", pytrace=False)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if path := session.config.option.record:
        path.write_text(json.dumps([record.as_json() for record in _records.values()]))
    _records.clear()
