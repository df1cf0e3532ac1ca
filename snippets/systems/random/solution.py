"""A sample of the exponential distribution, with its gradient."""

import tensorflow as tf

N = 20_000


# truth: u = tf.sigmoid(u); lambda_.shape == u.shape; lambda_ > 0
@tf.custom_gradient
def exponential(lambda_, u):
    z = -tf.math.log(u) / lambda_

    def grad(upstream):
        downstream = -upstream * z / lambda_
        return downstream, -upstream / (lambda_ * u)

    return z, grad


few, rate = tf.constant([0.1, 0.5, 0.9]), tf.fill([3], 2.0)
with tf.GradientTape() as tape:
    tape.watch(rate)
    z = exponential(rate, few)
print("u =", few.numpy(), " z =", z.numpy())
print("gradient", tape.gradient(z, rate).numpy())

u = tf.random.stateless_uniform([N], seed=[1, 2], minval=1e-7)
for start in 0.5, 2.0:
    lambda_ = tf.fill([N], start)
    with tf.GradientTape() as tape:
        tape.watch(lambda_)
        z = exponential(lambda_, u)
    each = tape.gradient(z, lambda_)
    print(f"lambda {start}  mean of z {tf.reduce_mean(z):.3f}"
          f"  gradient {tf.reduce_mean(each):.3f}"
          f"  exact {-1.0 / start ** 2:.3f}")
