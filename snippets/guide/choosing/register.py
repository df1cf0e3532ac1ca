"""tf.RegisterGradient: a gradient function for an operation without one."""

import tensorflow as tf


def gradients(function, x, a):
    with tf.GradientTape() as tape:
        tape.watch([x, a])
        loss = tf.reduce_sum(weights * function(x, a))
    return tape.gradient(loss, [x, a])


def formula(x, a):
    m = tf.reduce_mean(x, axis=[-3, -2], keepdims=True)
    return m + a * (x - m)


x = tf.reshape([1.0, 2.0, 3.0, 6.0], [2, 2, 1])
weights = tf.reshape([1.0, 0.0, 0.0, 3.0], [2, 2, 1])
a = tf.constant(0.5)
try:
    gradients(tf.image.adjust_contrast, x, a)
except LookupError as error:
    print("LookupError:", error)


@tf.RegisterGradient("AdjustContrastv2")
def adjust_contrast(op, upstream):
    x, a = op.inputs
    m = tf.reduce_mean(x, axis=[-3, -2], keepdims=True)
    mean = tf.reduce_mean(upstream, axis=[-3, -2], keepdims=True)
    tf.print("backward", op.type, " upstream =", tf.reshape(upstream, [-1]))
    downstream_x = a * upstream + (1.0 - a) * mean
    downstream_a = tf.reduce_sum(upstream * (x - m))
    return downstream_x, downstream_a


for function in (tf.image.adjust_contrast, formula):
    for mode in (gradients, tf.function(gradients)):
        downstream_x, downstream_a = mode(function, x, a)
        print(f"{function.__name__:16} x: {tf.reshape(downstream_x, [-1])}"
              f"  a: {downstream_a}")

try:
    tf.RegisterGradient("AdjustContrastv2")(adjust_contrast)
except KeyError as error:
    print("KeyError:", error.args[0].partition(" (Prev")[0])
