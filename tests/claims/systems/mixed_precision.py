"""The claims of docs/systems/mixed_precision.md."""

import contextlib
import itertools

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.harness import contrast, program, raised, same

SGD, LossScaleOptimizer = keras.optimizers.SGD, keras.optimizers.LossScaleOptimizer
X = np.ones([1, 1], "float32")
SCALE = 32768
WRAPS = {"eagerly": lambda function: function, "in a tf.function": tf.function}


@contextlib.contextmanager
def policy(name):
    """Set the global policy."""
    keras.config.set_dtype_policy(name)
    try:
        yield
    finally:
        keras.config.set_dtype_policy("float32")


def dense(**options):
    """Return a dense layer with the weight 1."""
    return keras.layers.Dense(1, use_bias=False, kernel_initializer="ones", **options)


def fit(*layers, target, **options):
    """Take a step from the output 1 toward a target, and return the model."""
    model = keras.Sequential([keras.Input([1]), *layers])
    model.compile(SGD(0.125), "mse", jit_compile=False, **options)
    model.fit(X, np.full_like(X, target), verbose=0)
    return model


def noting(upstreams):
    """Return an identity that appends its upstream gradient to a list."""

    def append(upstream):
        upstreams.append((upstream.dtype.name, upstream.numpy().item()))

    @tf.custom_gradient
    def probe(x):
        def grad(upstream):
            tf.py_function(append, [upstream], [])
            return upstream

        return tf.identity(x), grad

    return probe


@pytest.mark.parametrize("eagerly", [False, True], ids=["graph", "eagerly"])
@pytest.mark.parametrize("target", [0.5, 1.25])
def test_upstream_scaled(target, eagerly):
    def upstreams(name, layer_name=None):
        """Fit with a policy, and return what two layers receive."""
        upstreams = []
        with policy(name):
            layers = [
                keras.layers.Lambda(noting(upstreams), dtype=layer_name)
                for _ in range(2)
            ]
            fit(kernel := dense(), *layers, target=target, run_eagerly=eagerly)
        assert same(kernel.kernel, [[1 - 0.125 * 2 * (1 - target)]])
        return upstreams

    true = 2 * (1 - target)
    assert upstreams("mixed_float16") == [("float16", SCALE * true)] * 2
    if not eagerly:
        return
    assert upstreams("float32") == [("float32", true)] * 2
    with contrast("also with mixed_bfloat16, which doesn't scale"):
        assert upstreams("mixed_bfloat16") == [("bfloat16", true)] * 2
    with contrast("float16 in each layer: one with dtype float32 gets float32"):
        expected = [("float32", SCALE * true)] * 2
        assert upstreams("mixed_float16", "float32") == expected


@pytest.mark.parametrize("initial", [SCALE, 1024.0])
@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
def test_scale_loss(wrap, initial):
    x = tf.constant([3.0, -0.5])
    optimizer = LossScaleOptimizer(SGD(), initial_scale=initial)
    weight = keras.Variable(1.0)
    optimizer.build([weight])
    scaled = wrap(optimizer.scale_loss)
    assert same(scaled(x), x * initial)
    with contrast("in an optimizer without a scale it raises an error"):
        assert same(wrap(SGD().scale_loss)(x), x)
    with contrast("the first scale: after an overflow it is the new one"):
        wrap(lambda: optimizer.apply([tf.constant(np.inf)], [weight]))()
        assert same(scaled(x), x * initial / 2)


@pytest.mark.parametrize("name", ["apply", "apply_gradients"])
@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
def test_apply_divides(wrap, name):
    def moved(inner, gradient):
        """Return how far one step moves a weight."""
        optimizer, weight = LossScaleOptimizer(inner), keras.Variable(0.0)
        optimizer.build([weight])
        if name == "apply":
            wrap(lambda: optimizer.apply([gradient], [weight]))()
        else:
            wrap(lambda: optimizer.apply_gradients([(gradient, weight)]))()
        return weight.numpy().item()

    one = tf.constant(1.0)
    assert moved(SGD(0.125), SCALE * one) == -0.125
    assert moved(SGD(0.125), one) == -0.125 / SCALE
    with contrast("only gradients of a loss that scale_loss has scaled"):
        assert moved(SGD(0.125), one) != -0.125
    with contrast("also with an optimizer that ignores the size of a gradient"):
        lion = keras.optimizers.Lion
        assert moved(lion(0.125), one) == moved(lion(0.125), SCALE * one) == -0.125


