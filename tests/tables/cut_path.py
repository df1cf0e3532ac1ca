"""The gradient of an input that has no path to the target: ``None``, 0 or an error."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from tests.harness import EAGER, Place, gradients_in_fit, loaded_in_places

from . import by_place, cell, shown


@dataclass(frozen=True)
class Case:
    """A function, and the one of its inputs whose path is cut."""

    title: str
    function: Callable
    inputs: Sequence
    cut: int = 0
    plain: Callable | None = None
    """The same function without a custom gradient."""

    def cell(self, gradients: Callable[..., Any]) -> str:
        """Return the gradient of the input, as a cell."""
        return self.marked(
            cell(lambda: gradients(self.function, *self.inputs)[self.cut])
        )

    def marked(self, text: str) -> str:
        """Mark a cell that holds the gradient of the plain function."""
        if self.plain is None:
            return text
        plain = EAGER.gradients(self.plain, *self.inputs)[self.cut]
        return f"{text} (plain)" if text == shown(plain) else text


def _scaled(k: tf.Tensor) -> Callable:
    """k² x, whose gradient function captures k, and so k gets no gradient."""

    @tf.custom_gradient
    def of_x(x):
        return k * k * x, lambda upstream: 10 * upstream

    return of_x


@tf.custom_gradient
def _without(x):
    return x * x, lambda upstream: None


@tf.custom_gradient
def _without_second(x, z):
    return x * z, lambda upstream: (upstream * z, None)


@tf.custom_gradient
def _squares(x, z):
    def grad(of_x, of_z):
        return 2 * x * of_x, 2 * z * of_z

    return (x * x, z * z), grad


def _in_numpy(x):
    y = tf.numpy_function(np.square, [x], x.dtype)
    return tf.ensure_shape(y, x.shape)


TWO, THREE = np.float32([2, 2]), np.float32([3, 3])
OPERATIONS = [
    Case("integer cast", lambda x: tf.cast(tf.cast(x, tf.int32), x.dtype), [TWO]),
    Case("`stop_gradient`", tf.stop_gradient, [TWO]),
    Case("`round`", tf.round, [TWO]),
    Case("`numpy_function`", _in_numpy, [TWO]),
    Case("input not used", lambda x, z: x * x, [TWO, THREE], 1),
]
CUSTOM = [
    Case(
        "captured",
        lambda x, k: _scaled(k)(x),
        [TWO, THREE],
        1,
        lambda x, k: k * k * x,
    ),
    Case(
        "captured, alone",
        lambda k: _scaled(k)(tf.constant(TWO)),
        [THREE],
        plain=lambda k: k * k * TWO,
    ),
    Case("`grad` returns `None`", _without, [TWO], plain=lambda x: x * x),
    Case("one of two is `None`", _without_second, [TWO, THREE], 1, lambda x, z: x * z),
    Case("output not used", lambda x, z: _squares(x, z)[0], [TWO, THREE], 1),
]


def table() -> str:
    """Return two tables, one for operations and one for custom gradients."""
    return f"{_table(OPERATIONS)}\n\n{_table(CUSTOM)}"


def _table(cases: list[Case]) -> str:
    def cells(place: Place) -> list[str]:
        return [case.cell(place.gradients) for case in cases]

    titles = [case.title for case in cases]
    return by_place(titles, cells, {"`model.fit`": _in_fit(cases)} | _loaded(cases))


def _in_fit(cases: list[Case]) -> list[str]:
    """Compute the cells of ``model.fit``, which raises if no weight has a gradient."""

    def gradients(function: Callable, *inputs: Any) -> list:
        def with_path(path: tf.Tensor, *tensors: tf.Tensor) -> tf.Tensor:
            return path + function(*tensors)

        return gradients_in_fit(with_path, TWO, *inputs)[1:]

    return [case.cell(gradients) for case in cases]


def _loaded(cases: list[Case]) -> dict[str, list[str]]:
    """Compute the cells of a SavedModel that another process loads."""
    results = loaded_in_places([(case.function, case.inputs) for case in cases])
    rows: dict[str, list[str]] = {}
    for place in ("inside", "outside"):
        row = rows[f"loaded SavedModel, {place}"] = []
        for number, case in enumerate(cases):
            result = results[number, place, 1]
            is_error = isinstance(result, str)
            text = f"raises {result}" if is_error else shown(result[case.cut])
            row.append(case.marked(text))
    return rows
