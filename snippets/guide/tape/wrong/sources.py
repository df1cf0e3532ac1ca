"""Wrong on purpose: the path is there, and the source is another tensor."""

import tensorflow as tf


def show(what, gradient):
    print(f"{what:32}", None if gradient is None else gradient.numpy())


count = tf.constant(2)
x = tf.constant(2.0)
before = x * x
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = x * x
    copy = tf.identity(x)
    z = tf.constant([1.0, 2.0])
    tape.watch(z)
    first = z * z
    z = z + 1.0
after = y * y
show("y by x", tape.gradient(y, x))
show("computed before the tape", tape.gradient(before * 1.0, x))
show("computed after the tape", tape.gradient(after, x))
show("y by a copy of x", tape.gradient(y, copy))
show("first by z, since reassigned", tape.gradient(first, z))

with tf.GradientTape() as tape:
    tape.watch(count)
    y = 3.0 * tf.cast(count, tf.float32)
show("an integer, although watched", tape.gradient(y, count))

w = tf.Variable(2.0)
kept = tf.Variable(2.0)
for step in range(2):
    with tf.GradientTape() as tape:
        loss = w * w + kept * kept
    slope, slope_kept = tape.gradient(loss, [w, kept])
    show(f"step {step}, w is {type(w).__name__}", slope)
    show(f"step {step}, kept by assign_sub", slope_kept)
    if slope is not None:
        w = w - 0.1 * slope
    kept.assign_sub(0.1 * slope_kept)
