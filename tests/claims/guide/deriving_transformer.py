"""The claims of docs/guide/deriving_transformer.md."""

import numpy as np
import pytest
import tensorflow as tf

from tests.harness import EAGER, INSIDE, contrast, program

SHAPES = {
    "rope": [[2, 5, 4]],
    "swiglu": [[3, 4]] * 2,
    "cross_entropy": [[32, 7]],
    "attention": [[2, 5, 3]] * 3,
    "lora": [[4, 32, 256], [256, 4], [4, 512]],
}


def inputs_of(name):
    """Draw the inputs of a function."""
    return [
        tf.random.stateless_normal(shape, [1, number], dtype=tf.float64)
        for number, shape in enumerate(SHAPES[name])
    ]


def loss_of(function):
    """Return a loss whose derivatives aren't constant."""
    return lambda *inputs: tf.reduce_sum(tf.sin(function(*inputs)))


def product_of(function):
    """Return a loss that contains the gradients of another one."""

    def product(*inputs):
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            loss = loss_of(function)(*inputs)
        gradients = tape.gradient(loss, [*inputs])
        return tf.add_n([tf.reduce_sum(tf.cos(gradient)) for gradient in gradients])

    return product


def close(one, other):
    """Compare two lists of gradients."""
    return all(np.allclose(a, b, rtol=1e-6, atol=1e-9) for a, b in zip(one, other))


def captured(a, b):
    """Multiply like swiglu, with a sigmoid that `grad` captures."""

    @tf.custom_gradient
    def swiglu(a, b):
        sigmoid = tf.sigmoid(tf.stop_gradient(a))

        def grad(upstream):
            of_a = upstream * b * sigmoid * (1.0 + a * (1.0 - sigmoid))
            return of_a, upstream * a * sigmoid

        return tf.stop_gradient(a) * sigmoid * tf.stop_gradient(b), grad

    return swiglu(a, b)


@pytest.mark.parametrize("place", [EAGER, INSIDE], ids=str)
@pytest.mark.parametrize("name", SHAPES)
def test_two_derivatives(name, place):
    page = program(f"guide/deriving_transformer/{name}.py")
    derived, inputs = getattr(page, name), inputs_of(name)
    page.plain.__globals__["labels"] = tf.range(32) % 7
    right = EAGER.gradients(loss_of(page.plain), *inputs)
    assert close(place.gradients(loss_of(derived), *inputs), right)
    right = EAGER.gradients(product_of(page.plain), *inputs)
    assert close(place.gradients(product_of(derived), *inputs), right)
    if name == "swiglu":
        first = place.gradients(loss_of(captured), *inputs)
        assert close(first, EAGER.gradients(loss_of(page.plain), *inputs))
        with contrast("also if `grad` captures a result of the forward pass"):
            assert not close(place.gradients(product_of(captured), *inputs), right)
    if name == "cross_entropy":
        page.plain.__globals__["labels"] = -tf.ones([32], tf.int32)
        with contrast("also for a label of -1"):
            padded = place.gradients(loss_of(derived), *inputs)
            assert not close(padded, EAGER.gradients(loss_of(page.plain), *inputs))
