"""The derivatives of a function, by order and mode, beside finite differences."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import tensorflow as tf

from .arrays import as_text, element, flat, normal, unflat
from .core import AT_MOST, GradientError, Result, Undecided
from .function import (
    Function,
    as_tensors,
    demanded,
    describe,
    leaf_of,
    runs_widely,
    wide,
    widened,
)
from .slopes import Slope, pair, scaled_slope
from .state import State

MODES = ("rev", "fwd")
RTOL = {"float32": 1e-4, "complex64": 1e-4, "float16": 0.03, "bfloat16": 0.24}
"""By the dtypes of the arguments; 1e-6 in all wider dtypes."""
NOISE = {"float16": 1e-2, "bfloat16": 8e-2, "float32": 1e-5, "complex64": 1e-5}
"""Of a value from which a finite difference is computed, relative; else 1e-9."""


@dataclass(frozen=True)
class Level:
    """The function, or one of its derivatives, as a function of a list of tensors."""

    name: str
    order: int
    run: Callable[[list], list]
    names: list[str]
    values: list[np.ndarray]
    dtypes: list[tf.DType]
    """Of the arguments; ``values`` are in the widest."""


class LevelCheck:
    """One function at one point."""

    def __init__(
        self,
        call: Function,
        result: Result,
        modes: Sequence[str],
        rng: np.random.Generator,
        atol: float,
        rtol: float | None,
        eps: float | None,
    ) -> None:
        self._call, self._result, self._rng = call, result, rng
        self._atol, self._rtol, self._eps = atol, rtol, eps
        self._state = State(call.call)
        call.reset = self._state.again
        self._fixed = call.tensors(call.start(), double=False)
        self._first = self._function_itself()
        is_complex = any(each.is_complex for each in self._first.dtypes)
        self._modes = [mode for mode in modes if mode == "rev" or not is_complex]
        if not self._modes:
            raise ValueError("TensorFlow's forward mode needs real arguments")

    def _function_itself(self) -> Level:
        """Return the function of what can be moved: arguments, and variables."""
        call = self._call
        with tf.GradientTape() as tape:
            outputs = flat(self._values([self._fixed[i] for i in call.moving]))
        for variable in tape.watched_variables():
            self._state.add(variable, is_moved=True)
            call.leaves.append(leaf_of(variable))
        if not call.moving:
            raise Undecided("no argument is floating or complex")
        point = call.start()
        self._fixed = call.tensors(point, double=False)
        leaves = [call.leaves[i] for i in call.moving]
        # A narrow variable moves by steps of its own, whatever comes out.
        self._can_widen = all(
            leaf.variable is None or leaf.dtype == wide(leaf.dtype) for leaf in leaves
        )
        first = Level(
            "f",
            0,
            self._values,
            [leaf.name for leaf in leaves],
            [point[i] for i in call.moving],
            [leaf.dtype for leaf in leaves],
        )
        again = flat(self._outputs(first))
        call.noisy = not np.array_equal(again, outputs, equal_nan=True)
        if not np.isfinite(flat([*first.values, again])).all():
            raise Undecided(f"{self._at(first)}: not all values are finite")
        return first

    @property
    def dtypes(self) -> set[str]:
        """The names of the dtypes in which derivatives are compared."""
        return {each.name for each in self._first.dtypes}

    def close(self) -> None:
        """Put back what the calls changed."""
        self._state.restore_all(has_drawn=self._call.noisy)

    def run(self, order: int) -> None:
        """Compare all derivatives up to this order. Raises GradientError."""
        self._compare(self._first, order)

    def _values(self, sources: list) -> list:
        """Call the function at other values of what can be moved."""
        tensors = list(self._fixed)
        for i, source in zip(self._call.moving, sources):
            tensors[i] = source
        with demanded("the function"):
            return self._call.run(self._call.call, tensors)

    def _outputs(self, level: Level) -> list:
        return level.run(self._tensors(level, level.values, double=False))

    def _tensors(self, level: Level, arrays: list, double: bool) -> list:
        """Return the arguments of a level at other values."""
        call, point = self._call, self._call.start()
        for i, array in zip(call.moving, arrays):
            point[i] = array
        tensors, count = call.tensors(point, double), len(call.moving)
        more = [
            tf.constant(array.astype((wide(d) if double else d).as_numpy_dtype))
            for array, d in zip(arrays[count:], level.dtypes[count:])
        ]
        return [tensors[i] for i in call.moving] + more

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
                if "fwd" in text and "Error" in text:  # TensorFlow's, maybe
                    text += '; modes=("rev",) leaves forward mode out'
                raise type(wrong)(text) from wrong
            self._result.order = max(self._result.order, derivative.order)
            if order > 1:
                self._compare(derivative, order - 1)

    def _rev(self, level: Level, outputs: list) -> Level:
        """Return its gradients, as a function of its inputs and upstream."""
        count = len(level.values)

        def run(sources: list) -> list:
            inputs, ups = sources[:count], sources[count:]
            with tf.GradientTape() as tape:
                tape.watch(inputs)
                values = level.run(inputs)
            gradients = tape.gradient(values, inputs, ups)
            return as_tensors(gradients, inputs, level.names)

        return self._derivative("rev", level, run, "upstream", outputs)

    def _fwd(self, level: Level) -> Level:
        """Return its tangents, as a function of its inputs and their tangents."""
        count = len(level.values)

        def run(sources: list) -> list:
            inputs, tangents = sources[:count], sources[count:]
            with tf.autodiff.ForwardAccumulator(inputs, tangents) as forward:
                values = level.run(inputs)
            zero = tf.UnconnectedGradients.ZERO
            # The derivative of tf.gather may be tf.IndexedSlices.
            return [tf.convert_to_tensor(forward.jvp(y, zero)) for y in values]

        inputs = self._tensors(level, level.values, double=False)
        return self._derivative("fwd", level, run, "tangent", inputs)

    def _derivative(
        self, mode: str, level: Level, run: Callable, name: str, like: list
    ) -> Level:
        more = [tf.convert_to_tensor(self._random(each)) for each in like]
        return Level(
            mode if level is self._first else f"{mode} of {level.name}",
            level.order + 1,
            run,
            level.names + [f"{name}[{n}]" for n in range(len(like))],
            level.values + widened(more),
            level.dtypes + [each.dtype for each in like],
        )

    def _random(self, like: tf.Tensor) -> tf.Tensor:
        array = np.zeros(like.shape, wide(like.dtype).as_numpy_dtype)
        return tf.cast(normal(self._rng, array), like.dtype)

    def _at(self, level: Level) -> str:
        pairs = zip(level.names, level.values)
        return "at " + ", ".join(f"{name} = {as_text([each])}" for name, each in pairs)

    # Finite differences.

    def _slopes(self, level: Level) -> list[tuple[str, np.ndarray, Slope]]:
        """Return directions, their names, and the finite differences along them."""
        point = flat(level.values)
        wide_run = lambda: level.run(self._tensors(level, level.values, True))  # noqa: E731
        double = self._can_widen and _runs(wide_run)
        outputs = wide_run() if double else self._outputs(level)
        center, dtypes = flat(outputs), [each.dtype for each in outputs]

        def values(row: np.ndarray) -> np.ndarray:
            try:
                arrays = unflat(row, level.values)
                moved = level.run(self._tensors(level, arrays, double))
            except GradientError:  # the domain ends here
                return np.full(1, np.nan)
            # An output of another dtype is another function.
            is_same = [each.dtype for each in moved] == dtypes
            return flat(moved) if is_same else np.full(1, np.nan)

        slopes = [
            (name, row, scaled_slope(values, center, point, row, double, self._eps))
            for name, row in self._directions(level, point.size)
        ]
        self._tensors(level, level.values, double=False)  # variables were moved
        narrow = max(NOISE.get(each.name, 1e-9) for each in level.dtypes)
        self._noise = 1e-9 if double else narrow
        return slopes

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
        for name, row, slope in slopes:
            ups = [self._random(each) for each in outputs]
            for trial in (ups, [-3 * each for each in ups]):  # of either sign
                gradients = flat(self._run(derivative, level, trial))
                place = f"{self._at(level)} with upstream = {as_text(trial)}"
                place = f"{place}: the gradient with respect to {name}"
                self._pair(level, flat(trial), slope, gradients, row, place)

    def _compare_fwd(
        self, level: Level, derivative: Level, slopes: list, _: list
    ) -> None:
        for name, row, slope in slopes:
            tangents = [
                tf.cast(array, dtype)
                for array, dtype in zip(unflat(row, level.values), level.dtypes)
            ]
            moved, size = (
                flat(self._run(derivative, level, tangents)),
                slope.center.size,
            )
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
            rtol = max(RTOL.get(each.name, 1e-6) for each in level.dtypes)
            rtol *= 1 if level is self._first else 10
        noise = self._noise / (slope.size if self._noise < 1e-8 else 1)
        pairing = pair(upstream, slope, actual, moved, rtol, noise, self._atol)
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
        except tf.errors.InternalError as error:  # of TensorFlow itself
            raise Undecided(f"{self._at(level)}: {describe(error)}") from error
        except Exception as error:
            message = f"{self._at(level)}: it raises {describe(error)}"
            raise GradientError(message) from error


def _runs(run: Callable[[], list]) -> bool:
    try:
        return runs_widely(run)
    except GradientError:
        return False
