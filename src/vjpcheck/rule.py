"""A call of a custom gradient: what it reads, its precisions, and its gradients."""

from functools import partial
from itertools import cycle

import numpy as np
import tensorflow as tf

from . import points
from .arrays import normal, point_text
from .core import Arrays, GradientError, Result, Undecided, reworded
from .function import (
    Function,
    Misdeclared,
    Refused,
    as_arrays,
    demanded,
    describe,
    runs_widely,
)
from .options import Options
from .state import State

ROUNDING = {tf.float16: 1e-3, tf.bfloat16: 8e-3}
"""Of a number, relative; 1e-7 in all wider dtypes."""


class Rule:
    """One call of a custom gradient, to be repeated elsewhere.

    Raises GradientError, in whichever method, when the gradient is wrong.
    """

    def __init__(
        self,
        function: Function,
        options: Options,
        result: Result,
        rng: np.random.Generator,
        first: bool = True,
        far: bool = True,
    ) -> None:
        self.function, self.options, self.result = function, options, result
        self.rng, self.is_first, self.is_far = rng, first, far
        self.state = State(function)
        self.domain = points.Domain(function, options.where, rng)
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise

    def _prepare(self) -> None:
        """Find out what the function reads, and in which dtypes it computes."""
        self.here = self._start()
        self._find_variables()
        function = self.function
        if not function.moving:
            raise Undecided("no argument can have a gradient")
        self.names = [function.leaves[i].name for i in function.moving]
        self._find_precisions()
        self.sides = points.sides(function, self.rng)
        self.next_side = cycle(self.sides or [1.0])

    def _start(self) -> Arrays:
        """Return the point of the program's call, or a random one for a graph."""
        if self.domain.fill():
            start = self.function.start()
            return self.domain.draw(points.FAR, start, double=False) or start
        start = [
            np.where(np.isfinite(array), array, normal(self.rng, array))
            if each.moves
            else array
            for each, array in zip(self.function.leaves, self.function.start())
        ]
        if not self.domain.promised(start, strict=True):
            raise Misdeclared("the arguments themselves don't meet the conditions")
        return start

    def _find_variables(self) -> None:
        """Move what the function reads beside its inputs, too."""
        function = self.function
        try:
            self.state.find_variables(function.tensors(self.here, double=False))
        except Refused as error:
            if "grad_fn" in str(error):  # TensorFlow blames the gradient function
                raise GradientError(str(error)) from error
            raise Undecided(f"the forward pass: {error}") from error
        self.here = [*self.here, *function.start()[len(self.here) :]]

    def _find_precisions(self) -> None:
        """Find out what can be computed in float64."""
        function = self.function
        tensors = function.tensors(self.here, double=True)
        is_wide = not function.has_narrow_variable
        function.in_double = is_wide and runs_widely(partial(function.outputs, tensors))
        both_passes = partial(function.both_passes, tensors)
        self.double = function.in_double and runs_widely(both_passes)
        # Close to 1, even wide numbers are coarse: so it is tried elsewhere, too.
        other = self.domain.draw(points.FAR, self.here, True) or self.here
        roundings = map(self.domain.rounding, (self.here, other))
        self._inner_rounding = min(roundings) if function.in_double else 0.0
        if self._inner_rounding:
            self.double = function.in_double = False

    def demand_finite(self) -> None:
        """Raise Undecided if the function isn't finite at the arguments."""
        if not self.domain.holds(self.here, self.double):
            raise Undecided("at the arguments, the function isn't finite")

    def close(self) -> None:
        """Put back what the calls changed."""
        self.state.close()

    def tolerance(self, double: bool) -> tuple[float, float]:
        """Return the relative tolerances of the gradient, and of the values that are
        differentiated; in float64, or in the dtypes of the program."""
        rounding, rtol = self.rounding, self.options.rtol
        rel = 1e-6 if rtol is None else rtol
        noise = 1e-9 if double and self.function.in_double else max(1e-5, 10 * rounding)
        return rel if double else max(rtol or 1e-4, 30 * rounding), noise

    @property
    def rounding(self) -> float:
        """The relative rounding of a number in the dtypes of the program."""
        dtypes = self.function.dtypes(double=False)
        return max(self._inner_rounding, *(ROUNDING.get(each, 1e-7) for each in dtypes))

    def rounded(self, point: Arrays) -> Arrays:
        """Return the point in the dtypes of the program."""
        rounded = list(point)
        for i in self.function.moving:
            dtype = self.function.leaves[i].dtype.as_numpy_dtype
            rounded[i] = point[i].astype(dtype).astype(point[i].dtype)
        return rounded

    def random(self, like: tf.Tensor, size: float = 1.0) -> tf.Tensor:
        """Return random numbers in the shape and dtype of a tensor."""
        numbers = size * normal(self.rng, like.numpy())
        return tf.constant(numbers.astype(like.dtype.as_numpy_dtype))

    def random_upstream(self, point: Arrays, double: bool) -> list[tf.Tensor]:
        return [self.random(each) for each in self.outputs(point, double)]

    def outputs(self, point: Arrays, double: bool) -> list[tf.Tensor]:
        with demanded():
            return self.function.outputs_at(point, double)

    def draw_near(self) -> Arrays | None:
        """Return a point near the arguments."""
        return self.domain.draw(points.NEAR, self.here, self.double)

    def gradients(
        self, point: Arrays, upstream: list, double: bool, eagerly: bool = False
    ) -> Arrays:
        """Return the gradients at a point. Raises GradientError for a wrong form."""
        function = self.function
        run = function.both_passes if eagerly else function.gradients
        try:
            gradients = run(function.tensors(point, double), upstream)
        except Refused as error:
            raise Undecided(f"the forward pass: {error}") from error
        except Exception as error:
            raise GradientError(
                f"{self.at(point)}: the gradient function raises {describe(error)}"
            ) from error
        return self.as_arrays(gradients, point, double)

    def as_arrays(self, gradients: list, point: Arrays, double: bool) -> Arrays:
        with reworded(lambda message: f"{self.at(point)}: {message}"):
            return as_arrays(gradients, self.function.specs(point, double), self.names)

    def at(self, point: Arrays) -> str:
        """Return a point as text."""
        leaves = self.function.leaves
        shown = [i for i, leaf in enumerate(leaves) if leaf.dtype is not None]
        return point_text([leaves[i].name for i in shown], [point[i] for i in shown])
