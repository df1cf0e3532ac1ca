"""TensorFlow's derivatives, for ``check_grads``."""

from collections.abc import Callable

import numpy as np
import tensorflow as tf

from .arrays import moved_to
from .core import Arrays
from .function import Function, demanded
from .levels import DerivativeCheck
from .state import State


class TapeCheck(DerivativeCheck):
    """A TensorFlow function of what can be moved: arguments, and variables."""

    bugs = (tf.errors.InternalError,)

    def __init__(self, call: Function) -> None:
        self._call, self._state = call, State(call)
        self._fixed = call.tensors(call.start(), double=False)
        with demanded("the function"):
            self._state.find_variables(self._fixed)
        point = call.start()
        self._fixed = call.tensors(point, double=False)
        self.names = [call.leaves[i].name for i in call.moving]
        self.values = [point[i] for i in call.moving]
        self.dtypes = [dtype.name for dtype in call.dtypes(double=False)]
        self.widens = not call.has_narrow_variable

    def close(self) -> None:
        """Put back what the calls changed."""
        self._state.close()

    def inputs(self, arrays: Arrays, double: bool) -> list:
        call = self._call
        tensors = call.tensors(moved_to(call.start(), call.moving, arrays), double)
        return [tensors[i] for i in call.moving]

    def tensor(self, array: np.ndarray, dtype: str) -> tf.Tensor:
        return tf.cast(array, dtype)

    def run(self, inputs: list) -> list:
        tensors = moved_to(self._fixed, self._call.moving, inputs)
        with demanded("the function"):
            return self._call.run(self._call.call, tensors)

    def vjp(self, run: Callable, inputs: list, upstream: list) -> list:
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            values = run(inputs)
        gradients = tape.gradient(
            values, inputs, upstream, tf.UnconnectedGradients.ZERO
        )
        return [tf.convert_to_tensor(each) for each in gradients]

    def jvp(self, run: Callable, inputs: list, tangents: list) -> list:
        with tf.autodiff.ForwardAccumulator(inputs, tangents) as forward:
            values = run(inputs)
        zero = tf.UnconnectedGradients.ZERO
        # The derivative of tf.gather may be tf.IndexedSlices.
        return [tf.convert_to_tensor(forward.jvp(y, zero)) for y in values]
