"""The value of sign with five gradients: derivatives and forward mode."""

import tensorflow as tf


# truth: the gradient of tf.tanh
@tf.custom_gradient
def custom(x):
    def grad(upstream):
        return upstream * (1.0 - tf.tanh(x) ** 2)

    return tf.sign(x), grad


def trick(x):
    s = tf.tanh(x)
    c = tf.stop_gradient(tf.sign(x) - s)
    return s + c


def first(method, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = method(x)
    return tape.gradient(y, x)


def second(method, x):
    result = first(method, x)
    return result if result is None else first(lambda x: first(method, x), x)


def forward(method, x):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = method(x)
    return accumulator.jvp(y)


# truth: the gradient of x
passed = tf.grad_pass_through(tf.sign)
methods = {"tf.sign": tf.sign, "stop_gradient": lambda x: tf.stop_gradient(
    tf.sign(x)), "pass through": passed, "trick": trick, "custom": custom}
print("               y   first, graph    second, graph   forward, graph")
for name, method in methods.items():
    x, row = tf.constant(0.5), []
    for mode in (first, second, forward):
        graph = tf.function(lambda x: mode(method, x)).get_concrete_function(x)
        row += [mode(method, x), graph(x)]
    print(f"{name:13} {method(x):.0f}", *[
        "   None" if each is None else f"{each:7.4f}" for each in row])
