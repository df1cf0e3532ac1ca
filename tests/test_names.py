"""What a program's functions had by name when they returned, and how it is kept."""

import builtins
from types import ModuleType
from typing import Any

import pytest
import tensorflow as tf

from gradients import names

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
    its, main = names.Names(), ModuleType("__main__")
    monkeypatch.setattr(builtins, names.KEEP, its.keep, raising=False)
    monkeypatch.setitem(__import__("sys").modules, "__main__", main)
    program: Any = names.prepared(PROGRAM)
    exec(compile(program, "program.py", "exec"), main.__dict__)
    return its.end()


def test_each_function_tells_its_names_and_what_it_returns(calls):
    program, scaled, double = calls
    assert scaled[0] == {
        "names": {"c": 3.0, "x": 1.0, "y": 3.0, "its_a": 3.0, "its_b": [1.0, 3.0]},
        "returned": [3.0],
    }
    assert double[0] == {"names": {"x": 3.0}, "returned": [6.0]}
    assert program[0]["names"] == {"c": 3.0, "total": [6, 12, 12, 18, 24], "graph": 6.0}


def test_a_few_calls_are_kept_and_none_twice(calls):
    assert [each["names"]["x"] for each in calls[1]] == [1.0, 2.0, 3.0]
    assert len(calls[2]) == names.CALLS


def test_large_arrays_and_graphs_are_not_kept():
    its = names.Names()
    large = tf.zeros([names.NUMBERS + 1])
    assert its.keep((1, 0), large, {"x": large}) is large
    tf.function(lambda x: its.keep((2, 0), x, {"x": x}), autograph=False)(1.0)
    assert its.keep((3, 0), "word", {"x": "word"}) == "word"
    assert its._calls[1, 0] == its._calls[2, 0] == its._calls[3, 0] == []


def test_a_program_without_sense_is_left_as_it_is():
    assert names.prepared("def") == "def"
