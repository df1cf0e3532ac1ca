"""The gradient of an input that has no path to the target: ``None``, 0 or an error."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from tests.harness import EAGER

from . import Case, of_cases, shown


@dataclass(frozen=True)
class CutPath(Case):
    """A function with an input whose path is cut."""

    plain: Callable | None = None
    """The same function without a custom gradient."""

    def described(self, gradient: Any) -> str:
        """Mark a gradient that is the one of the plain function."""
        text = shown(gradient)
        if self.plain is None:
            return text
        plain = EAGER.gradients(self.plain, *self.inputs)[self.at]
        return f"{text} (plain)" if text == shown(plain) else text


def _scaled(k: tf.Tensor) -> Callable:
    """k² x, whose gradient function captures k, and so k gets no gradient."""

    @tf.custom_gradient
    def of_x(x):
        return k * k * x, lambda upstream: 10 * upstream

    return of_x


@tf.custom_gradient
def _without(x):
    return x * x, lambda upstream: None


@tf.custom_gradient
def _without_second(x, z):
    return x * z, lambda upstream: (upstream * z, None)


@tf.custom_gradient
def _squares(x, z):
    def grad(of_x, of_z):
        return 2 * x * of_x, 2 * z * of_z

    return (x * x, z * z), grad


def _in_numpy(x):
    y = tf.numpy_function(np.square, [x], x.dtype)
    return tf.ensure_shape(y, x.shape)


TWO, THREE = np.array([2, 2], np.float32), np.array([3, 3], np.float32)
OPERATIONS = [
    CutPath("integer cast", lambda x: tf.cast(tf.cast(x, tf.int32), x.dtype), [TWO]),
    CutPath("`stop_gradient`", tf.stop_gradient, [TWO]),
    CutPath("`round`", tf.round, [TWO]),
    CutPath("`numpy_function`", _in_numpy, [TWO]),
    CutPath("input not used", lambda x, z: x * x, [TWO, THREE], 1),
]
CUSTOM = [
    CutPath(
        "captured",
        lambda x, k: _scaled(k)(x),
        [TWO, THREE],
        1,
        lambda x, k: k * k * x,
    ),
    CutPath(
        "captured, alone",
        lambda k: _scaled(k)(tf.constant(TWO)),
        [THREE],
        plain=lambda k: k * k * TWO,
    ),
    CutPath("`grad` returns `None`", _without, [TWO], plain=lambda x: x * x),
    CutPath(
        "one of two is `None`", _without_second, [TWO, THREE], 1, lambda x, z: x * z
    ),
    CutPath("output not used", lambda x, z: _squares(x, z)[0], [TWO, THREE], 1),
]


def table() -> str:
    """Return two tables, one for operations and one for custom gradients."""
    return f"{of_cases(OPERATIONS)}\n\n{of_cases(CUSTOM)}"
