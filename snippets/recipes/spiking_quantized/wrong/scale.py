"""Deliberately wrong: a step without LSQ's scale, and one in Adam."""

import keras
import tensorflow as tf


def quantize(x, s, low, high, scale):
    @tf.custom_gradient
    def lsq(x, s):
        v = x / s
        inside = tf.cast((low <= v) & (v <= high), x.dtype)
        r = tf.round(tf.clip_by_value(v, low, high))

        def grad(upstream):
            by_s = tf.reduce_sum(upstream * (r - inside * v))
            return upstream * inside, by_s * scale

        return s * r, grad

    return lsq(x, s)


kernel = 0.05 * tf.random.stateless_normal([256, 256], seed=[1, 2])
x = tf.random.stateless_normal([64, 256], seed=[3, 4])
target = x @ tf.random.stateless_normal([256, 256], seed=[5, 6]) * 0.05
start = 2 * tf.reduce_mean(tf.abs(kernel)) / 3 ** 0.5


def train(scale, optimizer, to_step=tf.identity, value=start, count=4):
    w, variable = tf.Variable(kernel), tf.Variable(value)
    history = []
    for _ in range(count):
        with tf.GradientTape() as tape:
            s = to_step(variable)
            q = quantize(w, s, -3.0, 3.0, scale)
            loss = tf.reduce_mean((x @ q - target) ** 2)
        by_w, by_s = tape.gradient(loss, [w, variable])
        ratio = by_s / variable / (tf.norm(by_w) / tf.norm(w))
        optimizer.apply_gradients([(by_w, w), (by_s, variable)])
        history.append(to_step(variable).numpy())
    return abs(ratio), history


sgd, adam = keras.optimizers.SGD, keras.optimizers.Adam
scale = (kernel.shape.num_elements() * 3.0) ** -0.5
for name, factor in ("with", scale), ("without", 1.0):
    ratio, _ = train(factor, sgd(0.0), count=1)
    _, steps = train(factor, sgd(0.1))
    _, one = train(factor, adam(0.1), count=1)
    print(f"{name:8} scale: ratio {ratio:.0e}, step {start:.2f},"
          f" SGD {min(steps):.2f} to {max(steps):.2f}, Adam {one[0]:.2f}")
_, one = train(scale, adam(0.1), tf.exp, tf.math.log(start), count=1)
print(f"Adam on the logarithm: {one[0]:.3f}")
positive = tf.constant([0.0, 0.1, 0.2])
for s in 0.06, -0.04:
    q = quantize(positive, tf.constant(s), 0.0, 7.0, 1.0)
    print(f"activations with step {s}:", abs(q.numpy()).round(2))
