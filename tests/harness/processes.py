"""Run code in another process, for example to load a saved model there."""

import functools
import json
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from tracebook import settings
from tracebook.runner import Run, Runner
from tracebook.snippet import Snippet

from .places import _tensors
from .results import quiet, raised, tried

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
    return run.output


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


_LOAD_ALL = """
import json
import numpy as np
import tensorflow as tf
folder, cases, orders = {folder!r}, {cases!r}, {orders!r}
def shown(gradient):
    if gradient is None:
        return None
    array = tf.convert_to_tensor(gradient).numpy()
    return array.dtype.name, array.tolist()
def derived(function):
    def gradients(*inputs):
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            outputs = tf.nest.flatten(function(*inputs))
            y = [output for output in outputs if output is not None]
        return tape.gradient(y, [*inputs])
    return gradients
results = []
for case in cases:
    inputs = [tf.constant(x) for x in np.load(f"{{folder}}/{{case}}.npz").values()]
    for place in "outside", "inside":
        function = tf.saved_model.load(f"{{folder}}/{{case}}").call
        for order in range(1, max(orders) + 1):
            function = derived(function)
            if order not in orders:
                continue
            whole = function if place == "outside" else tf.function(function)
            try:
                result = [shown(gradient) for gradient in whole(*inputs)]
            except Exception as error:
                result = type(error).__name__
            results.append([case, place, order, result])
with open(folder + "/results.json", "w") as file:
    json.dump(results, file)
"""


def loaded_in_places(
    cases: Sequence[tuple[Callable, Sequence]],
    orders: Sequence[int] = (1,),
    custom_gradients: bool = True,
) -> dict[tuple[int, str, int], list | str]:
    """Save functions as SavedModels, and differentiate all of them in another process.

    Args:
        cases: functions of tensors, each with the inputs where it is differentiated.
        orders: 1 for the gradient, 2 for the gradient of its sum.
        custom_gradients: the option ``experimental_custom_gradients``.

    Returns:
        By case, place of the tapes (``outside`` the loaded function, or ``inside`` a new
        ``tf.function``) and order: one gradient for each input, or ``None``,
        or else the name of the exception, such as ``ValueError while saving``.
    """
    results: dict[tuple[int, str, int], list | str] = {}
    options = tf.saved_model.SaveOptions(experimental_custom_gradients=custom_gradients)
    with tempfile.TemporaryDirectory() as folder, quiet():
        for case, (function, inputs) in enumerate(cases):
            tensors = _tensors(inputs)
            tried.note("loaded", tensors)
            np.savez(f"{folder}/{case}.npz", *tensors)
            specs = [tf.TensorSpec(tensor.shape, tensor.dtype) for tensor in tensors]
            module = tf.Module()
            module.call = tf.function(function, input_signature=specs)
            if error := raised(
                functools.partial(tf.saved_model.save, options=options),
                *(module, f"{folder}/{case}"),
            ):
                message = f"{type(error).__name__} while saving"
                for place in ("outside", "inside"):
                    results |= {(case, place, order): message for order in orders}
        saved = sorted({*range(len(cases))} - {case for case, _, _ in results})
        elsewhere(_LOAD_ALL.format(folder=folder, cases=saved, orders=[*orders]))
        for case, place, order, result in json.loads(
            Path(folder, "results.json").read_text("utf-8")
        ):
            results[case, place, order] = _arrays(result)
    return results


def _arrays(result: str | list) -> str | list:
    if isinstance(result, str):
        return result
    return [part if part is None else tf.constant(part[1], part[0]) for part in result]
