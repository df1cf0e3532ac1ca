"""Where a rule is used: each place asks in its own way for gradients of a function."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from tests.harness import gradients_in_fit

REPLICAS = 2


class Gradient:
    """Of the sum of the outputs, by each input and each weight."""

    within = 1e-5

    def __init__(self, ask: Callable) -> None:
        self.ask = ask

    def right(self, meant: Callable, inputs: list, weights: list) -> list:
        return taped(meant, inputs, weights)


class OfInputs(Gradient):
    """By each input alone."""

    def right(self, meant: Callable, inputs: list, weights: list) -> list:
        return taped(meant, inputs, [])


class Half(OfInputs):
    """Computed in float16."""

    within = 1e-2


class OfRows(Gradient):
    """Of a function that is mapped over two rows of inputs."""

    def right(self, meant: Callable, inputs: list, weights: list) -> list:
        first, second = (taped(meant, row, weights) for row in rows(inputs))
        ends = len(inputs)
        return [
            *(tf.stack(both) for both in zip(first[:ends], second[:ends])),
            *(a + b for a, b in zip(first[ends:], second[ends:])),
        ]


class Replicas(Gradient):
    """On each replica."""

    def right(self, meant: Callable, inputs: list, weights: list) -> list:
        return taped(meant, inputs, weights) * REPLICAS


class Jacobian(Gradient):
    """By each input."""

    def right(self, meant: Callable, inputs: list, weights: list) -> list:
        found = []
        for unit in np.eye(int(tf.size(meant(*inputs)))):
            with tf.GradientTape() as tape:
                tape.watch(inputs)
                y = meant(*inputs)
            found.append(tape.gradient(y, inputs, tf.constant(unit, y.dtype)))
        return [tf.stack([dense(each) for each in row]) for row in zip(*found)]


class Pushed(Gradient):
    """The Jacobian times ones, against a central difference."""

    within = 2e-3

    def right(self, meant: Callable, inputs: list, weights: list) -> list:
        return [difference(lambda h: meant(*(x + h for x in inputs)))]


class Second(Gradient):
    """Of the sum of the gradient of the squares, against a central difference."""

    within = 2e-3

    def right(self, meant: Callable, inputs: list, weights: list) -> list:
        def total(moved: list) -> Any:
            of = taped(lambda *given: meant(*given) ** 2, moved, [])
            return sum(tf.math.real(tf.reduce_sum(dense(each))) for each in of)

        found = []
        for at, x in enumerate(inputs):
            slopes = []
            for unit in np.eye(int(tf.size(x))):
                step = tf.constant(unit, x.dtype)

                def along(h: Any, at: int = at, step: Any = step) -> Any:
                    moved = list(inputs)
                    moved[at] = moved[at] + h * step
                    return total(moved)

                slope = tf.cast(difference(along), x.dtype)
                if x.dtype.is_complex:
                    turned = difference(lambda h, along=along: along(h * 1j))
                    slope += 1j * tf.cast(turned, x.dtype)
                slopes.append(slope)
            found.append(tf.stack(slopes))
        return found


def difference(function: Callable, h: float = 1e-2) -> Any:
    return (function(h) - function(-h)) / (2 * h)


def dense(value: Any) -> Any:
    is_slices = isinstance(value, tf.IndexedSlices)
    return tf.convert_to_tensor(value) if is_slices else value


def rows(inputs: list) -> list[list]:
    return [inputs, [2 * x for x in inputs]]


def taped(function: Callable, inputs: Sequence, weights: Sequence) -> list:
    with tf.GradientTape() as tape:
        tape.watch([*inputs])
        y = function(*inputs)
    return tape.gradient(y, [*inputs, *weights])


# Reverse mode.


def eager(f: Callable, inputs: list, weights: list) -> list:
    return taped(f, inputs, weights)


def inside(f: Callable, inputs: list, weights: list, **options: Any) -> list:
    return tf.function(lambda *x: taped(f, x, weights), **options)(*inputs)


def around(f: Callable, inputs: list, weights: list) -> list:
    return taped(tf.function(f), inputs, weights)


def nested(f: Callable, inputs: list, weights: list) -> list:
    return inside(tf.function(f), inputs, weights)


def symbolic(f: Callable, inputs: list, weights: list) -> list:
    def asked(*x: Any) -> list:
        y = f(*x)
        return tf.gradients(y, [*x, *weights], tf.ones_like(y))

    return tf.function(asked)(*inputs)


def compiled(f: Callable, inputs: list, weights: list) -> list:
    return inside(f, inputs, weights, jit_compile=True)


# Shapes that a graph doesn't have.


def unknown_batch(inputs: list) -> list[tf.TensorSpec]:
    return [tf.TensorSpec([None, *x.shape[1:]], x.dtype) for x in inputs]


def inside_unknown(f: Callable, inputs: list, weights: list) -> list:
    return inside(f, inputs, weights, input_signature=unknown_batch(inputs))


def around_unknown(f: Callable, inputs: list, weights: list) -> list:
    call = tf.function(f, input_signature=unknown_batch(inputs))
    return taped(call, inputs, weights)


# Control flow.


def chosen(f: Callable) -> Callable:
    def one(*x: Any) -> Any:
        is_sum = tf.math.real(tf.reduce_sum(x[0])) < 1e9
        return tf.cond(is_sum, lambda: f(*x), lambda: tf.zeros_like(f(*x)))

    return one


def looped(f: Callable) -> Callable:
    def once(*x: Any) -> Any:
        start = 0, tf.zeros_like(f(*x))
        return tf.while_loop(lambda i, _: i < 1, lambda i, _: (i + 1, f(*x)), start)[1]

    return once


def branched_loop(f: Callable) -> Callable:
    """A loop whose body is a branch."""

    def once(*x: Any) -> Any:
        start = 0, tf.zeros_like(f(*x))
        body = chosen(f)
        return tf.while_loop(lambda i, _: i < 1, lambda i, _: (i + 1, body(*x)), start)[
            1
        ]

    return once


def in_cond(f: Callable, inputs: list, weights: list) -> list:
    return inside(chosen(f), inputs, weights)


def around_cond(f: Callable, inputs: list, weights: list) -> list:
    return around(chosen(f), inputs, weights)


def in_loop(f: Callable, inputs: list, weights: list) -> list:
    return inside(looped(f), inputs, weights)


def around_loop(f: Callable, inputs: list, weights: list) -> list:
    return around(looped(f), inputs, weights)


def in_branched_loop(f: Callable, inputs: list, weights: list) -> list:
    return inside(branched_loop(f), inputs, weights)


def around_branched_loop(f: Callable, inputs: list, weights: list) -> list:
    return around(branched_loop(f), inputs, weights)


def mapped(f: Callable, inputs: list, weights: list) -> list:
    of = tf.TensorSpec(f(*inputs).shape, f(*inputs).dtype)

    def over(*x: Any) -> Any:
        return tf.map_fn(lambda each: f(*each), x, fn_output_signature=of)

    return inside(over, [tf.stack(each) for each in zip(*rows(inputs))], weights)


def mapped_tapes(f: Callable, inputs: list, weights: list) -> list:
    given = tuple(tf.stack(each) for each in zip(*rows(inputs)))
    found = tf.vectorized_map(lambda x: tuple(taped(f, x, weights)), given)
    ends = len(inputs)
    return [*found[:ends], *(tf.reduce_sum(each, 0) for each in found[ends:])]


def vectorized(f: Callable, inputs: list, weights: list) -> list:
    def over(*x: Any) -> Any:
        return tf.vectorized_map(lambda each: f(*each), x)

    return eager(over, [tf.stack(each) for each in zip(*rows(inputs))], weights)


# Jacobians, forward mode, second order.


def jacobian(f: Callable, inputs: list, weights: list, pfor: bool = True) -> list:
    with tf.GradientTape(persistent=not pfor) as tape:
        tape.watch(inputs)
        y = f(*inputs)
    return tape.jacobian(y, inputs, experimental_use_pfor=pfor)


def one_by_one(f: Callable, inputs: list, weights: list) -> list:
    return jacobian(f, inputs, weights, pfor=False)


def pushed(f: Callable, inputs: Sequence, weights: list) -> list:
    ones = [tf.ones_like(x) for x in inputs]
    with tf.autodiff.ForwardAccumulator([*inputs], ones) as accumulator:
        y = f(*inputs)
    return [accumulator.jvp(y)]


def pushed_inside(f: Callable, inputs: list, weights: list) -> list:
    return tf.function(lambda *x: pushed(f, x, weights))(*inputs)


def pushed_around(f: Callable, inputs: list, weights: list) -> list:
    return pushed(tf.function(f), inputs, weights)


def twice(f: Callable, inputs: Sequence, weights: list) -> list:
    with tf.GradientTape() as outer:
        outer.watch([*inputs])
        first = taped(lambda *x: f(*x) ** 2, inputs, [])
        first = [dense(each) for each in first if each is not None]
    return outer.gradient(first, [*inputs])


def twice_inside(f: Callable, inputs: list, weights: list) -> list:
    return tf.function(lambda *x: twice(f, x, weights))(*inputs)


def twice_around(f: Callable, inputs: list, weights: list) -> list:
    return twice(tf.function(f), inputs, weights)


def twice_nested(f: Callable, inputs: list, weights: list) -> list:
    return twice_inside(tf.function(f), inputs, weights)


# Devices, Keras, files.


def replicated(f: Callable, inputs: list, weights: list) -> list:
    strategy = mirrored()
    return by_replica(strategy, strategy.run(lambda: taped(f, inputs, weights)))


def replicated_inside(f: Callable, inputs: list, weights: list) -> list:
    strategy = mirrored()

    def step(*x: Any) -> list:
        return strategy.run(lambda *x: taped(f, x, weights), x)

    return by_replica(strategy, tf.function(step)(*inputs))


def mirrored() -> tf.distribute.Strategy:
    return tf.distribute.MirroredStrategy([f"CPU:{n}" for n in range(REPLICAS)])


def by_replica(strategy: tf.distribute.Strategy, found: list) -> list:
    each = [
        [None] * REPLICAS if of is None else strategy.experimental_local_results(of)
        for of in found
    ]
    return [of[replica] for replica in range(REPLICAS) for of in each]


def layer_of(f: Callable) -> type[keras.layers.Layer]:
    """The layer that calls a function."""

    class Apply(keras.layers.Layer):
        def call(self, inputs: list) -> Any:
            return f(*inputs)

    return Apply


def symbols(inputs: list) -> list:
    return [keras.Input(batch_shape=x.shape, dtype=x.dtype.name) for x in inputs]


def on_a_symbol(f: Callable, inputs: list, weights: list) -> list:
    given = symbols(inputs)
    model = keras.Model(given, f(*given))
    return taped(lambda *x: model([*x]), inputs, [])


def functional(f: Callable, inputs: list, weights: list) -> list:
    given = symbols(inputs)
    model = keras.Model(given, layer_of(f)()(given))
    return taped(lambda *x: model([*x]), inputs, [])


def fitted(f: Callable, inputs: list, weights: list) -> list:
    return gradients_in_fit(f, *inputs)


def from_keras_file(f: Callable, inputs: list, weights: list) -> list:
    given, layer = symbols(inputs), layer_of(f)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.keras"
        keras.Model(given, layer()(given)).save(file)
        model = keras.models.load_model(file, custom_objects={"Apply": layer})
    return taped(lambda *x: model([*x]), inputs, [])


def mixed(f: Callable, inputs: list, weights: list) -> list:
    layer = layer_of(f)(dtype="mixed_float16")
    return taped(lambda *x: layer([*x]), inputs, [])
