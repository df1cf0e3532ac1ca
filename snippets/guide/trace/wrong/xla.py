"""Deliberately wrong: two tools that XLA does not compile on a CPU."""

# tracebook: alone

import os
import re

import tensorflow as tf


# truth: the rule is right
@tf.custom_gradient
def probe(x):
    def grad(upstream):
        line = tf.print("upstream =", upstream)
        with tf.control_dependencies([line]):
            return tf.identity(upstream)

    return tf.identity(x), grad


def attempt(what, function):
    @tf.function(jit_compile=True)
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    try:
        print(what, slope(tf.constant([0.0, 4.0])).numpy())
    except tf.errors.InvalidArgumentError as error:
        print(what, re.search(r"Detected .*? compile", str(error))[0],
              re.search(r"JIT: (\w+)", str(error))[1])


os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # the log repeats each error
attempt("no probe:", tf.sqrt)
attempt("tf.print:", lambda x: tf.sqrt(probe(x)))
tf.debugging.enable_check_numerics()
attempt("enable_check_numerics:", tf.sqrt)
