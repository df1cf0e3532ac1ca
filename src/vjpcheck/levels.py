"""The derivatives of a function, by order and mode, beside finite differences.

Only NumPy is needed: an adapter for a framework subclasses ``FunctionAtPoint``.
"""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .arrays import as_text, dtype_name, element, flat, normal, unflat
from .core import (
    AT_MOST,
    Arrays,
    GradientError,
    Result,
    Undecided,
    demand_form,
    demand_numbers,
    describe,
)
from .slopes import Slope, pair, scaled_slope

MODES = ("rev", "fwd")
RTOL = {"float32": 1e-4, "complex64": 1e-4, "float16": 0.03, "bfloat16": 0.24}
"""By the dtypes of the arguments; 1e-6 in all wider dtypes."""
NOISE = {"float16": 1e-2, "bfloat16": 8e-2, "float32": 1e-5, "complex64": 1e-5}
"""Of a value from which a finite difference is computed, relative; else 1e-9."""
STREAM = 0x76_6A_70
"""Of the random numbers: nobody's arguments are drawn from the same."""


class FunctionAtPoint(ABC):
    """A function at one point, and how its framework differentiates."""

    names: list[str]
    """Of the arguments that move."""
    values: Arrays
    """These arguments, in the widest dtypes."""
    dtypes: list[str]
    widens: bool = True
    """Whether the function may be computed in float64."""
    conjugates: ClassVar[bool] = False
    """Whether a complex gradient is the conjugate of the direction of steepest
    ascent, as in JAX."""
    nests_forward: ClassVar[bool] = True
    """Whether forward-mode derivatives can be differentiated again."""
    bugs: ClassVar[tuple[type[Exception], ...]] = ()
    """What the framework raises about itself."""

    def inputs(self, arrays: Arrays, double: bool) -> list:
        """Return the arguments at other values, in the widest dtypes if ``double``."""
        dtypes = map(wide, self.dtypes) if double else self.dtypes
        return [self.tensor(array, dtype) for array, dtype in zip(arrays, dtypes)]

    def precision(self, double: bool) -> AbstractContextManager:
        """Return a context in which the framework computes in float64."""
        return nullcontext()

    def array(self, tensor: Any) -> np.ndarray:
        """Return a tensor as an array."""
        return np.asarray(tensor)

    @abstractmethod
    def tensor(self, array: np.ndarray, dtype: str) -> Any:
        """Return an array as a tensor."""

    @abstractmethod
    def run(self, inputs: list) -> list:
        """Return the outputs that can have a derivative."""

    @abstractmethod
    def vjp(self, run: Callable, inputs: list, upstream: list) -> list:
        """Return the gradients of ``run`` with respect to all inputs."""

    @abstractmethod
    def jvp(self, run: Callable, inputs: list, tangents: list) -> list:
        """Return the forward-mode derivatives of all outputs of ``run``."""


@dataclass(frozen=True)
class Level:
    """The function, or one of its derivatives, as a function of a list of tensors."""

    name: str
    order: int
    run: Callable[[list], list]
    names: list[str]
    values: Arrays
    """Of the arguments, in the widest dtypes."""
    dtypes: list[str]


def check(
    problem: FunctionAtPoint,
    order: int,
    modes: Sequence[str],
    *,
    atol: float = 0.0,
    rtol: float | None = None,
    eps: float | None = None,
) -> Result:
    """Compare all derivatives up to an order: see ``check_grads``."""
    if order < 1 or not modes or not set(modes) <= set(MODES):
        raise ValueError(f"order must be at least 1, and modes among {MODES}")
    demand_numbers(problem.values)
    result = Result()
    LevelCheck(problem, result, modes, atol, rtol, eps).run(order)
    result.points, result.dtypes = 1, {"/".join(sorted({*problem.dtypes}))}
    result.demand_enough()
    return result


