"""A custom gradient with a variable, in a branch and in loops."""

import tensorflow as tf


# truth: x.shape == v.shape
@tf.custom_gradient
def passed(x, v):
    def grad(upstream):
        return upstream * 2.0 * x * v, upstream * x * x

    return x * x * v, grad


# truth: x.shape == []
@tf.custom_gradient
def read(x):
    def grad(upstream, variables=None):
        return upstream * 2.0 * x * w, [upstream * x * x]

    return x * x * w, grad


def gradients(function):
    def run(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tf.stack(tape.gradient(y, [x, w]))

    return run


def tried(run):
    try:
        return "right" if max(abs(run(x) - expected)) < 1e-5 else "wrong"
    except (AssertionError, AttributeError, ValueError) as error:
        return type(error).__name__


constructs = {
    "cond": lambda f, x: tf.cond(x > 0.0, lambda: f(x), lambda: x),
    "while_loop": lambda f, x: tf.while_loop(
        lambda i, y: i < 3, lambda i, y: (i + 1, f(y)), (0, x),
        maximum_iterations=3)[1],
    "cond in while": lambda f, x: tf.while_loop(
        lambda i, y: i < 3, lambda i, y: (i + 1, tf.cond(
            y > 0.0, lambda: f(y), lambda: y)), (0, x),
        maximum_iterations=3)[1],
    "scan": lambda f, x: tf.scan(lambda y, _: f(y), tf.range(3), x)[-1],
    "map_fn": lambda f, x: tf.reduce_sum(tf.map_fn(f, tf.stack([x, x + 1.0]))),
}
x, w, apart = tf.constant(0.5), tf.Variable(1.5), tf.function(passed)
tf.get_logger().setLevel("ERROR")  # no warnings on retracing
print(" " * 24, "eager, tape inside, tape outside, XLA")
for name, construct in constructs.items():
    expected = gradients(lambda x: construct(lambda y: y * y * w, x))(x)
    for what, rule in (("read", lambda y, v: read(y)), ("passed", passed),
                       ("apart", apart)):
        def function(x):
            v = tf.identity(w)
            return construct(lambda y: rule(y, v), x)

        taped = gradients(function)
        found = [tried(run) for run in (
            taped, tf.function(taped), gradients(tf.function(function)),
            tf.function(taped, jit_compile=True))]
        print(f"{name:13} {what:10} {', '.join(found)}")
