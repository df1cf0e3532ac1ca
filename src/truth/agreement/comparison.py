"""Comparison of the equations of a section with the recorded calls of a function."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np

from algebra.errors import EvaluationError

from ..formulas.equations import Equation
from .recordings import Array, Arrays, FunctionCall, RecordedFunction, RuleCall

_TOLERANCE = 1e-5
"""The relative error of float32 computations."""
_NO_VALUE = (EvaluationError, ValueError, TypeError, ZeroDivisionError, IndexError)


@dataclass
class ComparisonResult:
    """The results of a comparison, by equation."""

    agreeing: set[Equation] = field(default_factory=set)
    steps: set[Equation] = field(default_factory=set)
    """Maps that were needed to evaluate the agreeing equations."""
    contradicted: set[Equation] = field(default_factory=set)
    """Equations that differ from a value of their own name."""
    differences: dict[Equation, str] = field(default_factory=dict)
    """Both values of each equation that does not agree."""


def compare(group: list[Equation], recording: RecordedFunction) -> ComparisonResult:
    """Compare equations with all calls of a function.

    An equation agrees if it does in at least one call, and differs in none.

    Args:
        group: the equations of one section.
        recording: the calls.
    """
    total = ComparisonResult()
    for call in recording.calls:
        result = _compare_call(group, call)
        total.agreeing |= result.agreeing
        total.steps |= result.steps
        total.contradicted |= result.contradicted
        total.differences = result.differences | total.differences
    total.agreeing -= total.differences.keys()
    total.steps -= total.differences.keys()
    return total


def _compare_call(
    group: list[Equation], call: RuleCall | FunctionCall
) -> ComparisonResult:
    if isinstance(call, FunctionCall):
        return _FunctionComparison(group, call).result
    result = _RuleComparison(group, call).result
    if not result.agreeing and len(call.inputs) == 1:
        return _by_another_name(group, call) or result
    return result


def _by_another_name(group: list[Equation], call: RuleCall) -> ComparisonResult | None:
    """Return the agreement of a call whose input has another name in the formulas."""
    [value] = call.inputs.values()
    names = {name for each in group if len(each.symbols) == 1 for name in each.symbols}
    for name in sorted(names - call.inputs.keys()):
        downstream = dict(zip([name], call.downstream.values()))
        renamed = replace(call, inputs={name: value}, downstream=downstream)
        result = _RuleComparison(group, renamed).result
        if result.agreeing:
            result.differences.clear()
            return result
    return None


class _CallComparison:
    """The equations of one section at the values of one call."""

    def __init__(self, group: list[Equation], names: Arrays) -> None:
        self._group = group
        self._defined = {equation.name: equation for equation in group}
        symbols = self._defined.keys() | {
            name for each in group for names in each.alternatives for name in names
        }
        arrays = {symbol: _lookup(symbol, names, symbols) for symbol in symbols}
        self._arrays = {name: a for name, a in arrays.items() if a is not None}
        self._steps: dict[Equation, list[Equation]] = {}
        self._details: dict[Equation, str] = {}
        self.result = ComparisonResult()

    def _only_upstream(self) -> dict[int, str]:
        """Return the name of the output if equations need one upstream gradient."""
        names = {
            name.removeprefix("bar ")
            for equation in self._group
            if equation.is_gradient
            for name in equation.symbols
            if name.startswith("bar ") and name not in self._arrays
        }
        return {0: names.pop()} if len(names) == 1 else {}

    def _compare(self, equation: Equation, recorded: Array) -> bool | None:
        """Return whether an equation gives an array; None if that cannot be decided."""
        if recorded is None:
            return None
        result = None
        for arrays, target, shape in self._readings(equation, recorded):
            if not any(map(_is_distinctive, (*arrays.values(), target))):
                continue
            with suppress(*_NO_VALUE), np.errstate(invalid="ignore"):
                value = equation.evaluate(arrays, shape)
                part = target[equation.element]
                agrees = _are_close(value, part)
                if agrees:
                    self.result.agreeing.add(equation)
                    self.result.steps |= {*self._steps[equation]}
                    return True
                is_plain = target is recorded and not shape
                if agrees is False and result is None and is_plain:
                    result = False
                    self._details[equation] = (
                        f"{_shortened(value)}, the program has {_shortened(part)}"
                    )
        return result

    def _contradict(self, equation: Equation, recorded: Array) -> None:
        if self._compare(equation, recorded) is False:
            self.result.differences[equation] = self._details[equation]

    def _readings(
        self, equation: Equation, recorded: np.ndarray
    ) -> Iterator[tuple[Arrays, np.ndarray, tuple[int, ...] | None]]:
        """Return the ways in which an equation may describe an array.

        Yields:
            Values for the equation, the array that it must give, and its shape if the
            page states another. If the page states one axis, an array with more of them
            may be flat.
        """
        rank = _rank(equation, equation.name)
        squeezed = recorded.squeeze()
        inner = squeezed if recorded.ndim > rank == squeezed.ndim else recorded
        for symbols in equation.alternatives:
            arrays = self._values_for(equation, symbols)
            if arrays is None:
                continue
            yield arrays, recorded, None
            if inner.ndim >= rank:
                yield arrays, recorded, inner.shape[inner.ndim - rank :]
            flat = {name: _flat(a, _rank(equation, name)) for name, a in arrays.items()}
            if any(flat[name] is not arrays[name] for name in arrays):
                yield flat, _flat(recorded, rank), None

    def _values_for(self, equation: Equation, symbols: frozenset[str]) -> Arrays | None:
        """Return the arrays for an equation, or None if an input has no value."""
        inputs = equation.section.inputs
        visited, names = {equation.name}, [*symbols]
        steps = self._steps[equation] = []
        arrays = {}
        while names:
            name = names.pop()
            if name in self._arrays and name != equation.name:
                arrays[name] = self._arrays[name]
            elif name in inputs:
                return None
            elif name in self._defined and name not in visited:
                names += self._defined[name].symbols
                steps.append(self._defined[name])
            elif name not in visited:
                # A local factor without an equation may depend on any input.
                names += self._arrays.keys() & inputs
            visited.add(name)
        for name, array in arrays.items():
            squeezed = array.squeeze()
            # A program may have a vector as a column, or keep the axes of a sum.
            if array.ndim > _rank(equation, name) <= squeezed.ndim:
                arrays[name] = squeezed
        return arrays


class _RuleComparison(_CallComparison):
    """A call of a custom gradient, whose gradients belong to its inputs and outputs."""

    def __init__(self, group: list[Equation], call: RuleCall) -> None:
        super().__init__(group, call.names())
        self._call = call
        names = self._name_outputs()
        if not names and len(call.outputs) == 1:
            names = self._only_upstream()
        self._compare_gradients(names)

    def _name_outputs(self) -> dict[int, str]:
        """Return the names of the outputs with which maps agree."""
        names: dict[int, str] = {}
        maps = [
            equation
            for equation in self._group
            if not equation.is_gradient and equation.name not in self._call.inputs
        ]
        for number, output in enumerate(self._call.outputs):
            for equation in maps:
                is_free = equation.name not in names.values()
                if is_free and self._compare(equation, output):
                    names[number] = equation.name
                    break
        for number, output in enumerate(self._call.outputs):
            for equation in maps if number not in names else ():
                if equation not in self.result.agreeing:
                    self._contradict(equation, output)
        return names

    def _compare_gradients(self, names: dict[int, str]) -> None:
        call = self._call
        for number, name in names.items():
            if (output := call.outputs[number]) is not None:
                self._arrays.setdefault(name, output)
            if call.upstream and (upstream := call.upstream[number]) is not None:
                self._arrays[f"bar {name}"] = upstream
        for equation in self._group:
            if equation.is_gradient:
                self._contradict(equation, self._arrays.get(equation.name))


class _FunctionComparison(_CallComparison):
    """A call of a function, which may return the value of any equation."""

    def __init__(self, group: list[Equation], call: FunctionCall) -> None:
        super().__init__(group, call.names)
        has_upstream = any(name.startswith("upstream") for name in call.names)
        if "upstream" in call.names:
            for name in self._only_upstream().values():
                self._arrays[f"bar {name}"] = call.names["upstream"]
        results = [*call.returned, call.names.get("downstream")]
        for equation in group:
            if (recorded := self._arrays.get(equation.name)) is not None:
                self._contradict(equation, recorded)
                self.result.contradicted |= {equation} & self.result.differences.keys()
            elif equation.is_gradient == has_upstream:
                agreements = [self._compare(equation, result) for result in results]
                if False in agreements and True not in agreements:
                    self.result.differences[equation] = self._details[equation]


def _rank(equation: Equation, name: str) -> int:
    return len(equation.section.shape(name.removeprefix("bar ")))


def _flat(array: np.ndarray, rank: int) -> np.ndarray:
    return array.ravel() if array.ndim > rank == 1 else array


def _lookup(symbol: str, names: Arrays, symbols: set[str]) -> Array:
    """Return the array of a program for a symbol of a formula."""
    for spelling in _spellings(symbol):
        if spelling in names:
            return names[spelling]
    stem, _, number = symbol.rpartition("_")
    if stem and number.isdecimal() and stem not in symbols:
        array = _lookup(stem, names, symbols)
        # Elements are counted from 0 if the formulas have x_0, and else from 1.
        place = int(number) - (f"{stem}_0".removeprefix("bar ") not in symbols)
        if array is not None and array.ndim and 0 <= place < len(array):
            return array[place]
    return None


def _spellings(symbol: str) -> list[str]:
    """Return the names that a program may have for a symbol."""
    if symbol.startswith("bar "):
        forms = ("{}_bar", "downstream_{}", "upstream_{}")
        names = _spellings(symbol.removeprefix("bar "))
        return [form.format(name) for name in names for form in forms]
    accent, _, letter = symbol.rpartition(" ")
    name = f"{letter}_{accent}" if accent else letter
    plain = name.removeprefix("var")
    without_underscore = re.sub(r"_(\d+)$", r"\1", name)
    names = [name, f"{name}_", plain, plain.upper() * (len(plain) > 1)]
    names += [without_underscore, "loss" * (name == "L")]
    return [each for each in dict.fromkeys(names) if each]


def _is_distinctive(array: np.ndarray) -> bool:
    """Return whether few formulas give an array: 0, 1 and -1 come of many."""
    return not np.isin(array.round(4), (-1, 0, 1)).all()


def _are_close(value: np.ndarray, recorded: np.ndarray) -> bool | None:
    """Return whether an array has the value of a formula; None if shapes differ.

    Elements at which the formula has no value, such as a kink, are left out.
    """
    value, recorded = value.squeeze(), recorded.squeeze()
    has_value = np.isfinite(value)
    if value.shape != recorded.shape or not has_value.any():
        return None
    value, recorded = value[has_value], recorded[has_value]
    tolerance = _TOLERANCE * np.max(np.abs(recorded), initial=0)
    return np.allclose(value, recorded, _TOLERANCE, tolerance, equal_nan=True)


def _shortened(array: np.ndarray) -> str:
    text = np.array2string(
        np.asarray(array), precision=6, threshold=8, max_line_width=999
    )
    return " ".join(text.split())
