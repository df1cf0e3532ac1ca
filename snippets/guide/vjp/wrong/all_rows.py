"""Deliberately wrong: all rows of the identity matrix as one upstream."""

import textwrap

import numpy as np
import tensorflow as tf

x = tf.constant([1.0, 2.0, 3.0])


def gradient(f):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x, output_gradients=tf.eye(3))


functions = {"sin(x)": tf.sin, "cumsum(x)": tf.cumsum,
             "x * x": lambda x: x * x, "tanh(x)": tf.tanh}
for name, f in functions.items():
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    J = tape.jacobian(y, x)
    for mode, run in ("eager", gradient), ("graph", tf.function(gradient)):
        try:
            rows = run(f)
            print(f"{name}, {mode}: shape {rows.shape},",
                  "J:", np.allclose(rows, J),
                  " J transposed:", np.allclose(rows, tf.transpose(J)))
        except (ValueError, tf.errors.InvalidArgumentError) as error:
            print(f"{name}, {mode}: {type(error).__name__}")
            if mode == "eager":
                message = str(error).split("}} ")[-1].split(" [Op:")[0]
                print(textwrap.indent(textwrap.fill(message, 70), "  "))
