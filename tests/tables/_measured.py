"""The composition matrix as JSON: ``python -m tests.tables._measured [KIND…]``.

It is a process of its own, because it has two devices, and another process loads what it
saved.
"""

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

from vjpcheck.messages import message

from . import _places as places
from ._places import (
    Gradient,
    Half,
    Jacobian,
    OfInputs,
    OfRows,
    Pushed,
    Replicas,
    Second,
)

ROOT = Path(__file__).resolve().parents[2]
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
    "arctan",
    "slices",
    "complex_square",
    "mask",
)
SAVED = "SavedModel, in another process"
SAVED_TWICE = "SavedModel, second order, in another process"
SAVED_WITHOUT = "SavedModel without custom gradients, in another process"
PLACES: dict[str, Gradient] = {
    "eager": Gradient(places.eager),
    "inside a `tf.function`": Gradient(places.inside),
    "outside a `tf.function`": Gradient(places.around),
    "nested `tf.function`": Gradient(places.nested),
    "`tf.gradients`": Gradient(places.symbolic),
    "XLA": Gradient(places.compiled),
    "`tf.cond`, inside": Gradient(places.in_cond),
    "`tf.cond`, outside": Gradient(places.around_cond),
    "`tf.while_loop`, inside": Gradient(places.in_loop),
    "`tf.while_loop`, outside": Gradient(places.around_loop),
    "`tf.cond` in `tf.while_loop`, inside": Gradient(places.in_branched_loop),
    "`tf.cond` in `tf.while_loop`, outside": Gradient(places.around_branched_loop),
    "unknown batch dimension, inside": Gradient(places.inside_unknown),
    "unknown batch dimension, outside": Gradient(places.around_unknown),
    "`tf.map_fn`": OfRows(places.mapped),
    "`tf.vectorized_map`, tape outside the map": OfRows(places.vectorized),
    "`tf.vectorized_map`, tape inside the map": OfRows(places.mapped_tapes),
    "`tape.jacobian`": Jacobian(places.jacobian),
    "`tape.jacobian`, row by row": Jacobian(places.one_by_one),
    "forward mode, eager": Pushed(places.pushed),
    "forward mode, inside": Pushed(places.pushed_inside),
    "forward mode, outside": Pushed(places.pushed_around),
    "second order, eager": Second(places.twice),
    "second order, inside": Second(places.twice_inside),
    "second order, outside": Second(places.twice_around),
    "second order, nested": Second(places.twice_nested),
    "`MirroredStrategy`": Replicas(places.replicated),
    "`strategy.run`, inside": Replicas(places.replicated_inside),
    "a `KerasTensor`": OfInputs(places.on_a_symbol),
    "functional model, in a layer": OfInputs(places.functional),
    "`model.fit`": OfInputs(places.fitted),
    "`.keras` file, loaded with its class": OfInputs(places.from_keras_file),
    "mixed precision": Half(places.mixed),
}
FILES = {SAVED: (True, 1), SAVED_TWICE: (True, 2), SAVED_WITHOUT: (False, 1)}
"""Whether custom gradients are saved, and the order that is asked for."""

RIGHT = "right"
WITHOUT = "; also fails without a custom gradient"


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
    for kind, said in loaded(kinds).items():
        found[kind] |= said
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
    if said_of_rule == RIGHT:
        return RIGHT
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
from vjpcheck.messages import message
def gradients(f, inputs):
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        y = f(*inputs)
    found = tape.gradient(y, inputs)
    return [tf.convert_to_tensor(x) if x is not None else x for x in found]
def twice(f, inputs):
    def of_square(*given):
        found = gradients(lambda *x: f(*x) ** 2, [*given])
        return [x for x in found if x is not None]
    return gradients(of_square, inputs)
for folder in sorted(Path(sys.argv[1]).glob("*/*/")):
    given = np.load(folder.parent / "inputs.npz")
    inputs = [tf.constant(each) for each in given.values()]
    model = tf.saved_model.load(folder)
    for order, asked in (1, gradients), (2, twice):
        if order == 2 and folder.name != "kept":
            continue
        for name in "rule", "meant":
            stem = f"{folder}_{name}_{order}"
            try:
                found = asked(getattr(model, name), inputs)
                found = ["None" if x is None else x for x in found]
                np.savez(stem + ".npz", *found)
            except Exception as error:
                Path(stem + ".txt").write_text(message(error))
"""


def loaded(kinds: dict[str, dict[str, Any]]) -> dict[str, dict[str, str]]:
    """By kind and place."""
    found: dict[str, dict[str, str]] = {kind: {} for kind in kinds}
    with tempfile.TemporaryDirectory() as name:
        folders = {kind: Path(name) / str(at) for at, kind in enumerate(kinds)}
        for kind, names in kinds.items():
            folders[kind].mkdir()
            np.savez(folders[kind] / "inputs.npz", *names["inputs"])
            save(names, folders[kind])
        subprocess.run([sys.executable, "-c", LOAD, name], check=True, cwd=ROOT)
        for kind, names in kinds.items():
            right = {
                1: places.taped(names["meant"], names["inputs"], []),
                2: Second(places.twice).right(names["meant"], names["inputs"], []),
            }
            for place, (kept, order) in FILES.items():
                stem = folders[kind] / ("kept" if kept else "left")
                said = read(stem, "rule", order, right[order])
                if said != RIGHT and read(stem, "meant", order, right[order]) != RIGHT:
                    said += WITHOUT
                found[kind][place] = said
    return found


def save(names: dict[str, Any], place: Path) -> None:
    """With custom gradients, and without."""
    module = tf.Module()
    module.weights = names.get("weights", [])
    given = [tf.TensorSpec(x.shape, x.dtype) for x in names["inputs"]]
    for name in "rule", "meant":
        setattr(module, name, tf.function(names[name], input_signature=given))
    for name, kept in ("kept", True), ("left", False):
        options = tf.saved_model.SaveOptions(experimental_custom_gradients=kept)
        tf.saved_model.save(module, str(place / name), options=options)


def read(stem: Path, name: str, order: int, right: list) -> str:
    file = stem.with_name(f"{stem.name}_{name}_{order}.npz")
    if (error := file.with_suffix(".txt")).exists():
        return error.read_text()
    found = [None if x.dtype.kind == "U" else x for x in np.load(file).values()]
    return judged(found, right, 1e-5 if order == 1 else Second.within)


@contextlib.contextmanager
def quiet():
    """What programs and libraries print is no part of the result."""
    logging.disable(logging.CRITICAL)
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        yield


if __name__ == "__main__":
    main()
