"""Deliberately wrong: after a gather, each slice is clipped, not their sum."""

import tensorflow as tf


def back_through(change):
    # truth: upstream becomes change(upstream)
    @tf.custom_gradient
    def identity(x):
        return tf.identity(x), lambda upstream: change(upstream)

    return identity


def gradient(change):
    x = tf.zeros([2])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.gather(back_through(change)(x), [0, 0, 1])
        L = tf.reduce_sum(y * [3.0, 3.0, 0.2])
    return tape.gradient(L, x)


def added(slices):
    return tf.convert_to_tensor(slices)


passed = gradient(lambda u: u)
print(f"{type(passed).__name__}: indices {passed.indices.numpy()}"
      f"  values {passed.values.numpy()}  added {added(passed).numpy()}")
for name, clip in (
        ("each number", lambda u: tf.clip_by_value(u, -1.0, 1.0)),
        ("the norm", lambda u: tf.clip_by_norm(u, 1.0))):
    print(f"{name:11}  slices {added(gradient(clip)).numpy().round(4)}"
          f"  added first"
          f" {gradient(lambda u, clip=clip: clip(added(u))).numpy().round(4)}")
