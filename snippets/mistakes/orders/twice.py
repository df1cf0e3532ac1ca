"""One question with two sources; or a tape that is made to be asked again."""

import tensorflow as tf

x, y = tf.constant(2.0), tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch([x, y])
    z = x * y
print("at once:   ", [each.numpy() for each in tape.gradient(z, [x, y])])

with tf.GradientTape(persistent=True) as tape:
    tape.watch([x, y])
    z = x * y
print("persistent:", [tape.gradient(z, each).numpy() for each in (x, y)])
