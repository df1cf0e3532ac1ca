"""Promise: a few calls of each function are recorded, with small arrays only."""

import builtins
from types import ModuleType
from typing import Any

import pytest
import tensorflow as tf

from gradients import local_values
from gradients.local_values import LocalValues

pytestmark = pytest.mark.tools

PROGRAM = """
import tensorflow as tf
c = tf.constant(3.0)
def scaled(x):
    y = c * x
    words = "no number"
    its = {"a": y, "b": [x, c]}
    return y, words
double = lambda x: x + x
def nothing(x):
    x = 2.0 * x
total = [double(scaled(tf.constant(v))[0]) for v in (1.0, 2.0, 2.0, 3.0, 4.0)]
graph = tf.function(double)(c)
nothing(c)
"""


@pytest.fixture
def calls(monkeypatch) -> list[list[dict]]:
    recorder, main = LocalValues(), ModuleType("__main__")
    monkeypatch.setattr(builtins, local_values.BUILTIN, recorder.record, raising=False)
    monkeypatch.setitem(__import__("sys").modules, "__main__", main)
    program: Any = local_values.prepared(PROGRAM)
    exec(compile(program, "program.py", "exec"), main.__dict__)
    return recorder.end()


def test_each_function_reports_its_variables_and_what_it_returns(calls):
    program, scaled, double = calls
    assert scaled[0] == {
        "names": {"c": 3.0, "x": 1.0, "y": 3.0, "its_a": 3.0, "its_b": [1.0, 3.0]},
        "returned": [3.0],
    }
    assert double[0] == {"names": {"x": 3.0}, "returned": [6.0]}
    assert program[0]["names"] == {"c": 3.0, "total": [6, 12, 12, 18, 24], "graph": 6.0}


def test_a_few_calls_are_recorded_and_none_twice(calls):
    assert [each["names"]["x"] for each in calls[1]] == [1.0, 2.0, 3.0]
    assert len(calls[2]) == local_values.MOST_CALLS


def test_large_arrays_and_graphs_are_not_recorded():
    recorder = LocalValues()
    record = recorder.record
    large = tf.zeros([local_values.MOST_NUMBERS + 1])
    assert record((1, 0), large, {"x": large}) is large
    tf.function(lambda x: record((2, 0), x, {"x": x}), autograph=False)(1.0)
    assert record((3, 0), "word", {"x": "word"}) == "word"
    assert recorder.end() == []


def test_a_program_with_a_syntax_error_is_left_as_it_is():
    assert local_values.prepared("def") == "def"
