"""A normal sample with a custom gradient, which needs the noise."""

import tensorflow as tf


# truth: mu.shape == sigma.shape; sigma.shape == epsilon.shape
@tf.custom_gradient
def sample(mu, sigma, epsilon):
    z = mu + sigma * epsilon

    def grad(upstream):
        local = epsilon
        downstream = upstream * local
        tf.print("upstream", upstream, " local", local,
                 " downstream sigma", downstream)
        return upstream, downstream, upstream * sigma

    return z, grad


mu, sigma = tf.fill([4], 1.0), tf.fill([4], 2.0)
epsilon = tf.random.stateless_normal([4], seed=[1, 2])
with tf.GradientTape(persistent=True) as tape:
    tape.watch([mu, sigma])
    z = sample(mu, sigma, epsilon)
    loss = tf.reduce_sum(z ** 2)
    built_in = tf.random.stateless_normal([4], [1, 2], mu, sigma)
    other = tf.reduce_sum(built_in ** 2)
print("z =", z.numpy())
for name, target in ("custom", loss), ("tf.random", other):
    slopes = tape.gradient(target, [mu, sigma])
    print(f"{name:9}  mu {slopes[0].numpy()}  sigma {slopes[1].numpy()}")
