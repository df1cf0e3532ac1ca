"""Deliberately wrong: float32 was promised, and NumPy returns float64."""

# tracebook: alone

import numpy as np
import tensorflow as tf


def ramp(x):
    return x * np.linspace(0.0, 1.0, len(x))


def ramped(x):
    return tf.numpy_function(ramp, [x], tf.float32)


x = tf.constant([1.0, 2.0, 3.0])
print("eager:", ramped(x).dtype.name)
# tracebook: raises InvalidArgumentError
try:
    tf.function(ramped)(x)
except tf.errors.InvalidArgumentError as error:
    [said] = [line for line in str(error).splitlines() if "expects" in line]
    raise tf.errors.InvalidArgumentError(
        None, None, said.split("}} ")[-1]) from None
