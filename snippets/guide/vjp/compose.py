"""Three steps forward, and their pullbacks in reverse order."""

import tensorflow as tf

W = tf.constant([[1.0, 0.0, 2.0], [0.0, -1.0, 1.0]])


def with_pullback(f, x):
    """The value of f, and the function from upstream to downstream."""
    tape = tf.GradientTape(persistent=True)
    with tape:
        tape.watch(x)
        y = f(x)
    return y, lambda upstream: tape.gradient(y, x, output_gradients=upstream)


steps = {
    "square": tf.square,
    "W x": lambda x: tf.linalg.matvec(W, x),
    "sum": tf.reduce_sum}
value = x = tf.constant([1.0, 2.0, 3.0])
pullbacks = []
for name, step in steps.items():
    before = value.shape
    value, pullback = with_pullback(step, value)
    pullbacks.append((name, pullback))
    print(f"{name:7} x: {before!s:5} -> y: {value.shape!s:5}", value.numpy())

row = tf.constant(1.0)
for name, pullback in reversed(pullbacks):
    upstream, row = row, pullback(row)
    print(f"{name:7} upstream(y: {upstream.shape}) -> downstream(x:"
          f" {row.shape})  {upstream.numpy()} -> {row.numpy()}")

with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.reduce_sum(tf.linalg.matvec(W, tf.square(x)))
print("one tape over all steps:", tape.gradient(y, x).numpy())

A, B = W, tf.constant([[1.0, -1.0], [2.0, 0.0], [0.0, 3.0]])
y_bar = tf.constant([1.0, 10.0, 100.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.linalg.matvec(B, tf.linalg.matvec(A, x))
x_bar = tape.gradient(y, x, output_gradients=y_bar)
print("y = B (A x):", y.numpy(), " y_bar -> x_bar:", x_bar.numpy())
