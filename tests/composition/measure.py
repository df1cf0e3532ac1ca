"""What each kind of rule gives in each place, as JSON: ``python -m
tests.composition.measure [KIND…]``. A process of its own: it has two devices, and what it saved
is loaded by another."""

import contextlib
import json
import logging
import os
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
import numpy as np
import tensorflow as tf

from truth.errors import message

from ..project import ROOT
from . import places
from .places import Gradient, Half, Jacobian, OfInputs, OfRows, Pushed, Replicas, Second

PROGRAMS = ROOT / "snippets/systems/composition"
KINDS = (
    "plain",
    "variable",
    "wrong/closed_over",
    "structure",
    "stop",
    "straight",
    "outside",
    "recompute",
    "nested",
    "slices",
    "complex_square",
    "mask",
)
SAVED = "SavedModel, in another process"
SAVED_WITHOUT = "SavedModel without custom gradients, in another process"
PLACES: dict[str, Gradient] = {
    "eager": Gradient(places.eager),
    "tape inside `tf.function`": Gradient(places.inside),
    "tape around `tf.function`": Gradient(places.around),
    "nested `tf.function`": Gradient(places.nested),
    "`tf.gradients`": Gradient(places.symbolic),
    "XLA": Gradient(places.compiled),
    "`tf.cond`, tape inside": Gradient(places.in_cond),
    "`tf.cond`, tape around": Gradient(places.around_cond),
    "`tf.while_loop`, tape inside": Gradient(places.in_loop),
    "`tf.while_loop`, tape around": Gradient(places.around_loop),
    "`tf.map_fn`": OfRows(places.mapped),
    "`tf.vectorized_map`, tape around": OfRows(places.vectorized),
    "`tf.vectorized_map`, a tape for each row": OfRows(places.mapped_tapes),
    "`tape.jacobian`": Jacobian(places.jacobian),
    "`tape.jacobian`, row by row": Jacobian(places.one_by_one),
    "forward mode, eager": Pushed(places.pushed),
    "forward mode inside `tf.function`": Pushed(places.pushed_inside),
    "forward mode around `tf.function`": Pushed(places.pushed_around),
    "second order, eager": Second(places.twice),
    "second order in `tf.function`": Second(places.twice_inside),
    "`MirroredStrategy`": Replicas(places.replicated),
    "a `KerasTensor`": OfInputs(places.on_a_symbol),
    "functional model, in a layer": OfInputs(places.functional),
    "`model.fit`": OfInputs(places.fitted),
    "`.keras` file, loaded with its class": OfInputs(places.from_keras_file),
    "mixed precision": Half(places.mixed),
}
FILES = {SAVED: True, SAVED_WITHOUT: False}

RIGHT = "right"
WITHOUT = "; without a rule, too"


def main() -> None:
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(
        cpu, [tf.config.LogicalDeviceConfiguration()] * places.REPLICAS
    )
    with quiet():
        found = measured(sys.argv[1:] or KINDS)
    json.dump(found, sys.stdout, indent=1)


def measured(wanted: Sequence[str]) -> dict[str, dict[str, str]]:
    """By kind and place: ``right``, ``wrong: …``, or the message."""
    found: dict[str, dict[str, str]] = {}
    kinds = {kind: runpy.run_path(str(PROGRAMS / f"{kind}.py")) for kind in wanted}
    for kind, names in kinds.items():
        found[kind] = {name: cell(place, names) for name, place in PLACES.items()}
    for name, kept in FILES.items():
        for kind, said in loaded(kinds, kept).items():
            found[kind][name] = said
    return found


def cell(place: Gradient, names: dict[str, Any]) -> str:
    inputs, weights = names["inputs"], names.get("weights", [])
    right = place.right(names["meant"], inputs, weights)

    def said(function: Callable) -> str:
        keras.utils.clear_session(free_memory=False)  # names are counted
        try:
            found = place.ask(function, inputs, weights)
        except Exception as error:
            return message(error)
        return judged(found, right, place.within)

    said_of_rule = said(names["rule"])
    if said_of_rule == RIGHT or place.ask is places.on_a_symbol:
        return said_of_rule  # of a symbol, any function of TensorFlow is refused
    return said_of_rule + (WITHOUT if said(names["meant"]) != RIGHT else "")


def judged(found: list, right: list, within: float) -> str:
    arrays = [None if x is None else np.asarray(places.dense(x)) for x in found]
    expected = [np.asarray(places.dense(each)) for each in right]
    if len(arrays) == len(expected) and all(
        a is not None and a.shape == b.shape and np.allclose(a, b, within, within)
        for a, b in zip(arrays, expected)
    ):
        return RIGHT
    return f"wrong: {', '.join(map(shown, arrays))}"


def shown(array: np.ndarray | None) -> str:
    if array is None:
        return "None"
    text = np.array2string(array, precision=3, separator=", ", suppress_small=True)
    return " ".join(text.split())


# Saved here, loaded in another process.

LOAD = """
import sys
from pathlib import Path
import numpy as np
import tensorflow as tf
from truth.errors import message
for folder in Path(sys.argv[1]).iterdir():
    try:
        given = np.load(folder / "inputs.npz")
        inputs = [tf.constant(each) for each in given.values()]
        model = tf.saved_model.load(folder / "model")
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            y = model.call(*inputs)
        found = tape.gradient(y, inputs)
        found = ["None" if x is None else tf.convert_to_tensor(x) for x in found]
        np.savez(folder / "found.npz", *found)
    except Exception as error:
        (folder / "error.txt").write_text(message(error))
"""


def loaded(kinds: dict[str, dict[str, Any]], kept: bool) -> dict[str, str]:
    found = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, (kind, names) in enumerate(kinds.items()):
            place = folder / str(number)
            place.mkdir()
            np.savez(place / "inputs.npz", *names["inputs"])
            try:
                save(names, place / "model", kept)
            except Exception as error:
                found[kind] = message(error)
        subprocess.run([sys.executable, "-c", LOAD, folder], check=True, cwd=ROOT)
        for number, (kind, names) in enumerate(kinds.items()):
            if kind not in found:
                found[kind] = read(names, folder / str(number))
    return found


def save(names: dict[str, Any], place: Path, kept: bool) -> None:
    module = tf.Module()
    module.weights = names.get("weights", [])
    given = [tf.TensorSpec(x.shape, x.dtype) for x in names["inputs"]]
    module.call = tf.function(names["rule"], input_signature=given)
    options = tf.saved_model.SaveOptions(experimental_custom_gradients=kept)
    tf.saved_model.save(module, str(place), options=options)


def read(names: dict[str, Any], place: Path) -> str:
    if (error := place / "error.txt").exists():
        return error.read_text()
    found = [
        None if each.dtype.kind == "U" else each
        for each in np.load(place / "found.npz").values()
    ]
    return judged(found, places.taped(names["meant"], names["inputs"], []), 1e-5)


@contextlib.contextmanager
def quiet():
    """What programs and libraries print is no part of the result."""
    logging.disable(logging.CRITICAL)
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        yield


if __name__ == "__main__":
    main()
