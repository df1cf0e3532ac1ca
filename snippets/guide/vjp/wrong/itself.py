"""Deliberately wrong: a check of a gradient function against itself."""

import tensorflow as tf

x, dx = tf.constant([1.0, 2.0, 3.0]), tf.constant([1.0, 10.0, 100.0])
upstream = tf.constant([1.0, -1.0, 2.0])


@tf.custom_gradient
def recorded(x):
    return x * x, lambda upstream: upstream * 10.0 * x


@tf.custom_gradient
def stopped(x):
    y = tf.stop_gradient(x * x)
    return y, lambda upstream: upstream * 10.0 * x


def plain(x):
    return x * x


def products():
    with tf.autodiff.ForwardAccumulator(x, dx) as forward:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
    downstream = tape.gradient(y, x, output_gradients=upstream)
    return (tf.tensordot(upstream, forward.jvp(y), 1),
            tf.tensordot(downstream, dx, 1))


print("The derivative is 2 x, and grad uses 10 x.")
for f in plain, recorded, stopped:
    for mode, run in ("eager", products), ("graph", tf.function(products)):
        one, other = run()
        print(f"{f.__name__:8} {mode}: forward <u, J dx> = {one.numpy():6}"
              f"  reverse <u J, dx> = {other.numpy():6}")
