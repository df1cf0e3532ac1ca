"""The claims of docs/recipes/probability.md."""

import keras
import numpy as np
import pytest
import tensorflow as tf
import tensorflow_probability as tfp

from tests.harness import contrast, same

tfd, tfb = tfp.distributions, tfp.bijectors
WRAPS = {"eager": lambda function: function, "graph": tf.function}
in_modes = pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)


def triangular():
    """Return a distribution that contains a bijector."""
    return tfd.MultivariateNormalTriL([0.0, 1.0], [[1.0, 0.0], [0.5, 2.0]])


def log_normal():
    """Return a distribution that contains a bijector."""
    return tfd.LogNormal(0.0, 1.0)


def johnson():
    """Return a distribution that contains a bijector."""
    return tfd.JohnsonSU(0.5, 1.0, 0.0, 1.0)


@pytest.mark.parametrize("make", [triangular, log_normal, johnson])
@in_modes
def test_cached_inverse(wrap, make):
    def gradients(make=make):
        q = make()
        y = q.sample(seed=[1, 2])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(y)
            direct, copied = q.log_prob(y), q.log_prob(tf.identity(y))
        return y, direct, copied, tape.gradient(direct, y), tape.gradient(copied, y)

    y, direct, copied, of_direct, of_copied = wrap(gradients)()
    assert np.allclose(direct, copied, rtol=1e-4) and of_direct is None
    h = 1e-2 * tf.ones_like(y)
    sides = [make().log_prob(y + step) for step in (h, -h)]
    assert np.isclose(np.sum(of_copied), (sides[0] - sides[1]) / 2e-2, rtol=0.02)
    with contrast("also of a distribution without a bijector, such as `Normal`"):
        *_, of_direct, of_copied = wrap(
            lambda: gradients(lambda: tfd.Normal(0.0, 1.0))
        )()
        assert same(of_direct, of_copied)


@pytest.mark.parametrize("scale", [0.5, 3.0])
def test_stale_value(scale):
    variable = tf.Variable(2.0)
    bijector = tfb.Chain([tfb.Exp(), tfb.Scale(variable)])
    q = tfd.TransformedDistribution(tfd.Normal(0.0, 1.0), bijector)
    y = q.sample(seed=[1, 2])
    before = q.log_prob(y)
    variable.assign(scale)
    assert same(q.log_prob(y), before)
    with contrast("also the log probability of a copy"):
        right = tfd.LogNormal(0.0, scale).log_prob(y)
        assert np.isclose(q.log_prob(tf.identity(y)), right, rtol=1e-4)
        assert not np.isclose(before, right, rtol=0.01)


def mixture(a, **options):
    """Return a mixture with a trained logit."""
    return tfd.MixtureSameFamily(
        tfd.Categorical(logits=tf.stack([a, 0.0])),
        tfd.Normal([-1.0, 3.0], 1.0),
        **options,
    )


CASES = {
    "Poisson": (lambda a: tfd.Poisson(log_rate=a), tfd.Poisson(3.0)),
    "mixture": (mixture, tfd.Normal(0.0, 2.0)),
}


@pytest.mark.parametrize("name", CASES)
@in_modes
def test_about_zero(wrap, name):
    make, p = CASES[name]
    a = tf.constant(0.5)

    def gradients(make=make):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(a)
            q = make(a)
            z = q.sample(40_000, seed=[1, 2])
            loss = q.log_prob(z) - p.log_prob(z)
            cost = tf.stop_gradient(loss - tf.reduce_mean(loss))
            score = tf.reduce_mean(cost * q.log_prob(tf.stop_gradient(z)))
            loss = tf.reduce_mean(loss)
        return [tape.gradient(target, a) for target in (z, loss, score)]

    exact = {"Poisson": -0.99, "mixture": -0.13}[name]
    of_sample, of_loss, of_score = wrap(gradients)()
    assert of_sample is None
    assert abs(of_loss) < 0.02
    with contrast("that of the score function is about 0, too"):
        assert abs(of_score - exact) < 0.03
    if name == "mixture":
        with contrast("also with `reparameterize=True`"):
            _, of_loss, _ = wrap(
                lambda: gradients(lambda a: mixture(a, reparameterize=True))
            )()
            assert abs(of_loss - exact) < 0.03


@pytest.mark.parametrize("kind", ["Normal", "LogNormal", "Gamma", "StudentT"])
def test_converted_at_once(kind):
    def distribution(scale):
        return {
            "Normal": lambda: tfd.Normal(0.0, scale),
            "LogNormal": lambda: tfd.LogNormal(0.0, scale),
            "Gamma": lambda: tfd.Gamma(2.0, scale),
            "StudentT": lambda: tfd.StudentT(9.0, 0.0, scale),
        }[kind]()

    def after_change(variable):
        q = distribution(variable)
        variable.assign(2.0)
        with tf.GradientTape() as tape:
            log_p = q.log_prob(0.7)
        is_weight = isinstance(variable, keras.Variable)
        source = variable.value if is_weight else variable
        return log_p, tape.gradient(log_p, source)

    log_p, gradient = after_change(keras.Variable(1.0))
    assert np.isclose(log_p, distribution(1.0).log_prob(0.7)) and gradient is None
    with contrast("a `tf.Variable`, too"):
        log_p, gradient = after_change(tf.Variable(1.0))
        assert np.isclose(log_p, distribution(2.0).log_prob(0.7))
        assert gradient is not None
    with contrast("also if the distribution is made where the tape records"):
        weight = keras.Variable(2.0)
        with tf.GradientTape() as tape:
            log_p = distribution(weight).log_prob(0.7)
        assert tape.gradient(log_p, weight.value) is not None
