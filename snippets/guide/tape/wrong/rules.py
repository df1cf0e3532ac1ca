"""Wrong on purpose: rules that leave an input of their value out."""

import tensorflow as tf

x = tf.constant(2.0)
k = tf.constant(3.0)


# truth: the rule is right
@tf.custom_gradient
def closed(x):
    def grad(upstream):
        tf.print("  the rule of closed is called")
        return upstream * k

    return x * k, grad


@tf.custom_gradient
def forgetful(x, k):
    def grad(upstream):
        return upstream * k, None

    return x * k, grad


# truth: the rule is right; x.shape == k.shape
@tf.custom_gradient
def product(x, k):
    def grad(upstream):
        return upstream * k, upstream * x

    return x * k, grad


def by_k(function, watched):
    with tf.GradientTape() as tape:
        tape.watch(watched)
        y = function()
    return tape.gradient(y, k)


for name, function, watched in (
        ("closed, x and k watched", lambda: closed(x), [x, k]),
        ("closed, k alone watched", lambda: closed(x), [k]),
        ("None in the place of k", lambda: forgetful(x, k), [x, k]),
        ("k is an argument", lambda: product(x, k), [x, k])):
    print(name)
    for mode, wrap in ("eager", lambda f: f), ("graph", tf.function):
        slope = wrap(lambda: by_k(function, watched))()
        print(" ", mode, None if slope is None else slope.numpy())
