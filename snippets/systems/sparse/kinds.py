"""What a gradient function receives: a list of rows, or a tensor."""

import tensorflow as tf

tf.get_logger().setLevel("ERROR")  # no warnings on retracing
arrived = []


@tf.custom_gradient
def seen(x):
    def grad(upstream):
        arrived.append(upstream)
        return upstream

    return tf.identity(x), grad


x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
for name, behind in {
        "tf.gather": lambda y: tf.gather(y, [0, 0, 2]),
        "tf.nn.embedding_lookup":
            lambda y: tf.nn.embedding_lookup(y, [0, 0, 2]),
        "tf.gather_nd, rows": lambda y: tf.gather_nd(y, [[0], [0], [2]]),
        "two lookups": lambda y: tf.gather(y, 0) + tf.gather(y, [0, 2]),
        "tf.gather, columns": lambda y: tf.gather(y, [0, 0], axis=1),
        "tf.gather_nd, numbers": lambda y: tf.gather_nd(y, [[0, 1]]),
        "y[0]": lambda y: y[0],
        "tf.boolean_mask": lambda y: tf.boolean_mask(y, [True, False, True]),
        "a product, tf.gather": lambda y: tf.gather(2.0 * y, [0, 0, 2]),
        "tf.gather, and a sum":
            lambda y: tf.reduce_sum(tf.gather(y, [0])) + tf.reduce_sum(y)
        }.items():
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = behind(seen(x))
        return tape.gradient(y, x)

    arrived.clear()
    for run in gradient, tf.function(gradient):
        run(x)
    eager, graph = ("rows" if isinstance(each, tf.IndexedSlices)
                    else "a tensor" for each in arrived)
    print(f"{name:22}  eager: {eager:8}  graph: {graph}")
