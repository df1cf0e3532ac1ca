"""Deliberately wrong: settings passed as if they were inputs."""

import re
import textwrap

import tensorflow as tf


@tf.custom_gradient
def double_if(x, flag):
    return (2.0 * x if flag else x), lambda upstream: (2.0 * upstream, None)


@tf.custom_gradient
def power(x, n):
    y = x
    for _ in range(n - 1):
        y = y * x
    return y, lambda upstream: (upstream * 2.0 * x, None)


@tf.custom_gradient
def activated(x, function):
    return function(x), lambda upstream: (2.0 * upstream * x, None)


x = tf.constant(3.0)
calls = {"a bool": lambda: double_if(x, True),
         "a number for range": lambda: power(x, 2),
         "a function": lambda: activated(x, tf.square),
         "None": lambda: double_if(x, None)}
for name, call in calls.items():
    print(name)
    for mode in "eager", "graph":
        run = call if mode == "eager" else tf.function(call, autograph=False)
        try:
            shown = str(run().numpy())
        except Exception as error:
            message = re.sub(" at 0x[0-9a-f]+", "", str(error))
            message = re.split("[.] (?=You can|Consider)", message)[0]
            shown = f"{type(error).__name__}: {message}"
        print(textwrap.fill(f"{mode}: {shown}", 72, initial_indent="  ",
                            subsequent_indent="    "))
