"""A function and its derivatives of any order, as functions of a list of tensors."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import tensorflow as tf

from .compare import as_text
from .directions import Undecided, Wrong
from .function import Function, Refused, describe, flat, leaf_of, wide
from .points import normal

RTOL = {"float32": 1e-4, "complex64": 1e-4, "float16": 0.03, "bfloat16": 0.24}
"""By the dtypes of the arguments; 1e-6 in all wider dtypes."""


@dataclass(frozen=True)
class Level:
    """The function, or one of its derivatives, as a function of a list of tensors."""

    name: str
    run: Callable[[list], list]
    names: list[str]
    values: list[np.ndarray]
    dtypes: list[tf.DType]
    """Of the arguments; ``values`` are in the widest."""


class Levels:
    """A function at one point, and its derivatives there.

    Raises Undecided if nothing can be compared there.
    """

    def __init__(self, call: Function, rng: np.random.Generator) -> None:
        self.call, self.rng = call, rng
        self._fixed = call.tensors(call.widened(), double=False)
        with tf.GradientTape() as tape:
            outputs = self.of_function([self._fixed[i] for i in call.moving])
        self._first_values = flat(outputs)
        call.leaves += map(leaf_of, tape.watched_variables())
        if not call.moving:
            raise Undecided("no argument is floating or complex")
        point = call.widened()
        self._fixed = call.tensors(point, double=False)
        leaves = [call.leaves[i] for i in call.moving]
        self.is_complex = any(leaf.dtype.is_complex for leaf in leaves)
        self.first = Level(
            "f",
            self.of_function,
            [leaf.name for leaf in leaves],
            [point[i] for i in call.moving],
            [leaf.dtype for leaf in leaves],
        )
        # A narrow variable moves by steps of its own, whatever comes out.
        self.can_widen = all(
            leaf.variable is None or leaf.dtype == wide(leaf.dtype) for leaf in leaves
        )

    def demand_finite(self) -> None:
        """Call the function again. Raises Undecided if its values aren't finite."""
        outputs = self.outputs(self.first)
        repeated, first = flat(outputs), self._first_values
        self.call.noisy = not np.array_equal(repeated, first, equal_nan=True)
        if not np.isfinite(flat([*self.first.values, *outputs])).all():
            raise Undecided(f"{self.place(self.first)}: not all values are finite")

    def of_function(self, sources: list) -> list:
        """Call the function at other values of the arguments that have derivatives."""
        tensors = list(self._fixed)
        for i, source in zip(self.call.moving, sources):
            tensors[i] = source
        try:
            return self.call._run(self.call.call, tensors)
        except Refused as error:
            raise Undecided(f"the function raises {error}") from error

    def outputs(self, level: Level) -> list:
        """Return the outputs of a level at the point."""
        return level.run(self.sources(level))

    def sources(self, level: Level) -> list:
        """Return the arguments of a level at the point, in their dtypes."""
        return self.tensors(level, level.values, double=False)

    def tensors(self, level: Level, arrays: list, double: bool) -> list:
        """Return the arguments of a level at other values."""
        point = self.call.widened()
        for i, array in zip(self.call.moving, arrays):
            point[i] = array
        tensors = self.call.tensors(point, double)
        count = len(self.call.moving)
        return [tensors[i] for i in self.call.moving] + [
            tf.constant(array.astype((wide(d) if double else d).as_numpy_dtype))
            for array, d in zip(arrays[count:], level.dtypes[count:])
        ]

    def rev(self, level: Level, outputs: list) -> Level:
        """Its gradients, as a function of its inputs and the upstream gradients."""
        count = len(level.values)

        def run(sources: list) -> list:
            inputs, ups = sources[:count], sources[count:]
            with tf.GradientTape() as tape:
                tape.watch(inputs)
                values = level.run(inputs)
            return as_tensors(tape.gradient(values, inputs, ups), inputs, level.names)

        return self._derivative("rev", level, run, "upstream", outputs)

    def fwd(self, level: Level) -> Level:
        """Its tangents, as a function of its inputs and their tangents."""
        count = len(level.values)

        def run(sources: list) -> list:
            inputs, tangents = sources[:count], sources[count:]
            with tf.autodiff.ForwardAccumulator(inputs, tangents) as forward:
                values = level.run(inputs)
            zero = tf.UnconnectedGradients.ZERO
            # The derivative of tf.gather may be tf.IndexedSlices.
            return [tf.convert_to_tensor(forward.jvp(y, zero)) for y in values]

        return self._derivative("fwd", level, run, "tangent", self.sources(level))

    def _derivative(
        self, mode: str, level: Level, run: Callable, name: str, like: list
    ) -> Level:
        more = [tf.convert_to_tensor(self.random(each)) for each in like]
        return Level(
            mode if level is self.first else f"{mode} of {level.name}",
            run,
            level.names + [f"{name}[{n}]" for n in range(len(like))],
            level.values + [_widest(each) for each in more],
            level.dtypes + [each.dtype for each in like],
        )

    def random(self, like: tf.Tensor) -> tf.Tensor:
        """Return a random tensor of the same shape and dtype."""
        array = np.zeros(like.shape, wide(like.dtype).as_numpy_dtype)
        return tf.cast(normal(self.rng, array), like.dtype)

    def place(self, level: Level) -> str:
        """Return the point of a level, for messages."""
        parts = (
            f"{name} = {as_text([array])}"
            for name, array in zip(level.names, level.values)
        )
        return f"at {', '.join(parts)}"


def raised(error: Exception) -> str:
    """Return a message for an error of the function or of a derivative."""
    return (
        str(error) if isinstance(error, Undecided) else f"it raises {describe(error)}"
    )


def as_tensors(gradients: list, inputs: list, names: list[str]) -> list:
    """Tensors, zero for None. Raises Wrong if a shape or a dtype isn't the input's."""
    tensors = []
    for gradient, source, name in zip(gradients, inputs, names):
        if gradient is None:
            gradient = tf.zeros(source.shape, source.dtype)
        gradient = tf.convert_to_tensor(gradient)
        for actual, needed in (
            (gradient.shape, source.shape),
            (gradient.dtype, source.dtype),
        ):
            if actual != needed:
                raise Wrong(
                    f"the gradient with respect to {name} has {_plain(actual)}, but"
                    f" {name} has {_plain(needed)}"
                )
        tensors.append(gradient)
    return tensors


def _plain(value: tf.TensorShape | tf.DType) -> str:
    if isinstance(value, tf.DType):
        return f"dtype {value.name}"
    return f"shape {value}"


def _widest(tensor: tf.Tensor) -> np.ndarray:
    return tensor.numpy().astype(wide(tensor.dtype).as_numpy_dtype)
