"""A row on paper, a column on paper, and what TensorFlow returns."""

import tensorflow as tf

W = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
x = tf.Variable([1.0, 1.0, 1.0])
upstream = tf.constant([1.0, 10.0])

with tf.GradientTape(persistent=True) as tape:
    y = tf.linalg.matvec(W, x)

J = tape.jacobian(y, x)  # one row for each output
row = upstream[tf.newaxis, :] @ J
column = tf.transpose(J) @ upstream[:, tf.newaxis]
downstream = tape.gradient(y, x, output_gradients=upstream)

for name, value in [
        ("x", x), ("y", y), ("J", J), ("upstream", upstream), ("row", row),
        ("column", column), ("downstream", downstream)]:
    shape = f"{value.shape.as_list()}"
    print(f"{name:10}  shape {shape:6}  {value.numpy().tolist()}")
