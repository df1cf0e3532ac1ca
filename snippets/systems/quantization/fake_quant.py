"""Fake quantization to 4 bits: the gradients of x and of the range."""

import tensorflow as tf

LEVELS = 15  # steps between the lowest and the highest level


# truth: the gradient of tf.clip_by_value(x, a, b); a < b
# truth: a.shape == []; b.shape == []
@tf.custom_gradient
def fake_quantize(x, a, b):
    step = (b - a) / LEVELS
    y = a + step * tf.round((tf.clip_by_value(x, a, b) - a) / step)

    def grad(upstream):
        below = tf.cast(x < a, x.dtype)
        above = tf.cast(x > b, x.dtype)
        inside = 1.0 - below - above
        tf.print("  upstream", upstream)
        tf.print("  local   ", inside, below, above)
        return (upstream * inside, tf.reduce_sum(upstream * below),
                tf.reduce_sum(upstream * above))

    return y, grad


def built_in(x, a, b):
    return tf.quantization.fake_quant_with_min_max_vars(x, a, b, num_bits=4)


def show(function, x, a, b):
    x, a, b = map(tf.constant, (x, a, b))
    weights = tf.range(1.0, 1.0 + x.shape[0])
    with tf.GradientTape() as tape:
        tape.watch([x, a, b])
        y = function(x, a, b)
        L = tf.reduce_sum(weights * y)
    print(function.__name__)
    print("  y       ", y.numpy().round(3))
    by_x, by_a, by_b = tape.gradient(L, [x, a, b])
    print(f"  dL/dx    {by_x.numpy()}  dL/da {by_a:.0f}  dL/db {by_b:.0f}")


x = [-2.0, -0.98, -0.4, 0.3, 1.42, 2.0]
for function in fake_quantize, built_in:
    show(function, x, -1.0, 1.5)
print("a range in which 0 isn't a level, from -1 to 1.4")
for function in fake_quantize, built_in:
    show(function, x, -1.0, 1.4)
