"""The claims of docs/lessons/training.md."""

import numpy as np
import pytest
import tensorflow as tf

from tests.harness import contrast

WRAPS = {"eager": lambda step: step, "inside": tf.function}


def moves(optimizer, starts, *gradients, wrap=tf.function):
    """Take one step for each gradient.

    Args:
        optimizer: of Keras.
        starts: the values of the variable.
        *gradients: one tensor for each step.
        wrap: goes around the step.

    Returns:
        How far each step moves each element of the variable.
    """
    variable = tf.Variable(starts, dtype=tf.float32)
    optimizer.build([variable])
    step = wrap(lambda gradient: optimizer.apply([gradient], [variable]))
    values = [variable.numpy()]
    for gradient in gradients:
        step(tf.convert_to_tensor(gradient))
        values.append(variable.numpy())
    return np.diff(np.float64(values), axis=0)


@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
def test_first_step(wrap):
    sizes = np.geomspace(0.001, 1e15, 200)
    gradients = np.float32(np.concatenate([sizes, -sizes]))
    for rate, start in [
        (1e-5, 0.0),
        (1e-3, -1e3),
        (0.1, -1.0),
        (1.0, 1e-30),
        (30.0, 7.0),
    ]:
        starts = np.full_like(gradients, start)
        [moved] = moves(tf.keras.optimizers.Adam(rate), starts, gradients, wrap=wrap)
        rounding = np.spacing(np.float32(abs(start) + rate))
        error = abs(moved + rate * np.sign(gradients))
        assert np.all(error <= 0.01 * rate + rounding)
    [of_default] = moves(tf.keras.optimizers.Adam(), starts, gradients, wrap=wrap)
    assert np.allclose(abs(of_default), 0.001, 0.01)
    zeros = np.zeros(3)
    with contrast("for any gradient: smaller ones, and one whose square overflows"):
        of_others = np.float32([1e-6, 1e-9, 1e20])
        [moved] = moves(tf.keras.optimizers.Adam(0.1), zeros, of_others, wrap=wrap)
        assert np.all(abs(moved) < [0.03, 0.0001, 1e-30])
    with contrast("every step: the second one depends on the gradients"):
        steps = np.float32([1, 1, 1]), np.float32([1, 0.01, -1])
        _, second = moves(tf.keras.optimizers.Adam(0.1), zeros, *steps, wrap=wrap)
        assert abs(second[0] + 0.1) < 0.001 and np.all(abs(second[1:]) < 0.07)
    with contrast("the first step of any optimizer, such as SGD"):
        [moved] = moves(tf.keras.optimizers.SGD(0.1), zeros, steps[0] * 100, wrap=wrap)
        assert np.allclose(moved, -10)
