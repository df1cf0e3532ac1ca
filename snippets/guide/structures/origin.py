"""What TensorFlow returns where polar coordinates have no derivative."""

import tensorflow as tf

print("     x      y     r   theta   dr/dx   dr/dy  dth/dx  dth/dy")
for x, y in [(-2.0, 1e-6), (-2.0, -1e-6), (1e-3, 0.0), (0.0, 0.0)]:
    x, y = tf.constant(x), tf.constant(y)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        r, theta = tf.sqrt(x * x + y * y), tf.atan2(y, x)
    slopes = tape.gradient(r, [x, y]) + tape.gradient(theta, [x, y])
    print(f"{x.numpy():6.3f} {y.numpy():6.0e} {r.numpy():5.3f}"
          f" {theta.numpy():7.4f}",
          "".join(f"{round(float(slope), 1) + 0.0:8.1f}" for slope in slopes))
