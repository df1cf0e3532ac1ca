"""The derivatives of a function, by order and mode, beside finite differences."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import tensorflow as tf

from .compare import Report, as_text
from .declared import Choice, chosen
from .directions import AT_MOST, Undecided, Wrong, number_of
from .function import Function, describe, flat, unflat, wide
from .levels import RTOL, Level, Levels
from .passes import Passes
from .rule_check import runs_widely
from .slopes import Slope, pair, scaled_slope

MODES = ("rev", "fwd")
NOISE = {"float16": 1e-2, "bfloat16": 8e-2, "float32": 1e-5, "complex64": 1e-5}
"""Of a value from which a finite difference is computed, relative; else 1e-9."""


@dataclass
class Result:
    """How much a check compared, and what is wrong. A result without problems is true,
    as in ``if result:``."""

    problems: list[str] = field(default_factory=list)
    """A message for each problem."""
    undecided: bool = False
    """True if one of the problems is that too little could be compared."""
    compared: int = 0
    """The number of derivatives that the check tried to compare."""
    kinks: int = 0
    """How many of these are at a kink, where the check accepts a range of values."""
    unsettled: int = 0
    """How many of these stayed undecided, because their finite differences were too
    inaccurate."""
    report: Report | None = None
    """The report of ``check_rule``, if it was called."""

    def __bool__(self) -> bool:
        return not self.problems


class Check(Levels):
    """One function at one point. Raises Undecided if nothing can be compared there."""

    def __init__(
        self,
        call: Function,
        result: Result,
        modes: Sequence[str],
        fast: bool,
        atol: Choice,
        rtol: Choice,
        eps: Choice,
        rng: np.random.Generator,
    ) -> None:
        super().__init__(call, rng)
        self._result, self._fast = result, fast
        self._atol, self._rtol, self._eps = atol, rtol, eps
        self._upstream: list[np.ndarray] | None = None
        self._tangent: list[np.ndarray] | None = None
        self._modes = [mode for mode in modes if mode == "rev" or not self.is_complex]
        if modes and not self._modes:
            raise ValueError("TensorFlow's forward mode needs real arguments")
        self.demand_finite()

    def use(self, upstream: Any, tangent: Any) -> None:
        """Take these instead of random ones. Raises ValueError if they don't fit."""
        outputs = [each.numpy() for each in self.outputs(self.first)]
        inputs = len(self.call.inputs)
        moving = [
            array for i, array in zip(self.call.moving, self.first.values) if i < inputs
        ]
        if upstream is not None:
            self._upstream = _fitting("upstream", upstream, outputs)
        if tangent is not None:
            self._tangent = _fitting("tangent", tangent, moving)

    def level(self, level: Level, order: int) -> None:
        """Compare the derivatives of this function in each mode, and theirs."""
        if not self._modes:
            return
        outputs = self.outputs(level)
        slopes = self._slopes(level, outputs)
        for mode in self._modes:
            is_rev = mode == "rev"
            derivative = self.rev(level, outputs) if is_rev else self.fwd(level)
            try:
                if is_rev:
                    self._compare_rev(level, derivative, slopes, outputs)
                else:
                    self._compare_fwd(level, derivative, slopes)
            except Wrong as wrong:
                self._result.problems.append(f"{derivative.name}: {wrong}")
                self._result.undecided |= isinstance(wrong, Undecided)
                continue
            if order > 1:
                self.level(derivative, order - 1)

    def passes(self, tol: float | None, batched: bool, jit_compile: bool) -> None:
        """Compare backward passes that must give the same gradient."""
        zero = "rev" in self._modes and self._upstream is None
        self._result.problems += Passes(self).problems(tol, batched, jit_compile, zero)

    def _slopes(
        self, level: Level, outputs: list
    ) -> list[tuple[str, np.ndarray, Slope]]:
        """Along each direction, its name and the finite differences."""
        point, total = flat(level.values), flat(level.values).size

        def wide_run() -> list:
            return level.run(self.tensors(level, level.values, True))

        double = self.can_widen and _runs(wide_run)
        if double:
            outputs = wide_run()
        center, dtypes = flat(outputs), [each.dtype for each in outputs]

        def values(row: np.ndarray) -> np.ndarray:
            try:
                arrays = unflat(row, level.values)
                moved = level.run(self.tensors(level, arrays, double))
            except Wrong:  # the domain ends here
                return np.full(1, np.nan)
            # An output of another dtype is another function.
            is_same = [each.dtype for each in moved] == dtypes
            return flat(moved) if is_same else np.full(1, np.nan)

        eps = chosen(self._eps, {(wide(d) if double else d).name for d in level.dtypes})
        slopes = [
            (name, row, scaled_slope(values, center, point, row, double, eps))
            for name, row in self._directions(level, total)
        ]
        self.sources(level)  # variables were moved
        self._noise = (
            1e-9 if double else max(NOISE.get(d.name, 1e-9) for d in level.dtypes)
        )
        return slopes

    def _directions(self, level: Level, total: int) -> list[tuple[str, np.ndarray]]:
        if self._tangent is not None and level is self.first:
            rest = level.values[len(self._tangent) :]  # variables stay as they are
            row = flat([*self._tangent, *map(np.zeros_like, rest)])
            return [("the tangent", row)]
        if self._fast or total > AT_MOST:
            mixtures = self.rng.standard_normal((1 if self._fast else AT_MOST, total))
            return [
                ("a random combination of all inputs", row / np.sqrt(total))
                for row in mixtures
            ]
        names = [
            number_of(name, array, n)
            for name, array in zip(level.names, level.values)
            for n in range(flat([array]).size)
        ]
        return list(zip(names, np.eye(total)))

    def _compare_rev(
        self, level: Level, derivative: Level, slopes: list, outputs: list
    ) -> None:
        before = replace(self._result)
        for name, row, slope in slopes:
            ups = [self.random(each) for each in outputs]
            trials = [ups, [-3 * each for each in ups]]  # of either sign
            if self._upstream is not None and level is self.first:
                pairs = zip(self._upstream, outputs)
                trials = [[tf.cast(up, each.dtype) for up, each in pairs]]
            for ups in trials:
                gradients = flat(self._run(derivative, level, ups))
                place = f"{self.place(level)} with upstream = {as_text(ups)}"
                place = f"{place}: the gradient with respect to {name}"
                self._pair(level, flat(ups), slope, gradients, row, place)
        self._demand_enough(len(slopes), before)

    def _compare_fwd(self, level: Level, derivative: Level, slopes: list) -> None:
        before = replace(self._result)
        count = 0
        for name, row, slope in slopes:
            tangents = [
                tf.cast(array, dtype)
                for array, dtype in zip(unflat(row, level.values), level.dtypes)
            ]
            moved = flat(self._run(derivative, level, tangents))
            size = slope.center.size
            weights = (
                np.eye(size)
                if size <= AT_MOST
                else self.rng.standard_normal((2, size)) / np.sqrt(size)
            )
            count += len(weights)
            place = f"{self.place(level)}: the forward-mode derivative"
            place = f"{place} with respect to {name}"
            for weight in weights:
                self._pair(level, weight, slope, moved, weight, place)
        self._demand_enough(count, before)

    def _pair(
        self,
        level: Level,
        upstream: np.ndarray,
        slope: Slope,
        actual: np.ndarray,
        moved: np.ndarray,
        place: str,
    ) -> None:
        dtypes = {each.name for each in level.dtypes}
        rtol = chosen(self._rtol, dtypes)
        if rtol is None:
            rtol = max(RTOL.get(each, 1e-6) for each in dtypes)
            rtol *= 1 if level is self.first else 10
        atol = chosen(self._atol, dtypes) or 0.0
        noise = self._noise / (slope.size if self._noise < 1e-8 else 1)
        pairing = pair(upstream, slope, actual, moved, rtol, noise, atol)
        if pairing.verdict == "wrong":
            raise Wrong(
                f"{place} is {pairing.actual:.6g}, but finite differences give"
                f" {pairing.expected}"
            )
        self._result.compared += 1
        self._result.kinks += pairing.at_kink
        self._result.unsettled += pairing.verdict == "unknown"

    def _demand_enough(self, count: int, before: Result) -> None:
        """Raise Undecided if too few derivatives of one level and mode, which were
        compared since ``before``, are determined."""
        unknown = self._result.unsettled - before.unsettled
        compared = self._result.compared - before.compared
        if unknown > max(min(1, count - 1), compared / 10):
            raise Undecided(
                f"finite differences don't determine {unknown} of"
                f" {compared} derivatives: move args away from where the"
                " function isn't smooth, or choose eps"
            )

    def _run(self, derivative: Level, level: Level, more: list) -> list:
        try:
            return derivative.run([*self.sources(level), *more])
        except Wrong:
            raise
        except Exception as error:
            message = f"{self.place(level)}: it raises {describe(error)}"
            raise Wrong(message) from error


def _fitting(name: str, value: Any, like: list[np.ndarray]) -> list[np.ndarray]:
    """Return the parts of a value, in wide dtypes. Raises ValueError for other shapes
    than those of ``like``."""
    parts = [np.asarray(part) for part in tf.nest.flatten(value)]
    shapes, wanted = ([each.shape for each in arrays] for arrays in (parts, like))
    if shapes != wanted:
        raise ValueError(f"{name} has the shapes {shapes}, not {wanted}")
    return [
        part.astype(np.result_type(part, np.float64))
        if part.dtype.kind == "c"
        else part.astype(np.complex128 if np.iscomplexobj(array) else np.float64)
        for part, array in zip(parts, like)
    ]


def _runs(run: Callable[[], list]) -> bool:
    try:
        return runs_widely(run)
    except Wrong:
        return False
