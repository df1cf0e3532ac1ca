"""Solution: quantize to eight bits, with the gradient of the range only."""

import tensorflow as tf

LOW, HIGH, LEVELS = -1.0, 1.55, 255


# truth: the gradient of tf.clip_by_value(x, LOW, HIGH)
@tf.custom_gradient
def quantize(x):
    step = (HIGH - LOW) / LEVELS
    level = tf.round((tf.clip_by_value(x, LOW, HIGH) - LOW) / step)

    def grad(upstream):
        inside = tf.logical_and(x >= LOW, x <= HIGH)
        return tf.where(inside, upstream, tf.zeros_like(upstream))

    return LOW + step * level, grad


def built_in(x):
    return tf.quantization.fake_quant_with_min_max_args(x, LOW, HIGH, 8)


def both(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
        L = 0.5 * tf.reduce_sum((y - 1.0) ** 2)
    return y, tape.gradient(L, x)


x = tf.constant([-3.0, -1.0, -0.504, 0.497, 1.55, 4.0])
print("x        =", x.numpy())
for function in (quantize, built_in):
    y, gradient = both(function, x)
    print(f"{function.__name__:8} = {y.numpy().round(5)}"
          f"  dL/dx = {gradient.numpy().round(5)}")
many = tf.random.stateless_uniform([10000], [1, 2], -2.0, 2.5)
for name, mine, its in zip(("value", "gradient"), both(quantize, many),
                           both(built_in, many)):
    print(name, "the same at 10000 points:",
          bool(tf.reduce_all(tf.abs(mine - its) < 1e-6)))
