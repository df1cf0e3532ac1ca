"""Forward mode of gradient functions that aren't the derivative."""

import tensorflow as tf


# truth: downstream becomes 10.0 * downstream
@tf.custom_gradient
def identity(x):
    return tf.identity(x), lambda upstream: 10.0 * upstream


# truth: the gradient of tf.identity; downstream becomes 10.0 * downstream
@tf.custom_gradient
def rounded(x):
    return tf.round(x), lambda upstream: 10.0 * upstream


# truth: upstream becomes tf.minimum(upstream, 0.5)
@tf.custom_gradient
def limited(x):
    return tf.identity(x), lambda upstream: tf.minimum(upstream, 0.5)


def jvp(function, x):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = function(x)
    return accumulator.jvp(y)


def graph(function, **options):
    return tf.function(function, autograph=False, **options)


def modes(f):
    yield "eager", lambda x: jvp(f, x)
    yield "inside tf.function", graph(lambda x: jvp(f, x))
    yield "inside XLA", graph(lambda x: jvp(f, x), jit_compile=True)
    yield "outside tf.function", lambda x: jvp(graph(f), x)
    yield "nested tf.function", graph(lambda x: jvp(graph(f), x))
    yield "outside XLA", lambda x: jvp(graph(f, jit_compile=True), x)


x = tf.constant(2.0)
for runs in zip(*map(modes, (identity, rounded, limited))):
    one, two, three = (run(x).numpy() for _, run in runs)
    print(f"{runs[0][0]:18}  identity = {one}  rounded = {two}"
          f"  limited = {three}")
