"""Deliberately wrong: complex steps that silently lose the derivative."""

import tensorflow as tf

h = 1e-20
x = tf.constant([3.0, -4.0], tf.float64)
v = tf.constant([1.0, 1.0], tf.float64)
z = tf.complex(x, h * v)
for name, square in (
        ("x * x", lambda x: tf.reduce_sum(x * x)),
        ("abs(x) ** 2", lambda x: tf.reduce_sum(tf.abs(x) ** 2)),
        ("norm(x) ** 2", lambda x: tf.norm(x) ** 2),
        ("adjoint", lambda x: tf.matmul([x], [x], adjoint_b=True)[0, 0])):
    y = tf.cast(square(z), tf.complex128)
    with tf.GradientTape() as tape:
        tape.watch(x)
        real = square(x)
    print(f"{name:12}  complex step {tf.math.imag(y) / h + 0.0:5.2f}"
          f"   tape {tf.reduce_sum(v * tape.gradient(real, x)):5.2f}")

for function in (tf.nn.relu, tf.nn.softplus, tf.nn.softmax, tf.maximum):
    name = function.__name__.partition("_")[0]
    try:
        function(z, z) if function is tf.maximum else function([z])
        print(name, "accepts complex numbers")
    except tf.errors.InvalidArgumentError:
        print(name, "raises an error for complex numbers")
