"""The claims of docs/systems/random.md."""

import numpy as np
import pytest
import tensorflow as tf

from tests.harness import (
    BLOCKS,
    EAGER,
    FLOATS,
    INSIDE,
    NESTED,
    OUTSIDE,
    XLA,
    XLA_OUTSIDE,
    contrast,
    message,
    same,
)

N = 20_000
LOOP = BLOCKS[4]  # in a tf.function, with the tape outside
SEED = [1, 2]
generator = tf.random.Generator.from_seed(1)

# Each loss with the derivative of its expected value at t = 2.
PARAMETERS = {
    "normal, mean": (lambda t: tf.random.normal([N], t), 1.0),
    "normal, stddev": (lambda t: tf.random.normal([N], stddev=t) ** 2, 4.0),
    "uniform, minval": (lambda t: tf.random.uniform([N], t, 5.0), 0.5),
    "uniform, maxval": (lambda t: tf.random.uniform([N], maxval=t), 0.5),
    "truncated, mean": (lambda t: tf.random.truncated_normal([N], t), 1.0),
    "truncated, stddev": (
        lambda t: tf.random.truncated_normal([N], 0.0, t) ** 2,
        2 * 2 * 0.7737,  # 0.7737 is the variance of a normal cut off at 2
    ),
    "gamma, alpha": (lambda t: tf.random.gamma([N], t), 1.0),
    "gamma, beta": (lambda t: tf.random.gamma([N], 1.0, t), -0.25),
    "stateless normal": (lambda t: tf.random.stateless_normal([N], SEED, t), 1.0),
    "stateless uniform": (
        lambda t: tf.random.stateless_uniform([N], SEED, maxval=t),
        0.5,
    ),
    "stateless truncated": (
        lambda t: tf.random.stateless_truncated_normal([N], SEED, t),
        1.0,
    ),
    "stateless gamma": (lambda t: tf.random.stateless_gamma([N], SEED, t), 1.0),
}


@pytest.mark.parametrize("place", [EAGER, INSIDE, OUTSIDE, LOOP], ids=str)
def test_have_a_gradient(place):
    ts = [tf.constant(2.0) for _ in PARAMETERS]
    draws, rights = zip(*PARAMETERS.values())
    gradients = place.gradients(
        lambda *ts: [tf.reduce_mean(draw(t)) for draw, t in zip(draws, ts)], *ts
    )
    assert np.allclose(gradients, rights, rtol=0, atol=0.15)
    if place is EAGER:
        for dtype in FLOATS:
            of_mean = EAGER.gradient(
                lambda t, dtype=dtype: tf.random.normal([4], t, dtype=dtype),
                tf.constant(2, dtype),
            )
            assert same(of_mean, 4.0)
    with contrast("also for samples of stateless_parameterized_truncated_normal"):
        bounded = EAGER.gradient(
            lambda mean: tf.reduce_mean(
                tf.random.stateless_parameterized_truncated_normal(
                    [N], SEED, mean, 1.0, -1.0, 1.0
                )
            ),
            tf.constant(0.7),
        )
        assert abs(bounded - 0.27) > 0.5  # 0.27 by the formula of the mean
    with contrast("samples of `tf.random.categorical`, too"):
        logits = tf.constant([[0.0, 2.0]])
        of_class = EAGER.gradient(
            lambda x: tf.cast(tf.random.categorical(x, 9), tf.float32), logits
        )
        assert of_class is None


WITHOUT = {
    "categorical": lambda t: tf.cast(
        tf.random.categorical(tf.stack([[0.0, t]]), 9), tf.float32
    ),
    "binomial, probs": lambda t: tf.random.stateless_binomial(
        [9], SEED, 5.0, t / 4.0, tf.float32
    ),
    "binomial, counts": lambda t: tf.random.stateless_binomial(
        [9], SEED, t, 0.5, tf.float32
    ),
    "poisson": lambda t: tf.random.stateless_poisson([9], SEED, t),
    "shuffle": lambda t: tf.random.shuffle(t * tf.ones([9])),
}


@pytest.mark.parametrize("place", [EAGER, INSIDE, OUTSIDE, NESTED, LOOP], ids=str)
def test_have_none(place):
    ts = [tf.constant(2.0) for _ in WITHOUT]
    gradients = place.gradients(
        lambda *ts: [draw(t) for draw, t in zip(WITHOUT.values(), ts)], *ts
    )
    # A loop makes a tensor of zeros out of None.
    assert all(g is None or (place is LOOP and same(g, 0.0)) for g in gradients)
    error = message(place.gradient, lambda t: tf.random.poisson([9], t), 2.0)
    assert "LookupError" in error and "RandomPoisson" in error
    with contrast("differentiating `tf.random.stateless_poisson` raises an error"):
        stateless = WITHOUT["poisson"]
        assert not message(place.gradient, stateless, 2.0)
    with contrast("samples of `tf.random.gamma` have no gradient, either"):
        assert place.gradient(lambda t: tf.random.gamma([9], t), 2.0) > 0.0


