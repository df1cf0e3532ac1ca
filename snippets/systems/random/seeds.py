"""Does a recomputed block draw the same numbers in both runs?"""

import tensorflow as tf

tf.random.set_seed(1)
tf.get_logger().setLevel("ERROR")  # no warning on retracing
generator = tf.random.Generator.from_seed(1)
outside = tf.random.normal([4])
for name, noise in {
        "tf.random.normal": lambda: tf.random.normal([4]),
        "with a seed": lambda: tf.random.normal([4], seed=7),
        "tf.random.Generator": lambda: generator.normal([4]),
        "stateless_normal": lambda: tf.random.stateless_normal([4], [1, 2]),
        "drawn outside": lambda: outside}.items():
    def block(x):
        return x * noise()

    def both(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.recompute_grad(block)(x)
        return y, tape.gradient(y, x)

    x, found = tf.ones([4]), []
    for run in both, tf.function(both), tf.function(both, jit_compile=True):
        y, slope = run(x)
        found.append(bool(tf.reduce_all(abs(y - slope * x) < 1e-6)))
    print(f"{name:19}  same numbers: eager {found[0]}, graph {found[1]},"
          f" XLA {found[2]}")
