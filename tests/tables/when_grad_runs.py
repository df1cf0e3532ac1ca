"""How often Python calls ``grad``, when, and with which kind of tensors."""

from collections import Counter
from collections.abc import Callable
from typing import Any
from unittest import mock

import keras
import numpy as np
import tensorflow as tf

from tests.harness import (
    FORWARDS,
    PERSISTENT,
    SYMBOLIC,
    TAPE_IN_MAP,
    Forward,
    Place,
    quiet,
)

from . import FAMILIES, by_place, name

INPUT = np.array([2, 2], np.float32)


class Events:
    """The calls of a gradient function, by what the program was doing."""

    def __init__(self) -> None:
        self.phase = ""
        self.calls: dict[str, Counter] = {}
        self.error = ""

    def begin(self, phase: str) -> None:
        """Begin a phase, in which no call has happened yet."""
        self.phase = phase
        self.calls[phase] = Counter()

    def called(self, upstream: Any) -> None:
        """Note a call of ``grad``."""
        kind = "symbolic" if tf.is_symbolic_tensor(upstream) else "eager"
        self.calls[self.phase][kind] += 1

    def shown(self, phase: str) -> str:
        """Return the cell of a phase, such as ``1 symbolic``."""
        if self.error and phase == self.phase:
            return self.error
        if phase not in self.calls:
            return "not reached"
        calls = sorted(self.calls[phase].items())
        return ", ".join(f"{number} {kind}" for kind, number in calls) or "0"


def _noted(events: Events) -> Callable:
    """x², whose gradient function notes its calls, and captures nothing."""

    @tf.custom_gradient
    def square(x):
        def grad(upstream):
            events.called(upstream)
            return 10 * upstream

        return x * x, grad

    return square


def _taped(events: Events, requests: int, persistent: bool) -> Callable:
    """Compute gradients by a tape, with a phase for the call and for each request."""

    def taped(function: Callable) -> Callable:
        def gradients(*tensors: tf.Tensor) -> list:
            with tf.GradientTape(persistent=persistent) as tape:
                tape.watch(tensors)
                events.begin("call")
                found = [function(*tensors)]
            for request in range(requests):
                events.begin(f"request {request + 1}")
                found.append(tape.gradient(found[0], tensors[0]))
            return found

        return gradients

    return taped


def _symbolic(events: Events, requests: int, persistent: bool) -> Callable:
    """Compute gradients by ``tf.gradients``."""

    def taped(function: Callable) -> Callable:
        def gradients(*tensors: tf.Tensor) -> list:
            events.begin("call")
            found = [function(*tensors)]
            for request in range(requests):
                events.begin(f"request {request + 1}")
                found += tf.gradients(found[0], tensors[0])
            return found

        return gradients

    return taped


def _taped_rows(events: Events, requests: int, persistent: bool) -> Callable:
    """Compute the gradients of two rows by a tape in a ``vectorized_map``."""

    def taped(function: Callable) -> Callable:
        of_row = _taped(events, requests, persistent)(function)
        return lambda x: tf.vectorized_map(of_row, tf.stack([x, x]))

    return taped


def _run(place: Place, requests: int, persistent: bool = False) -> Events:
    """Take two steps in a place; the phase of the second step is ``next``."""
    events = Events()
    tapes = _symbolic if place is SYMBOLIC else _taped
    tapes = _taped_rows if place in TAPE_IN_MAP else tapes
    step = place.built(_noted(events), tapes(events, requests, persistent))
    return _two_steps(events, lambda: step(tf.constant(INPUT)))


def _two_steps(events: Events, step: Callable) -> Events:
    try:
        with quiet():
            step()
            first, events.calls = events.calls, {}
            events.begin("next")
            step()
    except Exception as error:
        events.error = f"raises {type(error).__name__}"
        return events
    events.calls = first | {"next": sum(events.calls.values(), Counter())}
    events.phase = ""
    return events


def _one_branch(function: Callable) -> Callable:
    def branch(x: tf.Tensor) -> tf.Tensor:
        is_taken = tf.size(x) >= 0
        return tf.cond(is_taken, lambda: function(x), lambda: tf.zeros_like(x))

    return branch


def _loop(function: Callable) -> Callable:
    def loop(x: tf.Tensor) -> tf.Tensor:
        start = 0, tf.zeros_like(x)
        body = lambda i, _: (i + 1, function(x))  # noqa: E731
        return tf.while_loop(lambda i, _: i < 1, body, start)[1]

    return loop


