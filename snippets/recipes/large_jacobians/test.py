"""Two tests of a Hessian-vector product: symmetry, and differences."""

import keras
import tensorflow as tf

keras.config.set_floatx("float64")
x = tf.random.stateless_normal([6, 3], [1, 2], dtype=tf.float64)


def flat(parts):
    return tf.concat([tf.reshape(part, [-1]) for part in parts], 0)


def test(name, layer, training):
    keras.utils.set_random_seed(0)
    model = keras.Sequential([
        keras.Input([3]), keras.layers.Dense(4, "tanh"), layer,
        keras.layers.Dense(1)])
    weights = model.trainable_variables

    def gradient():
        with tf.GradientTape() as tape:
            y = model(x, training=training)
            L = tf.reduce_mean(tf.exp(y))
        return flat(tape.gradient(L, weights))

    def hvp(v):
        with tf.GradientTape() as tape:
            g = gradient()
        return flat(tape.gradient(g, weights, v))

    def move(d):
        parts = tf.split(d, [tf.size(w) for w in weights])
        for w, part in zip(weights, parts):
            w.assign_add(tf.reshape(part, w.shape))

    before = layer.get_weights()
    n = int(sum(tf.size(w) for w in weights))
    u, v = tf.random.stateless_normal([2, n], [3, 4], dtype=tf.float64)
    Hu, Hv = hvp(u), hvp(v)
    asymmetry = abs(tf.reduce_sum(u * Hv) - tf.reduce_sum(v * Hu))
    changed = any((a != b).any() for a, b in zip(before, layer.get_weights()))
    h = 1e-5
    move(h * v)
    change = gradient()
    move(-2.0 * h * v)
    change = (change - gradient()) / (2.0 * h)
    error = tf.norm(change - Hv) / tf.norm(Hv)
    print(f"{name:20} {training!s:5}  symmetric: {bool(asymmetry < 1e-8)!s:5}"
          f"  differences agree: {bool(error < 1e-6)!s:5}"
          f"  layer unchanged: {not changed}")


for training in True, False:
    test("dense", keras.layers.Dense(4, "tanh"), training)
    test("dropout", keras.layers.Dropout(0.5, seed=0), training)
    test("layer normalization", keras.layers.LayerNormalization(), training)
    test("batch normalization", keras.layers.BatchNormalization(), training)
