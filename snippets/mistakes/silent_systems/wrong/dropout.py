"""Deliberately wrong: the second forward pass draws new numbers."""

import tensorflow as tf

tf.random.set_seed(1)


def dropped(x):
    return tf.nn.dropout(x, 0.5)


x = tf.ones([8])
for name, function in (
        ("wrong", tf.recompute_grad(dropped)), ("right", dropped)):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    print(f"{name} y = x *", y.numpy().astype(int))
    print(f"{name} dy/dx =", tape.gradient(y, x).numpy().astype(int))
