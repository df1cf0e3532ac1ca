"""NaN in the input of a maximum, eagerly and under XLA."""

import tensorflow as tf

tf.get_logger().setLevel("ERROR")
nan = float("nan")


def slope(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return y, tape.gradient(y, x)


functions = {
    "reduce_max": tf.reduce_max,
    "reduce_min": tf.reduce_min,
    "maximum": lambda x: tf.reduce_sum(tf.maximum(x, 1.5)),
    "relu": lambda x: tf.reduce_sum(tf.nn.relu(x)),
}
for x in tf.constant([1.0, 2.0, nan]), tf.constant([nan, nan]):
    print("x =", x.numpy())
    for name, function in functions.items():
        compiled = tf.function(slope, jit_compile=True, autograph=False)
        for mode, run in ("eager", slope), ("XLA", compiled):
            y, gradient = run(function, x)
            print(f"  {name:11} {mode:5} y = {y.numpy()}  {gradient.numpy()}")
