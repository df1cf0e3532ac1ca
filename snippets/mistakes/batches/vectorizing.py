"""Row by row, nothing is vectorized."""

import tensorflow as tf


@tf.function
def turned(image):
    return tf.image.rot90(image, k=3)


x = tf.ones([2, 2, 1, 1])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    y = turned(x)
jacobian = tape.jacobian(y, x, experimental_use_pfor=False)
print(tf.reshape(jacobian, (4, 4)).numpy().astype(int))
