"""Deliberately wrong: a decorated function as an argument of tf.function."""

import tensorflow as tf


# truth: the rule is right; the gradient of x
@tf.custom_gradient
def rounded(x):
    def grad(upstream):
        return upstream

    return tf.round(x), grad


def slope(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


# truth: the rule is right; the gradient of x
passed = tf.grad_pass_through(tf.round)
in_graph = tf.function(slope)
x = tf.constant(1.3)
for function in (passed, rounded):
    def by_name(x):
        return function(x)

    print("eager                    ", slope(function, x))
    print("tf.function, by its name ", in_graph(by_name, x))
    try:
        print("tf.function, as argument ", in_graph(function, x))
    except TypeError as error:
        [line] = [each for each in str(error).splitlines()
                  if "TypeError" in each]
        print(line.partition("<function")[0].strip(), "…")
