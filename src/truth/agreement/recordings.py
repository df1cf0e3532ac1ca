"""Recorded calls of the functions of programs."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gradients.client import GradientResult

from ..page import Page
from ..results import ProgramResult

WRONG = "wrong"
"""The folder of deliberately wrong programs."""

Array = np.ndarray | None
Arrays = dict[str, np.ndarray]


def _array(value: Any) -> Array:
    if isinstance(value, dict):
        return np.array(value["real"]) + 1j * np.array(value["imag"])
    array = np.array(value)
    return array if array.dtype.kind in "iufc" else None


def _arrays(values: dict[str, Any]) -> Arrays:
    arrays = {name: _array(value) for name, value in values.items()}
    return {name: array for name, array in arrays.items() if array is not None}


@dataclass
class RuleCall:
    """The inputs, outputs and gradients of one call of a custom gradient."""

    inputs: Arrays
    """Variables are inputs, too."""
    closed: Arrays
    """Values that the function takes from around it."""
    outputs: list[Array]
    upstream: list[Array]
    downstream: Arrays

    @classmethod
    def of(cls, record: dict[str, Any]) -> "RuleCall":
        closed = _arrays(record["closed"])
        inputs = dict(record["inputs"]) | {
            _variable_name(name, _array(value), closed): value
            for name, value in record["variables"].items()
        }
        downstream = _arrays(dict(zip(inputs, record["downstream"])))
        outputs, upstream = (
            list(map(_array, record[part])) for part in ("outputs", "upstream")
        )
        return cls(_arrays(inputs), closed, outputs, upstream, downstream)

    def names(self) -> Arrays:
        """Return all arrays by the names that formulas may use."""
        gradients = {f"downstream_{name}": a for name, a in self.downstream.items()}
        return self.closed | self.inputs | gradients


def _variable_name(variable: str, value: Array, closed: Arrays) -> str:
    """Return the name of a variable in the program, which TensorFlow may not know."""
    name = variable.partition(":")[0]
    if name in closed or value is None:
        return name
    names = [key for key, array in closed.items() if np.array_equal(array, value)]
    return names[0] if len(names) == 1 else name


@dataclass
class FunctionCall:
    """The local values of a function when it returned, and its results."""

    names: Arrays
    returned: list[Array]

    @classmethod
    def of(cls, record: dict[str, Any]) -> "FunctionCall":
        return cls(_arrays(record["names"]), list(map(_array, record["returned"])))


@dataclass(frozen=True)
class RecordedFunction:
    """The calls of a custom gradient, or of another function."""

    location: str
    """``FILE:LINE`` of a custom gradient, or the name of a program."""
    rule: str
    """The name of the custom gradient, or an empty string."""
    calls: tuple[RuleCall, ...] | tuple[FunctionCall, ...] = field(compare=False)

    @property
    def program(self) -> str:
        return self.location.rpartition("/")[2].partition(":")[0]


def program_names(page: Page) -> list[str]:
    """Return the programs that a page includes, without deliberately wrong ones."""
    return [name for name in page.programs if WRONG not in name.split("/")]


def recorded_functions(
    programs: dict[str, ProgramResult], folder: str
) -> list[RecordedFunction]:
    """Return the recordings of custom gradients, then those of other functions.

    Args:
        programs: the results by the names of the programs.
        folder: the folder of the programs, for messages.
    """
    rules = [
        RecordedFunction(
            f"{folder}/{name}:{gradient.line}", gradient.text, _calls(gradient)
        )
        for name, program in programs.items()
        for gradient in program.gradients
        if not gradient.expected_failure
    ]
    return rules + [
        RecordedFunction(name, "", tuple(map(FunctionCall.of, calls)))
        for name, program in programs.items()
        for calls in program.local_values
    ]


def _calls(gradient: GradientResult) -> tuple[RuleCall, ...]:
    calls = map(RuleCall.of, gradient.calls)
    return tuple(c for c in calls if all(array.size for array in c.inputs.values()))
