"""A port of jax.custom_jvp: a tape transposes the rule."""

import tensorflow as tf


def custom_jvp(function, rule):
    @tf.custom_gradient
    def call(*primals):
        primals = [tf.identity(each) for each in primals]

        def grad(upstream):
            tangents = [tf.zeros_like(each) for each in primals]
            with tf.GradientTape() as tape:
                tape.watch(tangents)
                _, z_dot = rule(primals, tangents)
            return tape.gradient(z_dot, tangents, upstream)

        return function(*primals), grad

    return call


def plain(x, y):
    return tf.sin(x) * y


def f_jvp(primals, tangents):
    x, y = primals
    x_dot, y_dot = tangents
    z_dot = tf.cos(x) * x_dot * y + tf.sin(x) * y_dot
    return plain(x, y), z_dot


x, y = tf.constant(2.0), tf.constant(3.0)
for name, f in (("ported", custom_jvp(plain, f_jvp)), ("autodiff", plain)):
    with tf.GradientTape() as second:
        second.watch(x)
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            loss = 10.0 * f(x, y)
        downstream_x, downstream_y = tape.gradient(loss, [x, y])
    print(f"{name:8} {downstream_x:.4f} {downstream_y:.4f}"
          f"  second {second.gradient(downstream_x, x):.4f}")
