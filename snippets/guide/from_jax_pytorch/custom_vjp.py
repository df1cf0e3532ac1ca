"""A port of jax.custom_vjp: fwd and bwd become one custom gradient."""

import tensorflow as tf


def custom_vjp(fwd, bwd):
    # truth: inputs[0].shape == inputs[1].shape
    @tf.custom_gradient
    def function(*inputs):
        inputs = [tf.identity(each) for each in inputs]
        z, residuals = fwd(*inputs)
        return z, lambda upstream: bwd(residuals, upstream)

    return function


def fwd(x, y):
    z = tf.sin(x) * y
    return z, (tf.cos(x), tf.sin(x), y)


def bwd(residuals, upstream):
    cos_x, sin_x, y = residuals
    downstream_x = upstream * y * cos_x
    downstream_y = upstream * sin_x
    tf.print("upstream", upstream, " downstream", downstream_x, downstream_y)
    return downstream_x, downstream_y


function = custom_vjp(fwd, bwd)
x, y = tf.constant(2.0), tf.constant(3.0)
for name, f in (("ported", function), ("autodiff", lambda x, y: fwd(x, y)[0])):
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        loss = 10.0 * f(x, y)
    gradients = tape.gradient(loss, [x, y])
    print(f"{name:8}", *[f"{each:.4f}" for each in gradients])
