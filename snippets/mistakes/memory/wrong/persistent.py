"""Deliberately wrong: a persistent tape that is kept."""

import weakref

import tensorflow as tf


def steps(x):
    for _ in range(20):
        x = tf.sin(x)
        seen.append(weakref.ref(x))
    return x


x = tf.constant(1.0)
for persistent in True, False:
    seen = []
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch(x)
        y = steps(x)
    tape.gradient(y, x)
    print("persistent", persistent, " kept after the gradient:",
          sum(each() is not None for each in seen), "of", len(seen))
