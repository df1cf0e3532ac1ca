"""Deliberately wrong: an ELBO of samples without reparameterization."""

import tensorflow as tf
import tensorflow_probability as tfp

tfd = tfp.distributions
a = tf.constant(0.5)


def poisson(a):
    return tfd.Poisson(log_rate=a)


def mixture(a, **options):
    return tfd.MixtureSameFamily(
        tfd.Categorical(logits=tf.stack([a, 0.0])),
        tfd.Normal([-1.0, 3.0], 1.0), **options)


def estimate(make, p, score=False, **options):
    with tf.GradientTape() as tape:
        tape.watch(a)
        q = make(a, **options)
        z = q.sample(100_000, seed=[1, 2])
        loss = q.log_prob(z) - p.log_prob(z)  # minus the ELBO
        if score:
            cost = tf.stop_gradient(loss - tf.reduce_mean(loss))
            loss = cost * q.log_prob(tf.stop_gradient(z))
        loss = tf.reduce_mean(loss)
    return round(float(tape.gradient(loss, a)), 2) + 0.0


def exact(make, p, z, width):
    with tf.GradientTape() as tape:
        tape.watch(a)
        log_q = make(a).log_prob(z)
        loss = width * tf.reduce_sum(tf.exp(log_q) * (log_q - p.log_prob(z)))
    return round(float(tape.gradient(loss, a)), 2)


p = tfd.Poisson(3.0)
print("Poisson: as it is", estimate(poisson, p), " score function",
      estimate(poisson, p, score=True), " exact",
      exact(poisson, p, tf.range(40.0), 1.0))
p = tfd.Normal(0.0, 2.0)
print("mixture: as it is", estimate(mixture, p), " score function",
      estimate(mixture, p, score=True), " reparameterize",
      estimate(mixture, p, reparameterize=True), " exact",
      exact(mixture, p, tf.linspace(-9.0, 11.0, 2001), 0.01))
