"""One function, |x|, written in eleven forms: the gradient at 0."""

import tensorflow as tf

WAYS = {
    "abs(x)": tf.abs,
    "maximum(x, -x)": lambda x: tf.maximum(x, -x),
    "maximum(-x, x)": lambda x: tf.maximum(-x, x),
    "reduce_max([x, -x])": lambda x: tf.reduce_max([x, -x]),
    "relu(x) + relu(-x)": lambda x: tf.nn.relu(x) + tf.nn.relu(-x),
    "2 maximum(x, 0) - x": lambda x: 2.0 * tf.maximum(x, 0.0) - x,
    "where(x > 0, x, -x)": lambda x: tf.where(x > 0.0, x, -x),
    "where(x >= 0, x, -x)": lambda x: tf.where(x >= 0.0, x, -x),
    "x sign(x)": lambda x: x * tf.sign(x),
    "sqrt(x**2)": lambda x: tf.sqrt(x**2),
    "norm([x])": lambda x: tf.norm([x]),
}


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


def mode(function, **options):
    run = tf.function(lambda x: gradient(function, x), autograph=False,
                      **options)
    return run.get_concrete_function(tf.constant(0.0))(tf.constant(0.0))


print("                       at -2   at 2   at 0   graph  XLA")
for name, function in WAYS.items():
    three = [gradient(function, tf.constant(x)) for x in (-2.0, 2.0, 0.0)]
    three += [mode(function), mode(function, jit_compile=True)]
    print(f"{name:21}", *[f"{g:6.1f}" for g in three])
