"""A gradient function that returns the wrong shape, dtype or number of gradients."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from tests.harness import EAGER
from tests.harness.keras_fit import WeightsAsInputs

from . import Case, of_cases


@dataclass(frozen=True)
class WrongReturn(Case):
    """A custom gradient with a mistake, and the one of its inputs that it concerns.

    The gradient function multiplies the upstream gradient by 10, and so its number isn't
    the derivative of the plain function.
    """

    plain: Callable = tf.identity
    """The same function without a custom gradient."""

    def described(self, gradient: Any) -> str:
        """Tell a right gradient from a wrong one by its type, shape, dtype and value."""
        if gradient is None:
            return "None"
        if isinstance(gradient, float):
            return "silent: Python float"
        right = 10 * EAGER.gradients(self.plain, *self.inputs)[self.at].numpy()
        array = np.asarray(gradient)
        differences = ["NumPy array"] * isinstance(gradient, np.ndarray)
        if array.shape != right.shape:
            differences.append(f"shape {[*array.shape]}")
        if array.dtype != right.dtype:
            differences.append(array.dtype.name)
        if differences:
            return f"silent: {', '.join(differences)}"
        if np.array_equal(array, right):
            return "right"
        return "plain" if np.array_equal(10 * array, right) else f"silent: {array}"


def _case(title: str, grad: Callable, *inputs: Any, at: int = 0) -> WrongReturn:
    plain = tf.add if len(inputs) > 1 else tf.identity
    function = tf.custom_gradient(lambda *tensors: (plain(*tensors), grad))
    return WrongReturn(title, function, inputs, at, plain)


ONE, PAIR = np.float32(2), np.array([2, 2], np.float32)
ROWS, ROW, SINGLE = np.ones([2, 3], "f"), np.ones([3], "f"), np.ones([1], "f")
STRUCTURES = [
    _case("wrong rank", lambda u: (10 * u, 10 * u), ROWS, ROW, at=1),
    _case("wrong size", lambda u: (10 * u, 10 * u), ROW, SINGLE, at=1),
    _case("one too few", lambda u: (10 * u,), PAIR, PAIR),
    _case("one too many", lambda u: (10 * u, 10 * u), PAIR),
]
TYPES = [
    _case("`float64`", lambda u: tf.cast(10 * u, tf.float64), PAIR),
    _case("`int32`", lambda u: tf.cast(10 * u, tf.int32), PAIR),
    _case("Python float", lambda u: 10.0, ONE),
    _case("NumPy array", lambda u: np.array([10, 10], np.float32), PAIR),
]


def table() -> str:
    """Return two tables: of wrong shapes and numbers, and of wrong types."""
    return f"{of_cases(STRUCTURES, _moves)}\n\n{of_cases(TYPES, _moves)}"


def _moves(function: Callable, *inputs: Any) -> list:
    """Return how far ``model.fit`` moves the weights with learning rate 1."""
    keras.utils.clear_session(free_memory=False)
    layer = WeightsAsInputs(function, inputs)
    model = keras.Sequential([keras.Input((1,)), layer])
    model.compile(keras.optimizers.SGD(1.0), loss=lambda _, y: tf.reduce_sum(y))
    before = [weight.numpy() for weight in layer.inputs]
    model.fit(np.zeros((1, 1)), np.zeros((1, 1)), verbose=0)
    moves = zip(before, layer.inputs)
    return [tf.constant(value - weight.numpy()) for value, weight in moves]
