"""Where the gradient function is used: 10 is its result, 1 and 0 are not."""

import tensorflow as tf


# truth: downstream becomes 10.0 * downstream
@tf.custom_gradient
def identity(x):
    return tf.identity(x), lambda upstream: 10.0 * upstream


# truth: the gradient of tf.identity; downstream becomes 10.0 * downstream
@tf.custom_gradient
def rounded(x):
    return tf.round(x), lambda upstream: 10.0 * upstream


def taped(function, x, how="gradient", **options):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = function(x)
    return getattr(tape, how)(y, x, **options)


def batch(f, x, **options):
    return taped(f, x[:, tf.newaxis], "batch_jacobian", **options)


def once(f, x):
    def step(n, x):
        return n + 1, f(x)

    return tf.while_loop(lambda n, x: n < 1, step, [0, x])[1]


slow = {"experimental_use_pfor": False}
places = {
    "no map or loop": lambda f, x: taped(f, x),
    "tf.map_fn": lambda f, x: taped(lambda x: tf.map_fn(f, x), x),
    "tf.while_loop": lambda f, x: taped(lambda x: once(f, x), x),
    "tf.vectorized_map": lambda f, x: taped(
        lambda x: tf.vectorized_map(f, x), x),
    "  of a tf.function": lambda f, x: taped(
        lambda x: tf.vectorized_map(tf.function(f), x), x),
    "  around the tape": lambda f, x: tf.vectorized_map(
        lambda x: taped(f, x), x),
    "tape.jacobian": lambda f, x: taped(f, x, "jacobian"),
    "  without pfor": lambda f, x: taped(f, x, "jacobian", **slow),
    "tape.batch_jacobian": batch,
    "  without pfor ": lambda f, x: batch(f, x, **slow),
}
tf.get_logger().setLevel("ERROR")  # no warnings on retracing
x = tf.constant([0.25, 2.0])
for name, place in places.items():
    print(f"{name:20}", end="")
    for f in identity, rounded:
        graph = tf.function(lambda x: place(f, x), autograph=False)
        eager, traced = (float(tf.reduce_max(tf.convert_to_tensor(each)))
                         for each in (place(f, x), graph(x)))
        print(f"  {f.__name__} = {eager}, {traced}", end="")
    print()