def _map(function: Callable) -> Callable:
    def mapped(x: tf.Tensor) -> tf.Tensor:
        spec = tf.TensorSpec.from_tensor(x)
        return tf.map_fn(function, x[tf.newaxis], fn_output_signature=spec)[0]

    return mapped


_BLOCKS = {
    "branch": _one_branch,
    "loop": _loop,
    "branch in a loop": lambda function: _loop(_one_branch(function)),
    "loop in a branch": lambda function: _one_branch(_loop(function)),
    "map_fn": _map,
}
"""Blocks that call the function in one line, unlike those of the harness."""


def _places(title: str, block: Callable) -> list[Place]:
    return [
        Place(f"{title}, inside", block, tf.function),
        Place(f"{title}, outside", lambda function: tf.function(block(function))),
        Place(f"{title}, eager", block),
    ]


def _families() -> list[list[Place]]:
    """Return the places of all tables, with blocks that call the function in one line."""
    blocks = [place for block in _BLOCKS for place in _places(block, _BLOCKS[block])]
    replaced = {place.name for place in blocks}
    families = [
        [
            place
            for place in family
            if place is not PERSISTENT and not place.name.startswith("one branch")
        ]
        for family in FAMILIES
    ]
    return [
        blocks if {place.name for place in family} & replaced else family
        for family in families
    ]


def table() -> str:
    """Return two tables, one for a tape and one for a persistent tape."""
    families = _families()
    also = "also if no gradient is requested"
    titles = ["at the call", also, "at `tape.gradient`", "next step"]
    forward = {name(place): _forward_cells(place) for place in FORWARDS}
    more = {"`model.fit`": _fit_cells()}, forward
    one = by_place(titles, _cells, *more, families=families)
    titles = ["at the call", "first `tape.gradient`", "second", "next step"]
    families = [
        [place for place in places if place is not SYMBOLIC] for places in families
    ]
    return f"{one}\n\n{by_place(titles, _persistent_cells, families=families)}"


def _cells(place: Place) -> list[str]:
    events = _run(place, 1)
    without = _run(place, 0)
    return [events.shown("call"), without.shown("call"), *_later(events)]


def _later(events: Events) -> list[str]:
    return [events.shown(phase) for phase in ("request 1", "next")]


def _persistent_cells(place: Place) -> list[str]:
    events = _run(place, 2, persistent=True)
    return [*map(events.shown, ("call", "request 1", "request 2", "next"))]


class Squared(keras.layers.Layer):
    """A layer with a weight that it squares, in a phase of its own."""

    def __init__(self, events: Events) -> None:
        super().__init__()
        self._events = events
        self._square = _noted(events)

    def build(self, shape: Any) -> None:
        self.w = self.add_weight(shape=shape[1:], initializer="ones")

    def call(self, batch: tf.Tensor) -> tf.Tensor:
        self._events.begin("call")
        return batch + self._square(tf.convert_to_tensor(self.w))


def _fit_cells() -> list[str]:
    """Compute the cells of ``model.fit``; ``model.evaluate`` requests no gradient."""
    events = Events()
    model = keras.Sequential([Squared(events)])
    model.compile("sgd", loss=lambda _, y: tf.reduce_sum(y))
    batch = INPUT[np.newaxis]
    _two_steps(events, lambda: model.evaluate(batch, batch, verbose=0))
    without = events.shown("call")
    request = tf.GradientTape.gradient

    def gradient(*arguments: Any, **keywords: Any) -> Any:
        events.begin("request 1")
        return request(*arguments, **keywords)

    with mock.patch.object(tf.GradientTape, "gradient", gradient):
        _two_steps(events, lambda: model.fit(batch, batch, verbose=0))
    return [events.shown("call"), without, *_later(events)]


def _forward_cells(place: Forward) -> list[str]:
    """Compute the cells of forward mode, where ``jvp`` is the request."""
    without, events = _pushed(place, 0), _pushed(place, 1)
    return [events.shown("call"), without.shown("call"), *_later(events)]


def _pushed(place: Forward, requests: int) -> Events:
    events = Events()
    square, request = _noted(events), tf.autodiff.ForwardAccumulator.jvp

    def jvp(accumulator: Any, primals: Any) -> Any:
        if not requests:
            return primals
        events.begin("request 1")
        return request(accumulator, primals)

    def step() -> None:
        if not events.phase:
            events.begin("call")
        push(tf.constant(INPUT), tf.ones(2))

    push = place.built(square)
    with mock.patch.object(tf.autodiff.ForwardAccumulator, "jvp", jvp):
        return _two_steps(events, step)
