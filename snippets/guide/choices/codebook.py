"""The nearest vector of a codebook, straight through."""

import tensorflow as tf


# truth: the gradient of z; z.shape == e.shape; e needs no gradient
@tf.custom_gradient
def straight(z, e):
    return tf.identity(e), lambda upstream: (upstream, None)


E = tf.Variable([[0.0, 0.0], [1.0, 1.0], [4.0, 0.0]])
z = tf.Variable([1.5, 0.5])
target = tf.constant([2.0, 2.0])
stop = tf.stop_gradient
with tf.GradientTape(persistent=True) as tape:
    e = E[tf.argmin(tf.reduce_sum((E - z) ** 2, 1))]
    q = straight(z, e)
    task = tf.reduce_sum((q - target) ** 2)
    L = task + tf.reduce_sum((stop(z) - e) ** 2)
    L += 0.25 * tf.reduce_sum((z - stop(e)) ** 2)
print("q       ", q.numpy().tolist())
print("E       ", tf.convert_to_tensor(tape.gradient(L, E)).numpy().tolist())
print("z       ", tape.gradient(L, z).numpy().tolist())
print("task, z ", tape.gradient(task, z).numpy().tolist())
