"""What the programs of a page did: calls of their rules, and what their functions had
by name, as it is on record."""

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..page import Page
from ..results import Program

WRONG = "wrong"
"""The folder of programs that are wrong on purpose."""

Array = np.ndarray | None
Arrays = dict[str, np.ndarray]


def _array(said: Any) -> Array:
    if isinstance(said, dict):
        return np.array(said["real"]) + 1j * np.array(said["imag"])
    array = np.array(said)
    return array if array.dtype.kind in "iufc" else None


def _arrays(said: dict[str, Any]) -> Arrays:
    found = {name: _array(value) for name, value in said.items()}
    return {name: value for name, value in found.items() if value is not None}


@dataclass
class Call:
    """What a rule was given and gave in one call."""

    inputs: Arrays
    """Variables are some, too."""
    closed: Arrays
    outputs: list[Array]
    upstream: list[Array]
    downstream: Arrays

    @classmethod
    def of(cls, said: dict[str, Any]) -> "Call":
        closed = _arrays(said["closed"])
        inputs = dict(said["inputs"]) | {
            _named(name, _array(value), closed): value
            for name, value in said["variables"].items()
        }
        downstream = _arrays(dict(zip(inputs, said["downstream"])))
        outputs, upstream = (
            list(map(_array, said[part])) for part in ("outputs", "upstream")
        )
        return cls(_arrays(inputs), closed, outputs, upstream, downstream)

    @property
    def is_empty(self) -> bool:
        return any(not each.size for each in self.inputs.values())

    def names(self) -> Arrays:
        gradients = {f"downstream_{name}": a for name, a in self.downstream.items()}
        return self.closed | self.inputs | gradients


def _named(variable: str, value: Array, closed: Arrays) -> str:
    """The name by which a program finds a variable; it may have another of its own."""
    name = variable.partition(":")[0]
    same = (
        []
        if value is None
        else [n for n, a in closed.items() if np.array_equal(a, value)]
    )
    return same[0] if name not in closed and len(same) == 1 else name


@dataclass
class Seen:
    """What a function had by name when it returned, and what it returned."""

    names: Arrays
    returned: list[Array]

    @classmethod
    def of(cls, said: dict[str, Any]) -> "Seen":
        return cls(_arrays(said["names"]), list(map(_array, said["returned"])))


@dataclass(frozen=True)
class Site:
    """One rule of a program, or one of its functions."""

    where: str
    what: str
    calls: tuple[Call, ...] | tuple[Seen, ...] = field(compare=False)

    @property
    def name(self) -> str:
        return self.where.rpartition("/")[2].partition(":")[0]


def shown(page: Page) -> list[str]:
    """The programs of a page that are to agree with it: those that are not wrong on
    purpose."""
    return [
        name
        for name in dict.fromkeys(page.included_names)
        if name.endswith(".py") and WRONG not in name.split("/")
    ]


def sites(programs: dict[str, Program]) -> list[Site]:
    """Their rules, and their functions."""
    rules = [
        Site(each.location, each.text, _calls(each.calls))
        for program in programs.values()
        for each in program.rules or ()
        if each.kind == "rule" and not each.expected_failure
    ]
    return rules + [
        Site(name, "", tuple(map(Seen.of, calls)))
        for name, program in programs.items()
        for calls in json.loads(program.names or "[]")
    ]


def _calls(said: str) -> tuple[Call, ...]:
    calls = map(Call.of, json.loads(said or "[]"))
    return tuple(each for each in calls if not each.is_empty)
