"""Deliberately wrong: other operations get the gradient of an identity."""

import tensorflow as tf

x = tf.constant([1.0, 2.0, 3.0])
OPERATIONS = {
    "round": tf.round,
    "reduce_sum": tf.reduce_sum,
    "reduce_max": tf.reduce_max,
    "cast": lambda x: tf.cast(x, tf.float64),
    "multiply": tf.multiply,
}


def passed(operation, inputs):
    return tf.grad_pass_through(operation)(*inputs)


for name, operation in OPERATIONS.items():
    inputs = [x, x] if name == "multiply" else [x]
    for mode, function in (("eager", passed),
                           ("tf.function", tf.function(passed))):
        try:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(operation, inputs)
            gradient = tape.gradient(y, x)
            result = f"shape {gradient.shape}, {gradient.dtype.name}"
        except ValueError as error:
            message = str(error).splitlines()[0].partition(".")[0]
            result = f"ValueError: {message}"
        print(f"{name:10} {mode:11} {result}")
