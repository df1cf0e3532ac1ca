"""The gradient of a shift: None, and with map_coordinates."""

import keras
import tensorflow as tf

ops = keras.ops
image = tf.random.stateless_normal([1, 6, 6, 1], seed=[1, 2])
transform = tf.constant([1.0, 0.0, 0.3, 0.0, 1.0, 0.2, 0.0, 0.0])


def built_in(transform):
    return ops.image.affine_transform(image, transform)


def by_coordinates(transform):
    a, b, c, d, e, f, _, _ = tf.unstack(transform)
    y, x = tf.meshgrid(tf.range(6.0), tf.range(6.0), indexing="ij")
    return ops.image.map_coordinates(
        image[0, :, :, 0], tf.stack([d * x + e * y + f, a * x + b * y + c]),
        order=1)


for warp in built_in, by_coordinates:
    with tf.GradientTape() as tape:
        tape.watch(transform)
        loss = tf.reduce_sum(tf.square(warp(transform)))
    gradient = tape.gradient(loss, transform)
    print(f"{warp.__name__:14} loss {loss:.3f} ",
          gradient if gradient is None else gradient[:6].numpy().round(2))
step = 0.01 * tf.one_hot(2, 8)
up, down = [tf.reduce_sum(tf.square(built_in(transform + sign * step)))
            for sign in (1.0, -1.0)]
print(f"difference for the shift along x: {(up - down) / 0.02:.2f}")
