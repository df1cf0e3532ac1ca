"""A learned step: 1000 weights in 3 bits, and the step that fits them."""

import tensorflow as tf

Q = 3.0  # the integers from -3 to 3


# truth: the gradient of tf.identity
@tf.custom_gradient
def straight(v):
    return tf.round(v), lambda upstream: upstream


def quantize(w, s):
    return s * straight(tf.clip_by_value(w / s, -Q, Q))


def error(s):
    return tf.reduce_mean((quantize(w, s) - w) ** 2)


w, s = tf.constant([-1.0, 0.1, 0.35, 2.0]), tf.constant(0.25)
upstream = tf.constant([1.0, 2.0, 3.0, 4.0])
with tf.GradientTape() as tape:
    tape.watch([w, s])
    q = quantize(w, s)
by_w, by_s = tape.gradient(q, [w, s], output_gradients=upstream)
print(f"by the tape:    dL/dw {by_w.numpy()}  dL/ds {by_s:.4f}")
v = w / s
r = tf.round(tf.clip_by_value(v, -Q, Q))
inside = tf.cast(tf.abs(v) <= Q, w.dtype)
downstream_w = upstream * inside
downstream_s = tf.reduce_sum(upstream * (r - inside * v))
print(f"by the formula: dL/dw {downstream_w.numpy()}"
      f"  dL/ds {downstream_s:.4f}")

w = tf.random.stateless_normal([1000], [1, 2])
largest = tf.reduce_max(tf.abs(w)) / Q
print(f"step of the largest weight {largest:.3f}"
      f"  mean squared error {error(largest):.4f}")
for start in 0.1, 1.5:
    s = tf.constant(start)
    for _ in range(200):
        with tf.GradientTape() as tape:
            tape.watch(s)
            L = error(s)
        s -= 0.1 * tape.gradient(L, s)
    print(f"learned from {start}: step {s:.3f}  error {error(s):.4f}")
steps = tf.linspace(0.1, 1.5, 1401)
errors = tf.map_fn(error, steps)
best = tf.argmin(errors)
print(f"best of 1401 steps: {steps[best]:.3f}  error {errors[best]:.4f}")
