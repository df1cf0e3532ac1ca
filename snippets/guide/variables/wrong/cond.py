"""Deliberately wrong: custom gradients in a branch of tf.cond."""

import tensorflow as tf

w = tf.Variable(2.0)


# truth: the rule is right
@tf.custom_gradient
def product(x):
    def grad(upstream, variables=None):
        return upstream * w, [tf.reduce_sum(upstream * x)]

    return w * x, grad


# truth: the rule is right; x.shape == w.shape
@tf.custom_gradient
def product_of(x, w):
    return w * x, lambda upstream: (upstream * w, upstream * x)


product_in_a_graph = tf.function(product_of)


def reads(x):
    return tf.cond(x > 0.0, lambda: product(x), lambda: x)


def passes(x):
    value = tf.convert_to_tensor(w)
    return tf.cond(x > 0.0, lambda: product_of(x, value), lambda: x)


def calls_a_graph(x):
    value = tf.convert_to_tensor(w)
    return tf.cond(
        x > 0.0, lambda: product_in_a_graph(x, value), lambda: x)


def gradients(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, [x, w])


for function in (reads, passes, calls_a_graph):
    print(function.__name__)
    for mode, run in (
            ("eager", lambda x: gradients(function, x)),
            ("tape in a graph",
             tf.function(lambda x: gradients(function, x))),
            ("tape around a graph",
             lambda x: gradients(tf.function(function), x))):
        try:
            found = run(tf.constant(3.0))
            print(f"  {mode}:", [g.numpy().item() for g in found])
        except (AttributeError, AssertionError) as error:
            said = str(error).strip().rpartition("AttributeError: ")[2]
            print(f"  {mode}: {type(error).__name__} {said}".rstrip())
