"""tf.recompute_grad in a few lines, with a second derivative."""

import tensorflow as tf


def checkpoint(function):
    @tf.custom_gradient
    def once(x):
        x = tf.identity(x)
        y = function(tf.stop_gradient(x))

        def grad(upstream):
            copy = tf.identity(x)
            with tf.GradientTape() as tape:
                tape.watch(copy)
                again = function(copy)
            return tape.gradient(again, copy, output_gradients=upstream)

        return y, grad

    return once


def steps(x):
    for _ in range(8):
        x = tf.sin(x)
    return x


x = tf.constant(1.0, tf.float64)
# truth: first derivative only
recomputed = tf.recompute_grad(steps)
for name, function in {
        "plain": steps, "checkpoint": checkpoint(steps),
        "recompute_grad": recomputed}.items():
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            loss = function(x) ** 2
        slope = inner.gradient(loss, x)
    print(f"{name:14}  first {slope:.12f}", end="")
    try:
        print(f"  second {outer.gradient(slope, x):.12f}")
    except NotImplementedError as error:
        print(f"  second {type(error).__name__}")
