"""A list of tensors gets a list of gradients."""

import tensorflow as tf


@tf.custom_gradient
def total(terms):
    def grad(upstream):
        return [upstream for _ in terms]

    return tf.add_n(terms), grad


x, y, z = tf.constant(1.0), tf.constant(2.0), tf.constant(3.0)
print("inputs", len(tf.nest.flatten([x, y, z])))
for name, function in (("custom", total), ("autodiff", tf.add_n)):
    with tf.GradientTape() as tape:
        tape.watch([x, y, z])
        s = function([x, y, z]) ** 2
    gradients = tape.gradient(s, [x, y, z])
    print(f"{name:8}", *[g.numpy() for g in gradients])
