"""The claims of docs/recipes/through_update.md."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.harness import contrast, message, program, same

layers = keras.layers
x, query = tf.random.stateless_normal([2, 8, 3], [1, 2])
y, answer = tf.random.stateless_normal([2, 8, 1], [3, 4])
WRAPS = {
    "eager": lambda function: function,
    "graph": tf.function,
    "XLA": lambda function: tf.function(function, jit_compile=True),
}
in_modes = pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)


def network(*parts):
    """Return a network with fixed weights."""
    keras.utils.set_random_seed(0)
    return keras.Sequential([keras.Input([3]), *parts, layers.Dense(1)])


def values(variables):
    """Convert variables to tensors."""
    return [tf.convert_to_tensor(variable) for variable in variables]


def loss_of(model, weights, x, y):
    """Return the loss of a network with other weights."""
    state = values(model.non_trainable_variables)
    z, _ = model.stateless_call(weights, state, x, training=True)
    return tf.reduce_mean(tf.square(z - y))


@pytest.mark.parametrize("kind", ["assign_sub", "SGD"])
@in_modes
def test_assigned_step(wrap, kind):
    model = network(layers.Dense(4, "tanh"))
    weights = [w.value for w in model.trainable_variables]
    rate = tf.Variable(0.1)
    optimizer = keras.optimizers.SGD(0.1)
    optimizer.build(model.trainable_variables)
    start = model.get_weights()

    def update(gradients):
        if kind == "SGD":
            optimizer.apply(gradients)
            return
        for w, gradient in zip(weights, gradients):
            step = rate * gradient
            w.assign_sub(step)

    def gradients(is_assigned):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                loss = tf.reduce_mean(tf.square(model(x) - y))
            of_weights = inner.gradient(loss, weights)
            new = [w - rate * g for w, g in zip(weights, of_weights)]
            if is_assigned:
                update(of_weights)
                last = tf.reduce_mean(tf.square(model(query) - answer))
            else:
                last = loss_of(model, new, query, answer)
        return new, outer.gradient(last, [*weights, rate])

    new, (*of_assigned, of_rate) = wrap(lambda: gradients(True))()
    with tf.GradientTape() as tape:
        tape.watch(new)
        last = loss_of(model, new, query, answer)
    first_order = tape.gradient(last, new)
    assert all(np.allclose(a, b, atol=1e-5) for a, b in zip(of_assigned, first_order))
    assert of_rate is None
    model.set_weights(start)
    with contrast("also if the step computes new tensors"):
        _, (*of_tensors, of_rate) = wrap(lambda: gradients(False))()
        assert not np.allclose(of_tensors[0], first_order[0], rtol=0.01)
        assert of_rate is not None


@in_modes
def test_captured_weight(wrap):
    kinds = program("recipes/through_update/wrong/captured.py")

    def gradients(kind, as_variables=False, is_behind=True):
        parts = [layers.Dense(3, "tanh"), kind()]
        model = network(*(parts if is_behind else parts[1:]))
        variables = [w.value for w in model.trainable_variables]

        def run():
            weights = variables if as_variables else values(variables)
            with tf.GradientTape() as tape:
                tape.watch(weights)
                loss = loss_of(model, weights, x, y)
            return loss, tape.gradient(loss, weights)

        return wrap(run)()

    right_loss, right = gradients(kinds.Passed)
    loss, wrong = gradients(kinds.Captured)
    assert same(loss, right_loss, 1e-5) and wrong.pop(2) is None
    of_passed = right.pop(2)
    assert all(np.allclose(a, b, atol=1e-5) for a, b in zip(wrong, right))
    with contrast("nor has a weight that the custom gradient gets as an argument"):
        assert np.any(of_passed)
    with contrast("also if `stateless_call` gets the variables"):
        _, of_variables = gradients(kinds.Captured, as_variables=True)
        assert np.allclose(of_variables[2], of_passed, atol=1e-5)
    if wrap is WRAPS["eager"]:
        with contrast("also in a first layer, whose input isn't watched"):
            _, [of_scale, *_] = gradients(kinds.Captured, is_behind=False)
            assert np.any(of_scale)


@in_modes
def test_state_stays(wrap):
    model = network(layers.Dense(4), layers.BatchNormalization(), layers.Dropout(0.5))
    weights = values(model.trainable_variables)
    before = [v.numpy() for v in model.non_trainable_variables]

    def stateless():
        state = values(model.non_trainable_variables)
        return model.stateless_call(weights, state, x, training=True)

    function = wrap(stateless)
    first, new = function()
    again, _ = function()
    assert same(first, again)
    assert same([v.numpy() for v in model.non_trainable_variables], before)
    assert not any(same(a, b) for a, b in zip(new, before))
    with contrast("so do calls of the model itself"):
        function = wrap(lambda: model(x, training=True))
        assert not np.allclose(function(), function(), rtol=1e-3)
        after = [v.numpy() for v in model.non_trainable_variables]
        assert not any(same(a, b) for a, b in zip(after, before))


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop"])
def test_stateless_apply(name):
    w = keras.Variable([1.0, 2.0])
    optimizer = getattr(keras.optimizers, name)(0.1)
    optimizer.build([w])

    def apply():
        state = values(optimizer.variables)
        return optimizer.stateless_apply(state, [tf.ones([2])], [w.value])

    for wrap in WRAPS.values():
        assert "not supported with the TensorFlow backend" in message(wrap(apply))
    with contrast("also `apply`, which assigns"):
        assert not message(lambda: optimizer.apply([tf.ones([2])]))
        assert not same(w, [1.0, 2.0])


SMOOTH = ["tanh", "sigmoid", "softplus", "gelu", "silu", "elu", "selu", "relu"]
