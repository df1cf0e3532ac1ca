"""The derivatives of a function, by order and mode, beside finite differences.

Only NumPy is needed: an adapter for a framework subclasses ``DerivativeCheck``.
"""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from .arrays import dtype_name, flat, normal, point_text, unflat, wide
from .core import (
    AT_MOST,
    OF_ALL,
    Arrays,
    Comparison,
    Direction,
    GradientError,
    Result,
    Undecided,
    demand_form,
    demand_numbers,
    describe,
    each_element,
    reworded,
)

MODES = ("rev", "fwd")
RTOL = {"float32": 1e-4, "complex64": 1e-4, "float16": 0.03, "bfloat16": 0.24}
"""By the dtypes of the arguments; 1e-6 in all wider dtypes."""
NOISE = {"float16": 1e-2, "bfloat16": 8e-2, "float32": 1e-5, "complex64": 1e-5}
"""Of a value from which a finite difference is computed, relative; else 1e-9."""
FACTORS = (1.0, -3.0, 0.0, 1.0)
"""Of random upstream gradients."""
STREAM = 0x76_6A_70
"""Of the random numbers: nobody's arguments are drawn from the same."""


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

    def __str__(self) -> str:
        return point_text(self.names, self.values)

    def complaint(self, problem: str) -> str:
        """Return a message about a problem of this level."""
        text = f"{self.name}: {problem}"
        if "fwd" in text and "Error" in text:  # the framework's, maybe
            text += '; modes=("rev",) leaves forward mode out'
        return text


