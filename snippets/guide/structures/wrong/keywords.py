"""Deliberately wrong: inputs passed by keyword; grad returns 10 and 20."""

import textwrap

import tensorflow as tf


@tf.custom_gradient
def product(x, y):
    def grad(upstream):
        return 10.0 * upstream, 20.0 * upstream

    return x * y, grad


@tf.custom_gradient
def one_gradient(x, y=3.0):
    def grad(upstream):
        return 10.0 * upstream

    return x * y, grad


x, y = tf.constant(2.0), tf.constant(3.0)
calls = {
    "product(x, y)": lambda: product(x, y),
    "product(x=x, y=y)": lambda: product(x=x, y=y),
    "product(x, y=y)": lambda: product(x, y=y),
    "one_gradient(x)": lambda: one_gradient(x),
    "one_gradient(x, y=y)": lambda: one_gradient(x, y=y),
    "one_gradient(x, 3.0)": lambda: one_gradient(x, 3.0)}
for name, call in calls.items():
    def gradient():
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            z = call()
        return tape.gradient(z, [x, y])

    print(name)
    for mode in "eager", "graph":
        run = gradient if mode == "eager" else tf.function(
            gradient, autograph=False)
        try:
            shown = str([None if g is None else float(g) for g in run()])
        except (ValueError, tf.errors.InternalError) as error:
            shown = str(error).strip().splitlines()[-1].strip()
        print(textwrap.fill(f"{mode}: {shown}", 72, initial_indent="  ",
                            subsequent_indent="    "))
