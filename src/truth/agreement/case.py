"""The formulas of one section, evaluated at what a program had once."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import numpy as np

from algebra.meaning import Unclear

from ..formulas.evaluate import Rule as Formula
from .programs import Array, Arrays, Call, Seen, Site

CLOSE = 1e-5
"""What float32 may do."""


def compared(
    group: list[Formula], site: Site
) -> tuple[set[Formula], set[Formula], set[Formula], dict[Formula, str]]:
    """The formulas of one section that agree with a function in all calls that have
    their names, those through which they do, those that are another than what has
    their name, and what those that do not agree say instead."""
    same: set[Formula] = set()
    through: set[Formula] = set()
    refuted: set[Formula] = set()
    differ: dict[Formula, str] = {}
    for call in site.calls:
        case: _Case
        if isinstance(call, Seen):
            case = _OfNames(group, call)
        else:
            case = _OfRule(group, call)
            if not case.same and len(call.inputs) == 1:
                case = _by_another_name(group, call) or case
        same |= case.same
        through |= case.through
        refuted |= case.refuted
        differ = {**case.differ, **differ}
    return same - differ.keys(), through - differ.keys(), refuted, differ


def _by_another_name(group: list[Formula], call: Call) -> "_Case | None":
    """Where that agrees with something; it contradicts nothing."""
    [value] = call.inputs.values()
    names = {name for each in group if len(each.symbols) == 1 for name in each.symbols}
    for name in sorted(names - call.inputs.keys()):
        its = {name: each for each in call.downstream.values()}  # noqa: B035
        other = replace(call, inputs={name: value}, downstream=its)
        case = _OfRule(group, other)
        if case.same:
            case.differ.clear()
            return case
    return None


class _Case:
    """The formulas of one section at what a program had once."""

    def __init__(self, group: list[Formula], names: Arrays) -> None:
        self._group = group
        symbols = {each.name for each in group}.union(
            *(names for each in group for names in each.alternatives)
        )
        found = {name: _called(name, names, symbols) for name in symbols}
        self._given = {name: a for name, a in found.items() if a is not None}
        self.same: set[Formula] = set()
        self.through: set[Formula] = set()
        self.refuted: set[Formula] = set()
        self.differ: dict[Formula, str] = {}
        self._through: dict[Formula, list[Formula]] = {}
        self._said: dict[Formula, str] = {}

    def _only_upstream(self) -> dict[int, str]:
        """The name of the one output, by its gradient, where no map has it."""
        names = {
            name.removeprefix("bar ")
            for each in self._group
            if each.is_gradient
            for name in each.symbols
            if name.startswith("bar ") and name not in self._given
        }
        return {0: names.pop()} if len(names) == 1 else {}

    def _compare(self, formula: Formula, there: Array) -> bool | None:
        """Whether it gives what is there; None where that cannot be told."""
        if there is None:
            return None
        found = None
        for arrays, whole, shape in self._readings(formula, there):
            if not any(map(_tells, (*arrays.values(), whole))):
                continue
            refused = (Unclear, ValueError, TypeError, ZeroDivisionError, IndexError)
            with suppress(*refused), np.errstate(invalid="ignore"):
                value, its = formula.at(arrays, shape), whole[formula.element]
                same = _same(value, its)
                if same:
                    self.same.add(formula)
                    self.through |= {*self._through[formula]}
                    return True
                if same is False and found is None and whole is there and not shape:
                    found = False
                    self._said[formula] = f"{_few(value)}, the program has {_few(its)}"
        return found

    def _contradict(self, formula: Formula, there: Array) -> None:
        if self._compare(formula, there) is False:
            self.differ[formula] = self._said[formula]

    def _readings(
        self, formula: Formula, there: np.ndarray
    ) -> Iterator[tuple[Arrays, np.ndarray, tuple[int, ...] | None]]:
        """What a formula needs and gives, and its shape where the page has another;
        also with all numbers of an array in a row, where the formula has one axis."""
        rank = _rank(formula, formula.name)
        own = there.squeeze() if there.ndim > rank == there.squeeze().ndim else there
        for symbols in formula.alternatives:
            arrays = self._needed(formula, symbols)
            if arrays is None:
                continue
            yield arrays, there, None
            if own.ndim >= rank:
                yield arrays, there, own.shape[own.ndim - rank :]
            flat = {name: _flat(a, _rank(formula, name)) for name, a in arrays.items()}
            if any(flat[name] is not arrays[name] for name in arrays):
                yield flat, _flat(there, rank), None

    def _needed(self, formula: Formula, symbols: frozenset[str]) -> Arrays | None:
        given, inputs = self._given, formula.section.inputs
        stated = {each.name: each for each in self._group}
        seen, names = {formula.name}, [*symbols]
        through = self._through[formula] = []
        arrays = {}
        while names:
            name = names.pop()
            if name in given and name != formula.name:
                arrays[name] = given[name]
            elif name in inputs:
                return None
            elif name in stated and name not in seen:
                names += stated[name].symbols
                through.append(stated[name])
            elif name not in seen:  # what a local factor is made of, nobody tells
                names += given.keys() & inputs
            seen.add(name)
        for name, array in arrays.items():
            rank = _rank(formula, name)
            if array.ndim > rank <= (single := array.squeeze()).ndim:
                arrays[name] = single  # as a column, or with its axes kept
        return arrays


class _OfRule(_Case):
    """Of a rule it is known which gradients belong to which inputs and outputs."""

    def __init__(self, group: list[Formula], call: Call) -> None:
        super().__init__(group, call.names())
        self._call = call
        names = self._outputs()
        if not names and len(call.outputs) == 1:
            names = self._only_upstream()
        self._gradients(names)

    def _outputs(self) -> dict[int, str]:
        """The names of the outputs that maps agree with."""
        names: dict[int, str] = {}
        maps = [
            each
            for each in self._group
            if not each.is_gradient and each.name not in self._call.inputs
        ]
        for k, output in enumerate(self._call.outputs):
            for each in maps:
                if each.name not in names.values() and self._compare(each, output):
                    names[k] = each.name
                    break
        for k, output in enumerate(self._call.outputs):
            for each in maps if k not in names else ():
                if each not in self.same:
                    self._contradict(each, output)
        return names

    def _gradients(self, names: dict[int, str]) -> None:
        call = self._call
        for k, name in names.items():
            if (output := call.outputs[k]) is not None:
                self._given.setdefault(name, output)
            if call.upstream and (upstream := call.upstream[k]) is not None:
                self._given[f"bar {name}"] = upstream
        for each in self._group:
            if each.is_gradient:
                self._contradict(each, self._given.get(each.name))


class _OfNames(_Case):
    """Of any function, what it returns may be what a formula says."""

    def __init__(self, group: list[Formula], call: Seen) -> None:
        super().__init__(group, call.names)
        upstream = [each for each in call.names if each.startswith("upstream")]
        if "upstream" in upstream:
            for name in self._only_upstream().values():
                self._given[f"bar {name}"] = call.names["upstream"]
        results = [*call.returned, call.names.get("downstream")]
        for each in group:
            if (there := self._given.get(each.name)) is not None:
                self._contradict(each, there)
                self.refuted |= {each} & self.differ.keys()
            elif each.is_gradient == bool(upstream):
                said = [self._compare(each, result) for result in results]
                if False in said and True not in said:
                    self.differ[each] = self._said[each]


def _rank(formula: Formula, name: str) -> int:
    return len(formula.section.shape(name.removeprefix("bar ")))


def _flat(array: np.ndarray, rank: int) -> np.ndarray:
    return array.ravel() if array.ndim > rank == 1 else array


def _called(name: str, names: Arrays, symbols: set[str]) -> Array:
    """What a program has for a symbol of a formula."""
    for each in _spellings(name):
        if each in names:
            return names[each]
    stem, _, number = name.rpartition("_")
    if stem and number.isdecimal() and stem not in symbols:
        array = _called(stem, names, symbols)
        place = int(number) - (f"{stem}_0".removeprefix("bar ") not in symbols)
        if array is not None and array.ndim and 0 <= place < len(array):
            return array[place]
    return None


def _spellings(name: str) -> list[str]:
    if name.startswith("bar "):
        its = _spellings(name.removeprefix("bar "))
        forms = ("{}_bar", "downstream_{}", "upstream_{}")
        return [form.format(each) for each in its for form in forms]
    accent, _, letter = name.rpartition(" ")
    name = f"{letter}_{accent}" if accent else letter
    plain = name.removeprefix("var")
    found = [name, f"{name}_", plain, plain.upper() * (len(plain) > 1)]
    found += [re.sub(r"_(\d+)$", r"\1", name)] + ["loss"] * (name == "L")
    return [each for each in dict.fromkeys(found) if each]


def _tells(array: np.ndarray) -> bool:
    """Whether few formulas give it: 0, 1 and -1 come of many."""
    return not np.isin(array.round(4), (-1, 0, 1)).all()


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
