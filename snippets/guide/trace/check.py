"""Probes change no gradient: first and second order, in two modes."""

import numpy as np
import tensorflow as tf

calls = tf.Variable(0)


def probe(x, seen=None):
    @tf.custom_gradient
    def identity(x):
        def grad(upstream):
            if seen is not None:
                seen.append(upstream)
            with tf.control_dependencies([calls.assign_add(1)]):
                return tf.identity(upstream)

        return tf.identity(x), grad

    return identity(x)


def both_orders(x, watch):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            h = watch(tf.tanh(watch(x) * 1.5))
            y = watch(h * tf.exp(watch(-h * h)))
        first = inner.gradient(y, x)
    return first, outer.gradient(first, x)


x = tf.constant(np.random.default_rng(0).normal(size=1000), tf.float32)
for mode, wrap in ("eager", lambda f: f), ("graph", tf.function):
    calls.assign(0)
    plain = wrap(lambda: both_orders(x, tf.identity))()
    probed = wrap(lambda: both_orders(x, probe))()
    print(mode, "calls of grad:", calls.numpy())
    for order, a, b in zip(("first", "second"), plain, probed):
        difference = np.max(abs(a - b)) / np.max(abs(a))
        print(mode, order, "equal to 1e-6:", difference < 1e-6)
        if mode == "eager":
            print(mode, order, "equal bits:", np.array_equal(a, b))
with tf.GradientTape() as tape:
    tape.watch(x)
    h = probe(tf.tanh(x), seen := [])
    y = h * h + tf.exp(h)
print("the tape at h and a probe at h, equal bits:",
      np.array_equal(tape.gradient(y, h), seen[0]))