class LevelCheck:
    """The comparisons of one function at one point."""

    def __init__(
        self,
        problem: FunctionAtPoint,
        result: Result,
        modes: Sequence[str],
        atol: float,
        rtol: float | None,
        eps: float | None,
    ) -> None:
        self._problem, self._result, self._modes = problem, result, modes
        self._atol, self._rtol, self._eps = atol, rtol, eps
        self._rng = np.random.default_rng([STREAM, 0])
        names, dtypes = problem.names, problem.dtypes
        self._first = Level("f", 0, problem.run, names, problem.values, dtypes)

    def run(self, order: int) -> None:
        """Compare all derivatives up to this order. Raises GradientError."""
        values = self._flat(self._outputs(self._first))
        if not np.isfinite(values).all():
            raise Undecided(f"{self._at(self._first)}: not all values are finite")
        self._compare(self._first, order)

    def _flat(self, tensors: list, is_gradient: bool = False) -> np.ndarray:
        """Return the numbers of tensors in a row, for real inner products."""
        arrays = [self._problem.array(tensor) for tensor in tensors]
        conjugates = is_gradient and self._problem.conjugates
        return flat([np.conj(array) for array in arrays] if conjugates else arrays)

    def _outputs(self, level: Level) -> list:
        return level.run(self._tensors(level, level.values, double=False))

    def _tensors(self, level: Level, arrays: Arrays, double: bool) -> list:
        """Return the arguments of a level at other values."""
        count = len(self._first.values)
        more = [
            self._problem.tensor(array, wide(dtype) if double else dtype)
            for array, dtype in zip(arrays[count:], level.dtypes[count:])
        ]
        return self._problem.inputs(arrays[:count], double) + more

    # Derivatives.

    def _compare(self, level: Level, order: int) -> None:
        """Compare the derivatives of a level in each mode, and theirs."""
        outputs = self._outputs(level)
        slopes = self._slopes(level)
        for mode in self._modes:
            is_rev = mode == "rev"
            derivative = self._rev(level, outputs) if is_rev else self._fwd(level)
            before, unsettled = self._result.compared, self._result.unsettled
            compare = self._compare_rev if is_rev else self._compare_fwd
            try:
                compare(level, derivative, slopes, outputs)
                compared = self._result.compared - before
                unknown = self._result.unsettled - unsettled
                if unknown > max(min(1, len(slopes) - 1), compared / 10):
                    raise Undecided(
                        f"finite differences don't determine {unknown} of {compared}"
                        " derivatives: move args away from where the function isn't"
                        " smooth, or choose eps"
                    )
            except GradientError as wrong:
                text = f"{derivative.name}: {wrong}"
                if "fwd" in text and "Error" in text:  # the framework's, maybe
                    text += '; modes=("rev",) leaves forward mode out'
                raise type(wrong)(text) from wrong
            self._result.order = max(self._result.order, derivative.order)
            if order > 1 and (is_rev or self._problem.nests_forward):
                self._compare(derivative, order - 1)

    def _rev(self, level: Level, outputs: list) -> Level:
        """Return its gradients, as a function of its inputs and upstream."""
        count = len(level.values)

        def run(sources: list) -> list:
            inputs, ups = sources[:count], sources[count:]
            gradients = self._problem.vjp(level.run, inputs, ups)
            for name, gradient, like in zip(level.names, gradients, inputs):
                demand_form(name, gradient, like)
            return gradients

        return self._derivative("rev", level, run, "upstream", outputs)

    def _fwd(self, level: Level) -> Level:
        """Return its tangents, as a function of its inputs and their tangents."""
        count = len(level.values)

        def run(sources: list) -> list:
            return self._problem.jvp(level.run, sources[:count], sources[count:])

        inputs = self._tensors(level, level.values, double=False)
        return self._derivative("fwd", level, run, "tangent", inputs)

    def _derivative(
        self, mode: str, level: Level, run: Callable, name: str, like: list
    ) -> Level:
        more = [self._problem.array(self._random(each)) for each in like]
        return Level(
            mode if level is self._first else f"{mode} of {level.name}",
            level.order + 1,
            run,
            level.names + [f"{name}[{n}]" for n in range(len(like))],
            level.values + [each.astype(wide(each.dtype.name)) for each in more],
            level.dtypes + [dtype_name(each) for each in like],
        )

    def _random(self, like: Any) -> Any:
        dtype = dtype_name(like)
        array = normal(self._rng, np.zeros(like.shape, wide(dtype)))
        return self._problem.tensor(array, dtype)

    def _at(self, level: Level) -> str:
        pairs = zip(level.names, level.values)
        return "at " + ", ".join(f"{name} = {as_text([each])}" for name, each in pairs)

    # Finite differences.

    def _slopes(self, level: Level) -> list[tuple[str, np.ndarray, Slope]]:
        """Return directions, their names, and the finite differences along them."""
        point = flat(level.values)
        double = self._problem.widens and self._runs_widely(level)

        def outputs(arrays: Arrays) -> list:
            with self._problem.precision(double):
                return level.run(self._tensors(level, arrays, double))

        start = outputs(level.values)
        center, dtypes = self._flat(start), [each.dtype for each in start]

        def values(row: np.ndarray) -> np.ndarray:
            try:
                moved = outputs(unflat(row, level.values))
            except GradientError:  # the domain ends here
                return np.full(1, np.nan)
            # An output of another dtype is another function.
            is_same = [each.dtype for each in moved] == dtypes
            return self._flat(moved) if is_same else np.full(1, np.nan)

        slopes = [
            (name, row, scaled_slope(values, center, point, row, double, self._eps))
            for name, row in self._directions(level, point.size)
        ]
        self._tensors(level, level.values, double=False)  # variables were moved
        narrow = max(NOISE.get(dtype, 1e-9) for dtype in level.dtypes)
        self._noise = 1e-9 if double else narrow
        return slopes

    def _runs_widely(self, level: Level) -> bool:
        """Return whether float64 goes in and comes out."""
        try:
            with self._problem.precision(True):
                outputs = level.run(self._tensors(level, level.values, True))
        except Exception:
            return False
        dtypes = [dtype_name(each) for each in outputs]
        return dtypes == [wide(dtype) for dtype in dtypes]

    def _directions(self, level: Level, total: int) -> list[tuple[str, np.ndarray]]:
        if total > AT_MOST:
            mixtures = self._rng.standard_normal((AT_MOST, total)) / np.sqrt(total)
            # A wrong number shows more clearly among fewer.
            block = np.arange(total) * (AT_MOST // 2) // total
            for n in range(AT_MOST // 2):
                mixtures[n] *= (block == n) * np.sqrt(AT_MOST // 2)
            return [("a random combination of all inputs", row) for row in mixtures]
        names = [
            element(name, array, n)
            for name, array in zip(level.names, level.values)
            for n in range(flat([array]).size)
        ]
        return list(zip(names, np.eye(total)))

    def _compare_rev(
        self, level: Level, derivative: Level, slopes: list, outputs: list
    ) -> None:
        for n, (name, row, slope) in enumerate(slopes):
            ups = [self._random(each) for each in outputs]
            # Of either sign, and zero once.
            for factor in (1, -3) if n else (1, -3, 0):
                trial = [factor * each for each in ups]
                shown = as_text([self._problem.array(each) for each in trial])
                weights = self._flat(trial, is_gradient=True)
                gradients = self._run(derivative, level, trial)
                actual = self._flat(gradients, is_gradient=True)
                place = f"{self._at(level)} with upstream = {shown}"
                place = f"{place}: the gradient with respect to {name}"
                self._pair(level, weights, slope, actual, row, place)

    def _compare_fwd(
        self, level: Level, derivative: Level, slopes: list, _: list
    ) -> None:
        for name, row, slope in slopes:
            tangents = [
                self._problem.tensor(array, dtype)
                for array, dtype in zip(unflat(row, level.values), level.dtypes)
            ]
            moved = self._flat(self._run(derivative, level, tangents))
            size = slope.center.size
            mixtures = self._rng.standard_normal((2, size)) / np.sqrt(size or 1)
            place = f"{self._at(level)}: the forward-mode derivative"
            place = f"{place} with respect to {name}"
            for weight in np.eye(size) if size <= AT_MOST else mixtures:
                self._pair(level, weight, slope, moved, weight, place)

    def _pair(
        self,
        level: Level,
        upstream: np.ndarray,
        slope: Slope,
        actual: np.ndarray,
        moved: np.ndarray,
        place: str,
    ) -> None:
        rtol = self._rtol
        if rtol is None:
            rtol = max(RTOL.get(dtype, 1e-6) for dtype in level.dtypes)
            rtol *= 1 if level is self._first else 10
        noise = self._noise / (slope.size if self._noise < 1e-8 else 1)
        # In a narrow dtype, the largest element determines the rounding of all.
        rounding = max(NOISE.get(dtype, 0.0) for dtype in level.dtypes) / 10
        atol = self._atol + rounding * abs(actual).max(initial=0.0)
        pairing = pair(upstream, slope, actual, moved, rtol, noise, atol)
        if pairing.verdict == "wrong":
            raise GradientError(
                f"{place} is {pairing.actual:.6g}, but finite differences give"
                f" {pairing.expected}"
            )
        self._result.compared += 1
        self._result.kinks += pairing.at_kink
        self._result.unsettled += pairing.verdict == "unknown"

    def _run(self, derivative: Level, level: Level, more: list) -> list:
        try:
            sources = self._tensors(level, level.values, double=False)
            return derivative.run([*sources, *more])
        except GradientError:
            raise
        except self._problem.bugs as error:
            raise Undecided(f"{self._at(level)}: {describe(error)}") from error
        except Exception as error:
            message = f"{self._at(level)}: it raises {describe(error)}"
            raise GradientError(message) from error


def wide(dtype: str) -> str:
    """Return the widest dtype of the same kind."""
    return "complex128" if dtype.startswith("complex") else "float64"


def named_arguments(f: Callable, args: tuple) -> dict[str, Any]:
    """Return the arguments by the names of the parameters: ``x``, ``inputs[0]``."""
    try:
        signature = inspect.signature(f)
        bound = signature.bind(*args).arguments
    except (TypeError, ValueError):
        return {f"args[{n}]": value for n, value in enumerate(args)}
    named: dict[str, Any] = {}
    for name, value in bound.items():
        if signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
            named |= {f"{name}[{n}]": part for n, part in enumerate(value)}
        else:
            named[name] = value
    return named
