"""Forward mode through three custom gradients, in three places."""

import tensorflow as tf


# truth: upstream becomes -upstream
@tf.custom_gradient
def reverse(x):
    return tf.identity(x), lambda upstream: -upstream


# truth: upstream becomes tf.clip_by_value(upstream, -0.5, 0.5)
@tf.custom_gradient
def clip(x):
    return tf.identity(x), lambda u: tf.clip_by_value(u, -0.5, 0.5)


# truth: the gradient of tf.identity
@tf.custom_gradient
def round_through(x):
    return tf.round(x), lambda upstream: upstream


def forward(function, x):
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = function(x)
    return accumulator.jvp(y)


def backward(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


def three_places(mode, function):
    graph = tf.function(function, autograph=False)
    inside = tf.function(lambda x: mode(function, x), autograph=False)
    inside = inside.get_concrete_function(x)
    three = mode(function, x), inside(x), mode(graph, x)
    return "  ".join(f"{each:6.2f}" for each in three)


x = tf.constant(2.7)
print("               reverse mode            forward mode")
print("                eager  inside outside   eager  inside outside"
      "  differences")
for function in (reverse, clip, round_through):
    differences = (function(x + 0.125) - function(x - 0.125)) / 0.25
    print(f"{function.__name__:13} ", three_places(backward, function), " ",
          three_places(forward, function), f"       {differences:6.2f}")
