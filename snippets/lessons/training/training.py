"""A variable trains through sign with the gradient of a surrogate."""
# tracebook: rel=1e-4

import tensorflow as tf


# truth: the gradient of tf.sigmoid
@tf.custom_gradient
def sign(x):
    def grad(upstream):
        y_tilde = tf.sigmoid(x)
        local = y_tilde * (1.0 - y_tilde)
        downstream = upstream * local
        return downstream

    return tf.sign(x), grad


learning_rate = 0.1
x = tf.Variable(-1.0)
optimizer = tf.keras.optimizers.Adam(learning_rate)

for step in range(100):
    with tf.GradientTape() as tape:
        y = sign(x)
        loss = 0.5 * (y - 1.0) ** 2
    gradient = tape.gradient(loss, x)
    optimizer.apply([gradient], [x])
    if step % 10 == 0:
        tf.print("step", step, " loss =", loss, " gradient =", gradient,
                 " then x =", x)
