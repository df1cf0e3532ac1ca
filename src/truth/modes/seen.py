"""What asking for the gradient of one call shows, in each mode."""

import ast
import contextlib
import linecache
import tempfile
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from tensorflow.python.framework import ops  # no public name takes a gradient back

from vjpcheck.messages import message, tidy

from . import tries


def seen(program: Path, call: str) -> dict[str, str]:
    """What the reader sees who asks for the gradient of a call, by mode.

    Raises:
        ValueError: this is no call, or the program does not define what it names.
    """
    function, inputs, keys = parts(program, call)

    def called(*given: Any) -> Any:
        first = len(given) - len(keys)
        return function(*given[:first], **dict(zip(keys, given[first:])))

    return {name: _shown(mode, called, inputs) for name, mode in MODES.items()}


def parts(program: Path, call: str) -> tuple[Callable, list, list[str]]:
    """The function, its inputs, and the names of the last of these.

    Args:
        program: run as a whole, or up to its error; it defines what the call names.
        call: ``product(x, y=y)``; the inputs are tensors, or become such.
    """
    names = _defined(program)
    try:
        tree = ast.parse(call, mode="eval").body
        if not isinstance(tree, ast.Call):
            raise ValueError(f"{call} is no call")
        function, *inputs = (
            eval(ast.unparse(each), names)
            for each in (tree.func, *tree.args, *(k.value for k in tree.keywords))
        )
    except Exception as error:  # of whatever the call is made of
        raise ValueError(f"{call}: {error}") from None
    return function, inputs, [str(each.arg) for each in tree.keywords]


@cache
def _defined(program: Path) -> dict[str, Any]:
    """What a program has defined when it ends, in whatever way; it runs once, for a
    gradient cannot be registered twice, not by another program either."""
    registered = ops.gradient_registry._registry
    for name, entry in [*registered.items()]:
        if entry["type"] and not entry["type"].__module__.startswith("tensorflow."):
            del registered[name]
    source = program.read_text("utf-8")
    # AutoGraph asks for the source; tests keep another text of the same program.
    file = f"<{program} as it is>"
    linecache.cache[file] = len(source), None, source.splitlines(True), file
    names: dict[str, Any] = {"__name__": "__main__"}
    with (
        tempfile.TemporaryDirectory() as place,
        contextlib.chdir(place),
        contextlib.suppress(Exception, SystemExit),
    ):
        exec(compile(source, file, "exec"), names)
    keras.config.set_dtype_policy("float32")
    return names


def _shown(mode: Callable, function: Callable, inputs: list) -> str:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", UserWarning)
        try:
            gradients = mode(function, *inputs)
        except Exception as error:
            return message(error)
    said = ", ".join(map(_value, gradients))
    for each in warned:
        if each.category is UserWarning and "radient" in str(each.message):
            said += f"; UserWarning: {tidy(str(each.message))}"
    return said


def _value(gradient: Any) -> str:
    if gradient is None:
        return "None"
    if isinstance(gradient, tf.IndexedSlices):
        rows = _value(gradient.values)
        return f"IndexedSlices of {rows} at {_value(gradient.indices)}"
    array = np.asarray(gradient)
    array = array.astype(np.float32) if array.dtype.kind not in "fciub" else array
    if not array.size:
        return f"empty, of shape {array.shape}"
    return " ".join(np.array2string(array, precision=6, separator=", ").split())


class Layer(keras.layers.Layer):
    """Its weights are the inputs of a function."""

    def __init__(self, function: Callable, inputs: Sequence) -> None:
        super().__init__(name="layer")
        self._function = function
        tensors = [tf.convert_to_tensor(each) for each in inputs]
        self.inputs = [self._weight(each, trainable=True) for each in tensors]
        self.gradients = [
            self._weight(tf.zeros_like(each), trainable=False) for each in tensors
        ]
        """Kept from one step."""

    def _weight(self, value: tf.Tensor, trainable: bool) -> keras.Variable:
        return self.add_weight(
            shape=value.shape,
            dtype=value.dtype.name,
            initializer=lambda *_, **__: value,
            trainable=trainable,
        )

    def call(self, batch: tf.Tensor) -> tf.Tensor:
        outputs = self._function(*map(tf.convert_to_tensor, self.inputs))
        return batch + sum(
            tf.reduce_sum(tf.cast(each, batch.dtype))
            for each in tf.nest.flatten(outputs)
        )


class Step(keras.optimizers.SGD):
    """Keeps what it is given for the weights of a layer, and moves nothing."""

    def __init__(self, layer: Layer) -> None:
        super().__init__(0.0, name="step")
        self._layer, self.given = layer, [False] * len(layer.inputs)

    def apply(self, grads: list, trainable_variables: Any = None) -> Any:
        for number, each in enumerate(grads):
            self.given[number] = each is not None
            if each is not None:
                self._layer.gradients[number].assign(tf.convert_to_tensor(each))
        return super().apply(grads, trainable_variables)


def in_fit(function: Callable, *inputs: Any) -> list:
    keras.utils.clear_session(free_memory=False)  # names are counted
    layer = Layer(function, inputs)
    step = Step(layer)
    model = keras.Sequential([keras.Input((1,)), layer])
    model.compile(step, loss=lambda _, y: tf.reduce_sum(y))
    model.fit(np.zeros((1, 1)), np.zeros((1, 1)), verbose=0)
    return [
        each.value if given else None
        for each, given in zip(layer.gradients, step.given)
    ]


MODES: dict[str, Callable[..., list]] = {
    "eager": tries.EAGER.gradients,
    "tape inside `tf.function`": tries.INSIDE.gradients,
    "tape around `tf.function`": tries.AROUND.gradients,
    "nested `tf.function`": tries.NESTED.gradients,
    "XLA": tries.XLA.gradients,
    "`tf.gradients`": tries.SYMBOLIC.gradients,
    "`model.fit`": in_fit,
}
