"""Deliberately wrong: NaN gradients that enable_check_numerics misses."""

# tracebook: alone

import os
import re

import numpy as np
import tensorflow as tf

BAD = {
    "takes_log": lambda upstream: upstream * tf.math.log(x - x),
    "returns_array": lambda upstream: tf.constant([np.nan, 1.0], tf.float32),
    "leaves_tensorflow": lambda upstream: tf.numpy_function(
        lambda u: u * np.float32(np.nan), [upstream], tf.float32)}


def double(name, x):
    @tf.custom_gradient
    def bad(x):
        def grad(upstream):
            return BAD[name](upstream)

        return 2.0 * x, grad

    return bad(x)


def gradient(function):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # the log repeats each error
x = tf.constant([0.0, 4.0])
mask = tf.math.log([0.0, 1.0])
CASES = {
    "a built-in grad": tf.sqrt, **{
        name: lambda x, name=name: double(name, x) for name in BAD},
    "then a product": lambda x: double("leaves_tensorflow", tf.sin(x)),
    "a mask of -inf": lambda x: tf.nn.softmax(x + mask)}
tf.debugging.enable_check_numerics()
for what, function in CASES.items():
    for mode, wrap in ("eager", lambda f: f), ("graph", tf.function):
        try:
            said = wrap(lambda: gradient(function))().numpy()
        except tf.errors.InvalidArgumentError as error:
            said = re.search(r'in output.*op "[^"]+"', str(error))[0]
            said += "".join(re.findall(r" \(L\d+\) grad$", str(error), re.M))
        print(f"{what:17} {mode}  {said}")
