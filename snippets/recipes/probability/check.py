"""Compare gradients through samples with those of exact moments."""

import tensorflow as tf
import tensorflow_probability as tfp

tfd = tfp.distributions
tf.config.optimizer.set_experimental_options(
    {"disable_meta_optimizer": True})  # it prints warnings about gamma


def check(make, value, samples=100_000):
    """Gradients of E[z + z**2]: through samples, and exact."""
    t = tf.constant(value)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(t)
        z = tf.cast(make(t).sample(samples, seed=[1, 2]), tf.float32)
        sampled = tf.reduce_mean(z + z**2)
        mean = tf.cast(make(t).mean(), tf.float32)
        exact = mean + mean**2 + make(t).variance()
    return tape.gradient(sampled, t), tape.gradient(exact, t)


def mixture(t, **how):
    return tfd.MixtureSameFamily(
        tfd.Categorical(logits=tf.stack([t, 0.0])),
        tfd.Normal(tf.stack([-t, 3.0]), 1.0), **how)


for name, make in [
        ("Normal", lambda t: tfd.Normal(t, 1.0)),
        ("Gamma", lambda t: tfd.Gamma(t, 1.0)),
        ("Beta", lambda t: tfd.Beta(t, 2.0)),
        ("StudentT", lambda t: tfd.StudentT(9.0, t, 1.0)),
        ("Poisson", tfd.Poisson),
        ("Bernoulli", lambda t: tfd.Bernoulli(logits=t)),
        ("mixture", mixture),
        ("reparameterize", lambda t: mixture(t, reparameterize=True)),
        ("TruncatedNormal", lambda t: tfd.TruncatedNormal(
            t, 1.0, -1.0, 1.0))]:
    kind = str(make(0.5).reparameterization_type).strip("<>").split()[-1]
    sampled, exact = check(make, 0.5)
    wrong = sampled is None or abs(sampled - exact) > 0.05 * abs(exact)
    text = "None" if sampled is None else f"{sampled:.1f}"
    print(f"{name:15}  {kind.split('_')[0]:5}  {text:>5}"
          f"  exact {exact:4.1f}  {'wrong' if wrong else 'right'}")
