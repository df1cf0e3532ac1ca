"""Deliberately wrong: removing the error also removes the gradient."""

import tensorflow as tf

w = tf.Variable(2.0)


def by_closure(x):
    tensor = tf.convert_to_tensor(w)

    # truth: the rule is right
    @tf.custom_gradient
    def product(x):
        return tensor * x, lambda upstream: upstream * tensor

    return product(x)


@tf.custom_gradient
def no_gradient(x):
    return w * x, lambda upstream, variables: (upstream * w, [None])


def by_argument(x):
    # truth: the rule is right; x.shape == tensor.shape
    @tf.custom_gradient
    def product(x, tensor):
        return tensor * x, lambda upstream: (upstream * tensor, upstream * x)

    return product(x, tf.convert_to_tensor(w))


for function in (by_closure, no_gradient, by_argument):
    for watched in (False, True):
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            if watched:
                tape.watch(x)
            loss = function(x)
        gradient = tape.gradient(loss, w)
        print(f"{function.__name__:12} x watched: {watched!s:6}"
              f" gradient: {None if gradient is None else gradient.numpy()}")
