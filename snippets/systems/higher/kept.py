"""Second derivatives of log(1 + e^x) depend on what grad captures."""

import functools

import tensorflow as tf


@tf.custom_gradient
def the_input(x):
    return tf.nn.softplus(x), lambda upstream: upstream * tf.sigmoid(x)


@tf.custom_gradient
def the_output(x):
    y = tf.nn.softplus(x)
    return y, lambda upstream: upstream * (1.0 - tf.exp(-y))


# truth: first derivative only
@tf.custom_gradient
def the_exponential(x):
    e = tf.exp(x)
    return tf.nn.softplus(x), lambda u: u * (1.0 - 1.0 / (1.0 + e))


@tf.custom_gradient
def the_sigmoid(x):
    s = tf.sigmoid(x)
    return tf.nn.softplus(x), lambda upstream: upstream * s


# truth: first derivative only
@tf.custom_gradient
def a_constant(x):
    s = tf.sigmoid(tf.stop_gradient(x))
    return tf.nn.softplus(x), lambda upstream: upstream * s


def derivatives(function, x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = function(x)
        first = inner.gradient(y, x)
    return first, outer.gradient(first, x)


def second(run):
    found = run(x)[1]
    return None if found is None else found.numpy()


x = tf.constant([1.0, 30.0, 100.0])
for kept in the_input, the_output, the_exponential, the_sigmoid, a_constant:
    eager = functools.partial(derivatives, kept)
    graph = tf.function(eager, autograph=False)
    print(f"{kept.__name__:15}  first = {eager(x)[0].numpy()}"
          f"  second = {second(eager)}  graph = {second(graph)}")
