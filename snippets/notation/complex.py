"""The bar is the gradient and the star is the conjugate: different numbers."""

import tensorflow as tf

z = tf.constant(1.0 + 2.0j, tf.complex64)
with tf.GradientTape() as tape:
    tape.watch(z)
    loss = tf.math.real(z * tf.math.conj(z))

print("z        :", z.numpy())
print("z with * :", tf.math.conj(z).numpy())
print("loss     :", loss.numpy())
print("z with ¯ :", tape.gradient(loss, z).numpy())
