"""Run code in another process, for example to load a saved model there."""

import functools
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from tracebook import settings
from tracebook.runner import Run, Runner
from tracebook.snippet import Snippet

from .places import _tensors
from .results import quiet, tried

_ROOT = Path(__file__).resolve().parents[2]


def elsewhere(code: str) -> str:
    """Run code in a new process in which only TensorFlow is imported.

    Args:
        code: a program.

    Returns:
        What the program prints.

    Raises:
        RuntimeError: the program failed; the message holds its error.
    """
    path = Path("elsewhere")
    program = Snippet(path, path.name, path.name, code, raises=None, rel=0.0)
    runs: list[Run] = []
    _runner().run([program], lambda _, run: runs.append(run))
    [run] = runs
    if run.problem:
        raise RuntimeError(run.problem)
    return run.trace


@functools.cache
def _runner() -> Runner:
    return Runner(settings.load(_ROOT))


_LOAD = """
import numpy as np
import tensorflow as tf
folder, order = {folder!r}, {order!r}
inputs = [tf.constant(each) for each in np.load(folder + "/inputs.npz").values()]
call = tf.saved_model.load(folder + "/model").call
def derived(*inputs):
    return call(*inputs)
for _ in range(order):
    def derived(*inputs, function=derived):
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            y = function(*inputs)
        return tape.gradient(y, [*inputs])
results = [x if x is None else tf.convert_to_tensor(x) for x in derived(*inputs)]
np.savez(folder + "/results.npz", *["None" if x is None else x for x in results])
"""


def loaded(
    function: Callable, *inputs: Any, order: int = 1, custom_gradients: bool = True
) -> list:
    """Save a function as a SavedModel, load it in another process, differentiate there.

    Args:
        function: takes the inputs as tensors.
        *inputs: where the gradients are computed.
        order: 1 for the gradient, 2 for the gradient of its sum.
        custom_gradients: the option ``experimental_custom_gradients``.

    Returns:
        One gradient for each input, or ``None``.

    Raises:
        RuntimeError: the other process failed; the message holds its error.
    """
    tensors = _tensors(inputs)
    tried.note("loaded", tensors)
    module = tf.Module()
    specs = [tf.TensorSpec(tensor.shape, tensor.dtype) for tensor in tensors]
    module.call = tf.function(function, input_signature=specs)
    options = tf.saved_model.SaveOptions(experimental_custom_gradients=custom_gradients)
    with tempfile.TemporaryDirectory() as folder, quiet():
        np.savez(f"{folder}/inputs.npz", *tensors)
        tf.saved_model.save(module, f"{folder}/model", options=options)
        elsewhere(_LOAD.format(folder=folder, order=order))
        results = np.load(f"{folder}/results.npz").values()
        return [None if x.dtype.kind == "U" else tf.constant(x) for x in results]
