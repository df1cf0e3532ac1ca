"""Only the first derivative is allowed: a second one raises an error."""

import tensorflow as tf


def once(downstream, x):
    both = tf.raw_ops.PreventGradient(
        input=tf.stack([downstream, x]), message="one derivative only")
    return both[0]


# truth: first derivative only
@tf.custom_gradient
def cube(x):
    def grad(upstream):
        local = tf.numpy_function(lambda x: 3 * x ** 2, [x], x.dtype)
        return once(upstream * local, x)

    return x ** 3.0, grad


def gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = cube(x)
    return tape.gradient(y, x)


def curvature(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        first = gradient(x)
    return tape.gradient(first, x)


def forward(x):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = cube(x)
    return accumulator.jvp(y)


x = tf.constant(10.0)
for function in gradient, curvature, forward:
    graph = tf.function(function, autograph=False)
    for mode, run in ("eager", function), ("tf.function", graph):
        try:
            print(f"{function.__name__:9}  {mode:11}  {run(x)}")
        except LookupError as error:
            print(f"{function.__name__:9}  {mode:11}  {error}")
