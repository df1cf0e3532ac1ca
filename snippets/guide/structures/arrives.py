"""The upstream gradient of each output: used, unused, or not a float."""

import tensorflow as tf


def described(upstream):
    if upstream is None:
        return "None"
    values = getattr(upstream, "numpy", lambda: None)()
    return f"{upstream.dtype.name} " + (
        "tensor" if values is None else str(values.tolist()))


@tf.custom_gradient
def four(x):
    def grad(used, unused, index, mask):
        for name, upstream in [("used", used), ("unused", unused),
                               ("index", index), ("mask", mask)]:
            print(f"  {name:6}", described(upstream))
        return 2.0 * used + 3.0 * unused

    return (2.0 * x, 3.0 * x, tf.argmax(x), x > 0.0), grad


def gradient(run, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        used, _, _, _ = run(x)
    return tape.gradient(used, x, output_gradients=row)


def show(gradient):
    print("  downstream", gradient.numpy())


x, row = tf.constant([1.0, -1.0]), tf.constant([5.0, 7.0])
print("eager")
show(gradient(four, x))
print("tape and custom gradient inside tf.function")
show(tf.function(lambda: gradient(four, x), autograph=False)())
print("tape outside the tf.function")
show(gradient(tf.function(lambda x: four(x), autograph=False), x))
print("tf.gradients")
show(tf.function(lambda: tf.gradients(four(x)[0], x, row)[0],
                 autograph=False)())