class DerivativeCheck(ABC):
    """A function at one point, and how its framework differentiates."""

    names: list[str]
    """Of the arguments that move."""
    values: Arrays
    """These arguments, in the widest dtypes."""
    dtypes: list[str]
    widens = True
    """Whether the function may be computed in float64."""
    conjugates = False
    """Whether complex gradients are conjugated, as in JAX."""
    nests_forward = True
    """Whether forward-mode derivatives can be differentiated again."""
    bugs: tuple[type[Exception], ...] = ()
    """What the framework raises about itself."""

    def inputs(self, arrays: Arrays, double: bool) -> list:
        """Return the arguments at other values, in the widest dtypes if ``double``."""
        dtypes = map(wide, self.dtypes) if double else self.dtypes
        return list(map(self.tensor, arrays, dtypes))

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

    def check(
        self,
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
        demand_numbers(self.values)
        self._modes, self._atol, self._rtol, self._eps = modes, atol, rtol, eps
        self._rng = np.random.default_rng([STREAM, 0])
        dtypes = {"/".join(sorted({*self.dtypes}))}
        self._result = result = Result(points=1, dtypes=dtypes)
        first = Level("f", 0, self.run, self.names, self.values, self.dtypes)
        if not np.isfinite(flat(self._arrays(self._outputs(first)))).all():
            raise Undecided(f"{first}: not all values are finite")
        self._compare(first, order)
        result.demand_enough()
        return result

    def _arrays(self, tensors: list) -> Arrays:
        return [self.array(tensor) for tensor in tensors]

    def _dual(self, arrays: Arrays) -> Arrays:
        """Return upstream gradients, or gradients, for real inner products."""
        return [np.conj(array) for array in arrays] if self.conjugates else arrays

    def _outputs(self, level: Level) -> list:
        return level.run(self._tensors(level, level.values, double=False))

    def _tensors(self, level: Level, arrays: Arrays, double: bool) -> list:
        """Return the arguments of a level at other values."""
        count = len(self.values)
        more = [
            self.tensor(array, wide(dtype) if double else dtype)
            for array, dtype in zip(arrays[count:], level.dtypes[count:])
        ]
        return self.inputs(arrays[:count], double) + more

    # Derivatives.

    def _compare(self, level: Level, order: int) -> None:
        """Compare the derivatives of a level in each mode, and theirs."""
        outputs, result = self._outputs(level), self._result
        comparison = self._differences(level)
        for mode in self._modes:
            derivative = self._derivative(mode, level, outputs)
            before, unsettled = result.compared, result.unsettled
            with reworded(derivative.complaint):
                if mode == "rev":
                    self._compare_rev(level, derivative, comparison, outputs)
                else:
                    self._compare_fwd(level, derivative, comparison)
                compared = result.compared - before
                unknown = result.unsettled - unsettled
                if unknown > max(min(1, len(comparison.along) - 1), compared / 10):
                    raise Undecided(
                        f"finite differences don't determine {unknown} of {compared}"
                        " derivatives: move args away from where the function isn't"
                        " smooth, or choose eps"
                    )
            result.order = max(result.order, derivative.order)
            if order > 1 and (mode == "rev" or self.nests_forward):
                self._compare(derivative, order - 1)

    def _derivative(self, mode: str, level: Level, outputs: list) -> Level:
        """Return the gradients of a level as a function of its inputs and upstream, or
        its tangents as a function of its inputs and theirs."""
        count, is_rev = len(level.values), mode == "rev"
        like = outputs if is_rev else self._tensors(level, level.values, double=False)

        def run(sources: list) -> list:
            inputs, more = sources[:count], sources[count:]
            if not is_rev:
                return self.jvp(level.run, inputs, more)
            gradients = self.vjp(level.run, inputs, more)
            for name, gradient, source in zip(level.names, gradients, inputs):
                demand_form(name, gradient, source)
            return gradients

        name, dtypes = "upstream" if is_rev else "tangent", list(map(dtype_name, like))
        more = self._arrays([self._random(each) for each in like])
        return Level(
            mode if level.name == "f" else f"{mode} of {level.name}",
            level.order + 1,
            run,
            level.names + [f"{name}[{n}]" for n in range(len(like))],
            level.values + [a.astype(wide(dtype)) for a, dtype in zip(more, dtypes)],
            level.dtypes + dtypes,
        )

    def _random(self, like: Any, factor: float = 1.0) -> Any:
        dtype = dtype_name(like)
        array = factor * normal(self._rng, np.zeros(like.shape, wide(dtype)))
        return self.tensor(array, dtype)

    # Finite differences.

    def _differences(self, level: Level) -> Comparison:
        """Return finite differences of a level along several directions."""
        double = self.widens and self._runs_widely(level)

        def outputs(arrays: Arrays) -> list:
            with self.precision(double):
                return level.run(self._tensors(level, arrays, double))

        center = outputs(level.values)
        dtypes = [each.dtype for each in center]

        def values(arrays: Arrays) -> Arrays | None:
            try:
                moved = outputs(arrays)
            except GradientError:  # the domain ends here
                return None
            # An output of another dtype is another function.
            is_same = [each.dtype for each in moved] == dtypes
            return self._arrays(moved) if is_same else None

        narrow = max(NOISE.get(dtype, 0.0) for dtype in level.dtypes)
        rtol = max(RTOL.get(dtype, 1e-6) for dtype in level.dtypes)
        comparison = Comparison(
            level.names,
            values,
            level.values,
            self._arrays(center),
            self._result,
            self._rng,
            self._rtol or (10 * rtol if level.order else rtol),
            1e-9 if double else max(narrow, 1e-9),
            double,
            self._atol,
            self._eps,
            narrow / 10,
        )
        comparison.add(self._directions(level))
        self._tensors(level, level.values, double=False)  # variables were moved
        return comparison

    def _runs_widely(self, level: Level) -> bool:
        """Return whether float64 goes in and comes out."""
        try:
            with self.precision(True):
                outputs = level.run(self._tensors(level, level.values, True))
        except Exception:
            return False
        dtypes = [dtype_name(each) for each in outputs]
        return dtypes == [wide(dtype) for dtype in dtypes]

    def _directions(self, level: Level) -> list[Direction]:
        total = flat(level.values).size
        if total <= AT_MOST:
            elements = each_element(level.names, level.values)
            return [(name, "", row) for name, _, row in elements]
        mixtures = self._rng.standard_normal((AT_MOST, total)) / np.sqrt(total)
        # A wrong number shows more clearly among fewer.
        block = np.arange(total) * (AT_MOST // 2) // total
        for n in range(AT_MOST // 2):
            mixtures[n] *= (block == n) * np.sqrt(AT_MOST // 2)
        return [(OF_ALL, "", row) for row in mixtures]

    def _compare_rev(
        self, level: Level, derivative: Level, comparison: Comparison, outputs: list
    ) -> None:
        for factor in FACTORS:
            upstream = [self._random(each, factor) for each in outputs]
            arrays = self._arrays(upstream)  # before a gradient function changes them
            gradients = self._arrays(self._run(derivative, level, upstream))
            comparison.demand(
                arrays, level.__str__, self._dual(gradients), self._dual(arrays)
            )

    def _compare_fwd(
        self, level: Level, derivative: Level, comparison: Comparison
    ) -> None:
        for along in comparison.along:
            moved = unflat(along.moved, level.values)
            tangents = list(map(self.tensor, moved, level.dtypes))
            actual = flat(self._arrays(self._run(derivative, level, tangents)))
            size = along.slope.center.size
            mixtures = self._rng.standard_normal((2, size)) / np.sqrt(size or 1)
            for weight in np.eye(size) if size <= AT_MOST else mixtures:
                with reworded(lambda message: f"{level}: {message}"):
                    comparison.demand_along(
                        along, weight, actual, weight, [], "forward-mode derivative"
                    )

    def _run(self, derivative: Level, level: Level, more: list) -> list:
        try:
            sources = self._tensors(level, level.values, double=False)
            return derivative.run([*sources, *more])
        except GradientError:
            raise
        except self.bugs as error:
            raise Undecided(f"{level}: {describe(error)}") from error
        except Exception as error:
            raise GradientError(f"{level}: it raises {describe(error)}") from error


def argument_names(f: Callable, args: tuple) -> list[str]:
    """Return the names of the parameters: ``x``, or ``args[0]`` where there is none."""
    try:
        parameters = [*inspect.signature(f).parameters.values()]
    except (TypeError, ValueError):
        parameters = []
    names = [each.name for each in parameters if each.kind < each.VAR_POSITIONAL]
    return [*names, *(f"args[{n}]" for n in range(len(names), len(args)))][: len(args)]
