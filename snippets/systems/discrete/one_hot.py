"""A one-hot sample of three classes, with the gradient of a softmax."""

import tensorflow as tf

stop = tf.stop_gradient


def one_hot(theta, g, tau=1.0):
    y = tf.nn.softmax((theta + g) / tau)
    hard = tf.one_hot(tf.argmax(y, -1), y.shape[-1], dtype=y.dtype)
    return stop(hard) + (y - stop(y))


theta = tf.constant([0.0, 1.0, 2.0])
u = tf.random.stateless_uniform([3, 3], seed=[5, 2], minval=1e-20)
gumbel = -tf.math.log(-tf.math.log(u))
cost = tf.constant([1.0, 2.0, 4.0])
for name, g in (*(("sample", each) for each in gumbel),
                ("argmax", tf.zeros([3]))):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(theta)
        z = one_hot(theta, g)
        loss = tf.reduce_sum(cost * z)
        soft = tf.reduce_sum(cost * tf.nn.softmax(theta + g))
    same = tape.gradient(loss, theta) - tape.gradient(soft, theta)
    print(f"{name}  z = {z.numpy()}  gradient"
          f" {tape.gradient(loss, theta).numpy().round(4)}"
          f"  equals softmax gradient: {bool(tf.reduce_all(same == 0.0))}")
