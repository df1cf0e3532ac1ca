"""The score-function estimator for a bit: mean and variance by baseline."""

import tensorflow as tf

N, THETA = 200_000, 1.0
f = [0.2025, 0.3025]  # the costs of a 0 and of a 1


def log_likelihood(theta, z, cost):
    return -cost * tf.nn.sigmoid_cross_entropy_with_logits(z, theta)


# truth: the gradient of log_likelihood
# truth: z needs no gradient; cost needs no gradient
# truth: theta.shape == z.shape; z.shape == cost.shape
@tf.custom_gradient
def scored(theta, z, cost):
    p = tf.sigmoid(theta)

    def grad(upstream):
        local = cost * (z - p)
        downstream = upstream * local
        return downstream, None, None

    return tf.identity(cost), grad


def exact(p):
    return p * (1.0 - p) * (f[1] - f[0])


def variance(p, b):
    v = p * (1.0 - p) * ((1.0 - p) * (f[1] - b) + p * (f[0] - b)) ** 2
    return v


theta = tf.fill([N], THETA)
p = tf.sigmoid(THETA).numpy()
z = tf.cast(tf.random.stateless_uniform([N], seed=[1, 2]) < p, tf.float32)
for name, b in {"cost + 10": -10.0, "cost": 0.0,
                "mean cost": (1.0 - p) * f[0] + p * f[1],
                "best": (1.0 - p) * f[1] + p * f[0]}.items():
    with tf.GradientTape() as tape:
        tape.watch(theta)
        loss = scored(theta, z, tf.where(z == 1.0, f[1], f[0]) - b)
    each = tape.gradient(loss, theta)
    print(f"{name:9}  mean {tf.reduce_mean(each):8.5f}  exact {exact(p):.5f}"
          f"  variance {tf.math.reduce_variance(each):8.5f}"
          f"  v = {variance(p, b):8.5f}")
