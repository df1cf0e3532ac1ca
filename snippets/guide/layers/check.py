"""Every row of the table, along a random direction, in three ways."""

import numpy as np
import tensorflow as tf

rng = np.random.default_rng(0)
t, EPSILON = rng.uniform(0.1, 1.0, 4), 1e-3
t = t / t.sum()


def draw(*shape):
    return tf.constant(rng.standard_normal(shape))


def mean(x):
    return tf.reduce_mean(x, axis=-1, keepdims=True)


def normalized(x):
    c = x - mean(x)
    s = tf.sqrt(mean(c * c) + EPSILON)
    return c / s, s


def layer_norm(x, gamma, beta):
    return gamma * normalized(x)[0] + beta


def of_layer_norm(upstream, y, x, gamma, beta):
    r, s = normalized(x)
    r_bar = upstream * gamma
    return ((r_bar - mean(r_bar) - r * mean(r_bar * r)) / s,
            tf.reduce_sum(upstream * r, 0), tf.reduce_sum(upstream, 0))


def conv(X, K):
    return tf.nn.conv2d(X, K, 1, "VALID")


def of_conv(upstream, Y, X, K):
    P = tf.image.extract_patches(X, [1, 2, 2, 1], [1] * 4, [1] * 4, "VALID")
    K_bar = tf.tensordot(P, upstream, [[0, 1, 2], [0, 1, 2]])
    return (tf.nn.conv2d_transpose(upstream, K, X.shape, 1, "VALID"),
            tf.reshape(K_bar, K.shape))


# Name, function, gradient(upstream, output, inputs), inputs.
rows = [
    ("softmax", tf.nn.softmax,
     lambda upstream, p, z: p * (upstream - tf.reduce_sum(upstream * p)),
     [draw(4)]),
    ("cross-entropy",
     lambda z: tf.nn.softmax_cross_entropy_with_logits(labels=t, logits=z),
     lambda upstream, y, z: upstream * (tf.nn.softmax(z) - t), [draw(4)]),
    ("layer normalization", layer_norm, of_layer_norm,
     [draw(5, 3), draw(3), draw(3)]),
    ("convolution", conv, of_conv, [draw(2, 3, 4, 1), draw(2, 2, 1, 2)])]

print(f"{'':20}{'formula':>10}{'TensorFlow':>12}{'differences':>13}")
for name, function, formula, inputs in rows:
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        Y = function(*inputs)
    U, V = draw(*Y.shape), [draw(*x.shape) for x in inputs]
    by_tape = tape.gradient(Y, inputs, output_gradients=U)
    by_formula = tf.nest.flatten(formula(U, Y, *inputs))
    plus, minus = (function(*(x + h * v for x, v in zip(inputs, V)))
                   for h in (1e-5, -1e-5))
    print(f"{name:20}"
          f"{sum(np.sum(g * v) for g, v in zip(by_formula, V)):10.5f}"
          f"{sum(np.sum(g * v) for g, v in zip(by_tape, V)):12.5f}"
          f"{np.sum(U * (plus - minus)) / 2e-5:13.5f}")
