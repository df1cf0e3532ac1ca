"""Deliberately wrong: a decorated function is passed to tf.function."""

import functools

import tensorflow as tf


# truth: the rule is right; upstream becomes -upstream
@tf.custom_gradient
def reverse(x):
    def grad(upstream):
        return -upstream

    return tf.identity(x), grad


def apply(function, x):
    return function(x)


def gradient(run, *arguments):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = run(*arguments, x)
    return tape.gradient(y, x).numpy()


for each in reverse, functools.partial(reverse):
    print(type(each).__name__, "has __wrapped__:",
          hasattr(each, "__wrapped__"))
print("eager:", gradient(apply, reverse))
try:
    print("tf.function:", gradient(tf.function(apply), reverse))
except TypeError as error:
    message = str(error).partition("found return value")
    print("tf.function: TypeError: …", "".join(message[1:]))
print("captured:", gradient(tf.function(lambda x: apply(reverse, x))))
print("partial:", gradient(tf.function(apply), functools.partial(reverse)))
