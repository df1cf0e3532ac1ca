"""Three hooks that change nothing: print, histogram, stop with the name."""

import re

import tensorflow as tf


def hook(look):
    @tf.custom_gradient
    def identity(x):
        def grad(upstream):
            with tf.control_dependencies([look(upstream)]):
                return tf.identity(upstream)

        return tf.identity(x), grad

    return identity


def printing(name):
    return hook(lambda upstream: tf.print(
        "at", name, "norm", tf.norm(upstream), "shape", tf.shape(upstream)))


def counting(name, edge):
    return hook(lambda upstream: tf.print(
        "at", name, "from", -edge, "to", edge, "counts",
        tf.histogram_fixed_width(upstream, [-edge, edge], nbins=6)))


def stopping(name):
    return hook(lambda upstream: tf.debugging.check_numerics(
        upstream, f"upstream of {name}"))


def model(x):
    hidden = stopping("hidden")(counting("hidden", 0.4)(2.0 * x))
    root = stopping("root")(tf.sqrt(printing("square")(hidden**2)))
    return tf.reduce_sum(tf.exp(0.1 * root))


def gradient(x, function=model):
    with tf.GradientTape() as tape:
        tape.watch(x)
        L = function(x)
    return tape.gradient(L, x)


print("dL/dx =", gradient(tf.range(-5.5, 6.0)).numpy().round(3))
for run in (gradient, tf.function(gradient),
            lambda x: gradient(x, tf.function(model))):
    try:
        run(tf.constant([1.0, 0.0]))
    except tf.errors.InvalidArgumentError as error:
        print("stops:", re.search("upstream of .* values", str(error))[0])
