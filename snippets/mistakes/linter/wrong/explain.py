"""Deliberately wrong: six custom gradients, and a function that tests them."""

import numpy as np
import tensorflow as tf

tf.get_logger().setLevel("ERROR")  # TensorFlow warns of many graphs


# --8<-- [start:explain]
def explain(function, x):
    """What is wrong with the gradient of a function at a float tensor."""
    def taped(x, scale=1.0, of=tf.identity):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = scale * of(function(x))
        return tape.gradient(y, x)

    def differ(a, b):
        return a is None or not np.allclose(a, b, 1e-2, 1e-3, equal_nan=True)

    try:
        downstream = taped(x)
    except Exception as error:
        return [f"raises {type(error).__name__}: {error}"]
    if downstream is None:
        return ["the gradient is None"]
    found = []
    if downstream.shape != x.shape:
        return [f"shape {downstream.shape}, the input has {x.shape}"]
    if not differ(downstream, taped(x, 3.0)) and np.any(downstream):
        found.append("does not change with upstream")
    v, h = tf.random.normal(x.shape, seed=1), 1e-2
    change = tf.reduce_sum(function(x + h * v) - function(x - h * v))
    if differ(tf.reduce_sum(downstream * v), change / (2 * h)):
        found.append("is not the derivative of the values")
    for name, run in {
            "in tf.function": tf.function(taped),
            "under XLA": tf.function(taped, jit_compile=True)}.items():
        try:
            if differ(run(x), downstream):
                found.append(f"{name} the gradient is different")
        except Exception as error:
            found.append(f"{name} it raises {type(error).__name__}")
    try:
        with tf.GradientTape() as tape:
            tape.watch(x)
            first = taped(x)
        if tape.gradient(first, x) is None:
            found.append("the second derivative is None")
    except Exception as error:
        found.append(f"the second derivative raises {type(error).__name__}")
    for value in 0.0, 1e-30, 100.0, 1e30:
        at = tf.fill(x.shape, value)
        is_lost = ~np.isfinite(taped(at)) & np.isfinite(function(at))
        if is_lost.any():
            found.append(f"at {value:g} the gradient is not finite")
            break
    return found
# --8<-- [end:explain]


def custom(values, gradient):
    @tf.custom_gradient
    def function(x):
        return values(x), lambda upstream: gradient(x, upstream)

    return function


functions = {
    "right": custom(lambda x: x**3, lambda x, u: u * 3.0 * x**2),
    "no upstream": custom(lambda x: x**3, lambda x, u: 3.0 * x**2),
    "wrong derivative": custom(tf.sin, lambda x, u: u * tf.sin(x)),
    "summed": custom(tf.sin, lambda x, u: tf.reduce_sum(u * tf.cos(x))),
    "two for one": custom(tf.sin, lambda x, u: (u * tf.cos(x), None)),
    "NumPy": custom(tf.sin, lambda x, u: u * np.cos(x)),
    "overflow": custom(tf.nn.softplus,
                       lambda x, u: u * tf.exp(x) / (1.0 + tf.exp(x)))}
for name, function in functions.items():
    found = explain(function, tf.constant([0.7, -1.3]))
    print(f"{name}:", "; ".join(found) or "nothing found")
