"""Ties: who gets the gradient of the largest of [1, 3, 3, 3]."""

import tensorflow as tf

WAYS = {
    "reduce_max": tf.reduce_max,
    "segment_max": lambda x: tf.math.segment_max(x, [0, 0, 0, 0]),
    "norm, ord inf": lambda x: tf.norm(x, ord=float("inf")),
    "maximum, pairwise": lambda x: tf.maximum(
        tf.maximum(x[0], x[1]), tf.maximum(x[2], x[3])),
    "top_k": lambda x: tf.math.top_k(x, 1).values,
    "sort": lambda x: tf.sort(x)[-1],
    "max_pool1d": lambda x: tf.nn.max_pool1d(
        tf.reshape(x, [1, 4, 1]), 4, 4, "VALID"),
    "gather of argmax": lambda x: tf.gather(x, tf.argmax(x)),
}
x = tf.constant([1.0, 3.0, 3.0, 3.0])
for name, function in WAYS.items():
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    g = tf.convert_to_tensor(tape.gradient(y, x)).numpy()
    print(f"{name:18}", *[f"{each + 0.0:6.4f}" for each in g],
          f"  sum {g.sum():.4f}  length {(g @ g) ** 0.5:.4f}")

print("one step of 0.2 from [1. 1.], where the largest is 1.0")
for name in ("reduce_max", "top_k"):
    x = tf.constant([1.0, 1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = WAYS[name](x)
    x -= 0.2 * tf.convert_to_tensor(tape.gradient(y, x))
    print(f"{name:18}", x.numpy(), " the largest is", WAYS[name](x).numpy())
