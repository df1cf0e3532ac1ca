"""The persistent tape is deleted after its last gradient."""

import weakref

import tensorflow as tf


def steps(x):
    for _ in range(20):
        x = tf.sin(x)
        seen.append(weakref.ref(x))
    return x


def kept():
    return f"{sum(each() is not None for each in seen)} of {len(seen)}"


x, seen = tf.constant(1.0), []
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = steps(x)
tape.gradient(y, x)
print("before del tape", kept())
del tape
print("after del tape", kept())
