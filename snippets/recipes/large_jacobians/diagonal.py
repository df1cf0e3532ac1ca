"""Trace and diagonal of a Hessian, from products with random signs."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
x = tf.random.stateless_normal([64, 4], seed=[1, 2])
model = keras.Sequential([
    keras.Input([4]), keras.layers.Dense(8, "tanh"), keras.layers.Dense(1)])
weights = model.trainable_variables
n = int(sum(tf.size(w) for w in weights))


def flat(parts):
    return tf.concat([tf.reshape(part, [-1]) for part in parts], 0)


@tf.function
def hvp(v):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            L = tf.reduce_mean(tf.exp(model(x)))
        g = flat(inner.gradient(L, weights))
    return flat(outer.gradient(g, weights, v))


@tf.function
def diagonal(count):
    total = tf.zeros([n])
    for i in tf.range(count):
        bits = tf.random.stateless_uniform([n], [i, 0], 0, 2, tf.int32)
        signs = tf.cast(2 * bits - 1, tf.float32)
        total += signs * hvp(signs)
    return total / tf.cast(count, tf.float32)


H = tf.stack([hvp(column) for column in tf.eye(n)])
exact = tf.linalg.diag_part(H)
print(f"exact       trace {tf.reduce_sum(exact):.1f}")
for count in 10, 100, 1000:
    estimate = diagonal(tf.constant(count))
    error = tf.norm(estimate - exact) / tf.norm(exact)
    print(f"{count:4} signs  trace {tf.reduce_sum(estimate):.1f}"
          f"  error of the diagonal {error:.1f}")
