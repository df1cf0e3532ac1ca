"""Wrong on purpose: the gradient of the variable is a bare tensor."""

import tensorflow as tf


def with_variable(value):
    w = tf.Variable(value)

    @tf.custom_gradient
    def product(x):
        def grad(upstream, variables):
            return upstream * w, upstream * x

        return w * x, grad

    return product, w


for value in 2.0, [2.0, 3.0], [2.0]:
    product, w = with_variable(value)
    x = tf.ones_like(w)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = product(x)
    try:
        print(f"{w.shape}: to w", tape.gradient(y, w).numpy())
    except Exception as error:
        message = str(error).strip().splitlines()[0]
        print(f"{w.shape}: {type(error).__name__}: {message}")