@pytest.mark.parametrize(
    "draw", [tf.random.stateless_normal, tf.random.stateless_uniform]
)
def test_seeds_under_xla(draw):
    for shape, seed in (([3], [1, 2]), ([2, 4], [7, 0])):
        plain = lambda n=tuple(shape), s=tuple(seed): draw(n, s)
        philox = lambda n=tuple(shape), s=tuple(seed): draw(n, s, alg="philox")
        compiled = tf.function(plain, jit_compile=True)()
        assert not np.isclose(compiled, plain(), 1e-3).any()
        compiled = tf.function(philox, jit_compile=True)()
        with contrast('with `alg="philox"`, too'):
            assert same(compiled, philox(), 1e-5)
        with contrast("in a `tf.function` without XLA, too"):
            assert same(tf.function(plain)(), plain())
            assert same(tf.function(philox)(), philox())


def recomputed(place, noise, loop_steps=0):
    """Whether both runs of a recomputed block multiply by the same numbers."""
    block = tf.recompute_grad(lambda x: x * noise())

    def looped(x):
        def step(i, x, total):
            return i + 1, x, total + tf.cast(i + 1, x.dtype) * block(x)

        start = 0, x, tf.zeros_like(x)
        # In parallel steps, the order of the numbers would differ from run to run.
        return tf.while_loop(
            lambda i, *_: i < loop_steps,
            step,
            start,
            parallel_iterations=1,
            maximum_iterations=loop_steps,
        )[2]

    function = looped if loop_steps else block
    x = tf.ones([20])
    if place is EAGER:
        wrap, outer = (lambda f: f), (lambda f: f)
    else:
        wrap, outer = place._inner, place._outer

    def both(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = wrap(function)(x)
        return y, tape.gradient(y, x)

    y, gradient = outer(both)(x)
    return np.allclose(y, gradient, rtol=1e-4)


STATEFUL = {
    "normal": lambda: tf.random.normal([20]),
    "normal, seed": lambda: tf.random.normal([20], seed=7),
    "uniform, seed": lambda: tf.random.uniform([20], seed=7),
    "truncated": lambda: tf.random.truncated_normal([20]),
    "gamma, seed": lambda: tf.random.gamma([20], 2.0, seed=7),
    "poisson": lambda: tf.random.poisson([20], 20.0),
    "categorical, seed": lambda: tf.cast(
        tf.random.categorical(tf.zeros([1, 50]), 20, seed=7)[0], tf.float32
    ),
    "shuffle, seed": lambda: tf.random.shuffle(tf.range(20.0), seed=7),
    "dropout": lambda: tf.nn.dropout(tf.ones([20]), 0.5),
    "dropout, seed": lambda: tf.nn.dropout(tf.ones([20]), 0.5, seed=7),
    "generator": lambda: generator.normal([20]),
    "generator, uniform": lambda: generator.uniform([20]),
}


@pytest.mark.parametrize("set_seed", [False, True])
@pytest.mark.parametrize("name", STATEFUL)
def test_stateful_noise(name, set_seed):
    if set_seed:
        tf.random.set_seed(5)
    for _ in range(3):
        assert not recomputed(EAGER, STATEFUL[name])
    if name == "normal, seed":
        with contrast("in a `tf.function`, too"):
            assert recomputed(INSIDE, STATEFUL[name])
            assert recomputed(OUTSIDE, STATEFUL[name])
    if name == "normal" and set_seed:
        with contrast("in a `tf.function` with the tape outside, too"):
            assert recomputed(OUTSIDE, STATEFUL[name])
    with contrast("stateless operations, too"):
        assert recomputed(EAGER, lambda: tf.random.stateless_normal([20], SEED))
    with contrast("also a generator that the block creates"):
        assert recomputed(EAGER, lambda: tf.random.Generator.from_seed(1).normal([20]))


@pytest.mark.parametrize(
    "draw", [tf.random.stateless_normal, tf.random.stateless_uniform]
)
@pytest.mark.parametrize(
    "place", [EAGER, INSIDE, OUTSIDE, NESTED, XLA, XLA_OUTSIDE], ids=str
)
def test_stateless_noise(place, draw):
    def noise():
        return draw([20], SEED)

    assert recomputed(place, noise)
    if place in (INSIDE, OUTSIDE, XLA):
        assert recomputed(place, noise, loop_steps=3)
    if place is OUTSIDE:
        with contrast("stateful operations with `seed=` in a loop, too"):
            assert not recomputed(OUTSIDE, STATEFUL["normal, seed"], loop_steps=3)
    with contrast("also with a seed that the block draws"):
        assert not recomputed(place, lambda: draw([20], generator.make_seeds()[:, 0]))
