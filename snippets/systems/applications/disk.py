"""A disk with a hard edge, and the boundary integral as its gradient."""

import numpy as np
import tensorflow as tf

N, SUB = 8, 16


def hard(a, b, r):
    """The share of the SUB * SUB points of a pixel inside the disk."""
    at = (tf.range(N * SUB, dtype=a.dtype) + 0.5) / SUB
    inside = (at[:, None] - a) ** 2 + (at - b) ** 2 < r**2
    points = tf.reshape(tf.cast(inside, a.dtype), [N, SUB, N, SUB])
    return tf.reduce_mean(points, [1, 3])


def areas(a, b, r):
    """The exact area inside the disk, for each pixel."""
    x, y = (tf.clip_by_value((tf.range(N + 1, dtype=a.dtype) - c) / r, -1, 1)
            for c in (a, b))
    x, y = tf.meshgrid(x, y, indexing="ij")

    def G(t):
        return (t * tf.sqrt(tf.maximum(1 - t * t, 0)) + tf.asin(t)) / 2

    c, h = tf.sqrt(1 - y * y), tf.abs(y)
    part = (G(tf.clip_by_value(x, -1, -c)) - G(-tf.ones_like(c))
            + h * (tf.clip_by_value(x, -c, c) + c)
            + G(tf.clip_by_value(x, c, 1)) - G(c))
    F = r**2 * (G(x) - G(-tf.ones_like(x)) + tf.sign(y) * part)
    return F[1:, 1:] - F[:-1, 1:] - F[1:, :-1] + F[:-1, :-1]


def along(u, r, alpha, omega):
    """The integrals over the arcs."""
    downstream_a = r * tf.reduce_sum(u * (tf.sin(omega) - tf.sin(alpha)))
    downstream_b = r * tf.reduce_sum(u * (tf.cos(alpha) - tf.cos(omega)))
    downstream_r = r * tf.reduce_sum(u * (omega - alpha))
    return downstream_a, downstream_b, downstream_r


# truth: the gradient of areas; within 1e-3; first derivative only
# truth: a = 4.0 + tf.tanh(a); b = 4.0 + tf.tanh(b); r = 2.0 + tf.tanh(r) / 2
# truth: a.shape.rank == 0; b.shape.rank == 0; r.shape.rank == 0
@tf.custom_gradient
def disk(a, b, r):
    def grad(upstream):
        lines = tf.range(N + 1, dtype=a.dtype)
        ups = tf.acos(tf.clip_by_value((lines - a) / r, -1, 1))
        overs = tf.asin(tf.clip_by_value((lines - b) / r, -1, 1))
        phi = tf.concat([[-np.pi, np.pi], ups, -ups, overs, np.pi - overs], 0)
        phi = tf.sort(tf.where(phi > np.pi, phi - 2 * np.pi, phi))
        alpha, omega = phi[:-1], phi[1:]
        mid = (alpha + omega) / 2
        pixel = tf.stack([a + r * tf.cos(mid), b + r * tf.sin(mid)], 1)
        u = tf.gather_nd(upstream, tf.cast(tf.floor(pixel), tf.int32))
        return along(u, r, alpha, omega)

    return hard(a, b, r), grad


p = [tf.constant(each, tf.float64) for each in (3.6, 4.2, 2.7)]
upstream = np.random.default_rng(0).standard_normal([N, N])
print("counted and exact pixels:",
      f"{tf.reduce_max(tf.abs(hard(*p) - areas(*p))):.3f} apart at most")
with tf.GradientTape(persistent=True) as tape:
    tape.watch(p)
    image, plain = disk(*p), hard(*p)
print("TensorFlow's gradients ", tape.gradient(plain, p, upstream))
downstream = tape.gradient(image, p, upstream)
for i, name in enumerate("abr"):
    h = [1e-5 * (i == j) for j in range(3)]
    up, down = (areas(*[x + s * d for x, d in zip(p, h)]) for s in (1, -1))
    difference = tf.reduce_sum(upstream * (up - down)) / 2e-5
    print(f"downstream_{name} = {downstream[i]:9.6f}"
          f"  finite differences {difference:9.6f}")
