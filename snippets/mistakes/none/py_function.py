"""TensorFlow inside py_function has its gradient."""

import numpy as np
import tensorflow as tf


def sine(x):
    return tf.py_function(tf.sin, [x], tf.float32)


def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = sine(x)
    return tape.gradient(y, x)


x = tf.constant([0.5, 1.0])
for name, run in ("eager", gradient), ("graph", tf.function(gradient)):
    print(f"{name}: {run(x).numpy()}")
print("right:", np.cos(x))
