"""Deliberately wrong: a truncated normal sample, differentiated."""

import tensorflow as tf
import tensorflow_probability as tfp

tfd = tfp.distributions
low, high = -1.0, 1.0


def plain(loc, scale):
    q = tfd.TruncatedNormal(loc, scale, low, high)
    return q.sample(400_000, seed=[1, 2])


def standardized(loc, scale):
    q = tfd.TruncatedNormal(
        0.0, 1.0, (low - loc) / scale, (high - loc) / scale)
    return loc + scale * q.sample(400_000, seed=[1, 2])


def mean(loc, scale):
    return tfd.TruncatedNormal(loc, scale, low, high).mean()


parameters = [tf.constant(0.5), tf.constant(1.5)]
for function in plain, standardized, mean:
    with tf.GradientTape() as tape:
        tape.watch(parameters)
        y = tf.reduce_mean(function(*parameters))
    dloc, dscale = tape.gradient(y, parameters)
    print(f"{function.__name__:12}  mean {y:.2f}"
          f"  gradients: loc {dloc:.2f}  scale {dscale:.2f}")
