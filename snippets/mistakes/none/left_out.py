"""k is captured by one function and passed to the other."""

import tensorflow as tf

x, k = tf.constant(2.0), tf.constant(3.0)


# truth: the rule is right
@tf.custom_gradient
def captured(x):
    return x * k, lambda upstream: upstream * k


# truth: x.shape == k.shape
@tf.custom_gradient
def passed(x, k):
    return x * k, lambda upstream: (upstream * k, upstream * x)


def gradient(function, *watched):
    with tf.GradientTape() as tape:
        tape.watch(watched)
        y = function()
    return tape.gradient(y, k)


for name, function, watched in (
        ("captured, x and k watched", lambda: captured(x), (x, k)),
        ("captured, only k watched", lambda: captured(x), (k,)),
        ("passed", lambda: passed(x, k), (x, k))):
    for mode, wrap in ("eager", lambda f: f), ("graph", tf.function):
        found = wrap(lambda: gradient(function, *watched))()
        print(f"{name:26}{mode}", None if found is None else found.numpy())
