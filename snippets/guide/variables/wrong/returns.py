"""Deliberately wrong: what grad must not return with a variable."""

import textwrap

import tensorflow as tf

w = tf.Variable(2.0)


def with_rule(returned):
    @tf.custom_gradient
    def product(x):
        def grad(upstream, variables=None):
            return returned(upstream * w, upstream * x)

        return w * x, grad

    return product


def gradients(product, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = product(x)
    return tape.gradient(y, [x, w])


cases = {"gx": lambda gx, gw: gx,
         "gx, gw": lambda gx, gw: (gx, gw),
         "gx, (gw,)": lambda gx, gw: (gx, (gw,)),
         "gx, []": lambda gx, gw: (gx, []),
         "gx, [gw, gw]": lambda gx, gw: (gx, [gw, gw]),
         "gx, [None]": lambda gx, gw: (gx, [None]),
         "[gw], gx": lambda gx, gw: ([gw], gx)}
x = tf.constant(3.0)
for case, returned in cases.items():
    def eager(x):
        return gradients(with_rule(returned), x)

    for name, mode in (("eager", eager),
                       ("tf.function", tf.function(eager, autograph=False))):
        try:
            found = mode(x)
            print(f"{case}, {name}: {[g and g.numpy().item() for g in found]}")
        except (TypeError, ValueError) as error:
            print(f"{case}, {name}: {type(error).__name__}")
            message = str(error).partition(" You can")[0]
            print(textwrap.indent(textwrap.fill(message, 66), "  "))