POLICIES = ["float32", "mixed_float16", "mixed_bfloat16"]


@pytest.mark.parametrize("name", POLICIES)
def test_compile_wraps(name):
    for layer, scales, by_hand in itertools.product(
        [None, *POLICIES], [True, False], [False, True]
    ):
        with policy(name):
            models = [
                keras.Sequential([keras.Input([1]), dense(dtype=layer)]),
                keras.Model(x := keras.Input([1]), dense(dtype=layer)(x)),
            ]
        for model in models:  # compiled when the global policy is float32 again
            optimizer = LossScaleOptimizer(SGD()) if by_hand else SGD()
            model.compile(optimizer, "mse", auto_scale_loss=scales)
            wraps = name == "mixed_float16" and scales
            kind = LossScaleOptimizer if wraps or by_hand else SGD
            assert type(model.optimizer) is kind
            if by_hand:
                assert model.optimizer is optimizer
            if name == "float32" and layer == "mixed_float16" and not by_hand:
                with contrast("if a layer has this policy"):
                    assert type(model.optimizer) is SGD
            if name == "mixed_bfloat16":
                with contrast("for mixed_bfloat16, too"):
                    assert by_hand or type(model.optimizer) is SGD
    with policy("mixed_float16"):
        model = keras.Sequential([keras.Input([1]), dense()])
    model.compile(SGD(), "mse")
    with contrast("by the policy that is global when compile is called"):
        assert type(model.optimizer) is LossScaleOptimizer


LIMITS = ("clipnorm", "global_clipnorm", "clipvalue")


@pytest.mark.parametrize("limit", LIMITS)
def test_inner_clip(limit):
    def moved(optimizer):
        """Apply a scaled gradient of 2, and return the step."""
        weight = keras.Variable([0.0])
        optimizer.build([weight])
        optimizer.apply([tf.constant([2.0 * SCALE])], [weight])
        return weight.numpy().item()

    for size in (0.5, 1.0, 4.0):
        step = moved(LossScaleOptimizer(SGD(0.125, **{limit: size})))
        assert same(step, -0.125 * min(size, 2.0), 1e-6)
        with contrast("the scaled gradients"):
            assert step < -0.125 * size / SCALE * 2
        error = raised(lambda size=size: LossScaleOptimizer(SGD(), **{limit: size}))
        assert isinstance(error, ValueError) and limit in str(error)


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
@pytest.mark.parametrize("inner", [SGD, keras.optimizers.Adam])
def test_skips_step(inner, wrap, bad):
    optimizer = LossScaleOptimizer(inner(0.125))
    weights = [keras.Variable([1.0, 1.0]) for _ in range(2)]
    optimizer.build(weights)
    apply = wrap(lambda *gradients: optimizer.apply(gradients, weights))
    good = tf.constant([SCALE, SCALE], tf.float32)
    apply(good, tf.constant([SCALE, bad], tf.float32))
    assert same(weights, [[1.0, 1.0]] * 2)
    assert optimizer.dynamic_scale.numpy() == SCALE / 2
    with contrast("the step of this weight alone"):
        assert same(weights[0].numpy(), [1.0, 1.0])
    apply(good, good)
    assert all(weight.numpy().max() < 1 for weight in weights)
    assert optimizer.dynamic_scale.numpy() == SCALE / 2
    if inner is SGD and bad == np.inf and wrap is tf.function:
        with contrast("an upstream gradient that grad makes finite"):
            clip = program("systems/mixed_precision/overflow.py").clip
            changed = tf.custom_gradient(lambda x: (tf.identity(x), clip))
            received = []
            with policy("mixed_float16"):
                layers = [
                    keras.layers.Lambda(changed),
                    keras.layers.Lambda(noting(received)),
                ]
                model = fit(kernel := dense(), *layers, target=-8.0)
            assert received == [("float16", np.inf)]
            assert kernel.kernel.numpy() == 1 - 0.125 * 4096 / SCALE
            assert model.optimizer.dynamic_scale.numpy() == SCALE
