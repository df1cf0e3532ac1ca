"""Products with a Hessian, and a Jacobian in chunks, of a Keras model."""

import keras
import tensorflow as tf

keras.utils.set_random_seed(0)
x = tf.random.stateless_normal([6, 3], seed=[1, 2])
targets = tf.random.stateless_normal([6, 2], seed=[3, 4])
model = keras.Sequential([
    keras.Input([3]), keras.layers.Dense(4, "tanh"), keras.layers.Dense(2)])
weights = [w.value for w in model.trainable_variables]


def loss(y):
    return tf.reduce_mean(tf.exp(y) - targets * y)


def flat(parts):  # raises an error if a weight has no gradient
    return tf.concat([tf.reshape(part, [-1]) for part in parts], 0)


def matrix(blocks, m):  # each block has the shape y.shape + w.shape
    return tf.concat([tf.reshape(b, [m, -1]) for b in blocks], 1)


@tf.function
def hvp(v):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            L = loss(model(x))
        g = flat(inner.gradient(L, weights))
    return flat(outer.gradient(
        g, weights, v, unconnected_gradients="zero"))


@tf.function
def gauss_newton_product(v):
    with tf.GradientTape() as second:
        with tf.GradientTape(persistent=True) as first:
            y = model(x)
        u = tf.zeros_like(y)  # the derivative for u is the same at any u
        second.watch(u)
        JTu = flat(first.gradient(y, weights, u))
    Jv = second.gradient(JTu, u, v)
    with tf.GradientTape() as outer:
        outer.watch(y)
        with tf.GradientTape() as inner:
            inner.watch(y)
            L = loss(y)
        slope = inner.gradient(L, y)
    HJv = outer.gradient(slope, y, Jv, unconnected_gradients="zero")
    return flat(first.gradient(y, weights, HJv))


@tf.function
def rows(start, count):  # of the Jacobian of all outputs
    with tf.GradientTape() as tape:
        y = tf.reshape(model(x), [-1])[start:start + count]
    return matrix(tape.jacobian(y, weights), tf.size(y))


with tf.GradientTape(persistent=True) as outer:  # for comparison: whole
    with tf.GradientTape() as inner:
        y = model(x)
        L = loss(y)
    g = flat(inner.gradient(L, weights))
J = matrix(outer.jacobian(y, weights), 12)
H = matrix(outer.jacobian(g, weights), 26)
G = tf.matmul(J, tf.reshape(tf.exp(y) / 12.0, [12, 1]) * J, True)
v = tf.random.stateless_normal([26], seed=[5, 6])
for name, product, whole in (
        ("H v", hvp, H), ("G v", gauss_newton_product, G)):
    print(name, product(v)[:4].numpy().round(4), " from the whole matrix",
          tf.linalg.matvec(whole, v)[:4].numpy().round(4))
chunks = [rows(tf.constant(i), 5).numpy() for i in range(0, 12, 5)]
print("chunks", [chunk.shape for chunk in chunks], " agree:",
      bool(tf.reduce_all(tf.abs(tf.concat(chunks, 0) - J) < 1e-5)))
