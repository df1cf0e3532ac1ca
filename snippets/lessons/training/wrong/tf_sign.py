"""Deliberately wrong: through tf.sign itself, the variable doesn't move."""

import tensorflow as tf

x = tf.Variable(-1.0)
optimizer = tf.keras.optimizers.Adam(learning_rate=0.1)

for step in range(100):
    with tf.GradientTape() as tape:
        y = tf.sign(x)
        loss = 0.5 * (y - 1.0) ** 2
    gradient = tape.gradient(loss, x)
    optimizer.apply([gradient], [x])
    if step in (0, 50, 99):
        tf.print("step", step, " loss =", loss, " gradient =", gradient,
                 " then x =", x)
