"""Places: the ways in which a program can ask TensorFlow for a gradient.

The four names of the site are *eager*, *inside* (the tape is inside the
``tf.function``), *outside* (every tape is outside of it) and *nested* (the tape is inside
a ``tf.function`` that calls another one).
"""

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from .inputs import FLOATS
from .results import quiet, tried


@dataclass(frozen=True)
class Place:
    """A place where gradients are computed."""

    name: str
    _inner: Callable = lambda function: function
    """Wraps the function, within the tapes."""
    _outer: Callable = lambda gradients: gradients
    """Wraps the tapes."""
    _taped: Callable | None = None
    """Takes the gradients instead of a tape."""

    def __str__(self) -> str:
        return self.name

    @property
    def dtypes(self) -> list[tf.DType]:
        """All float dtypes for the common places, and float32 for the others, because a
        graph for each dtype in each place takes too long."""
        return FLOATS if self.name in ("eager", "inside", "outside") else [tf.float32]

    def gradients(
        self, function: Callable, *inputs: Any, loss: Callable | None = None
    ) -> list:
        """Differentiate a function with respect to each input.

        The graph of a function and a loss is kept, so a second call with the same
        objects and shapes doesn't trace again.

        Args:
            function: takes the inputs as tensors.
            *inputs: tensors, or what can be converted.
            loss: a function of the outputs, differentiated in their place.

        Returns:
            One gradient for each input, or ``None``.
        """
        tensors = self._noted(inputs)
        with quiet():
            return list(_built(self, function, loss)(*tensors))

    def wrapped(self, function: Callable) -> Callable:
        """Return the function as this place calls it within its tapes."""
        return self._inner(function)

    def built(self, function: Callable, taped: Callable | None = None) -> Callable:
        """Return the function of the inputs that computes the gradients in this place.

        Args:
            function: takes the inputs as tensors.
            taped: takes a function, and returns the one that computes its gradients. By
                default, it does so with the tape of this place.
        """
        return self._outer((taped or self._taped or _taped)(self._inner(function)))

    def each(
        self, function: Callable, inputs: Iterable, loss: Callable | None = None
    ) -> list:
        """Differentiate a function of one input at several inputs, in one graph.

        A graph costs some 50 ms, so dtypes, shapes and values that share one make a test
        fast.

        Args:
            function: takes one tensor.
            inputs: tensors, also of different dtypes and shapes.
            loss: a function of one output, differentiated in its place.

        Returns:
            The gradient at each input, or ``None``.
        """

        def all_of(*tensors: tf.Tensor) -> list:
            outputs = [function(tensor) for tensor in tensors]
            return [loss(output) for output in outputs] if loss else outputs

        return self.gradients(all_of, *inputs)

    def gradient(self, function: Callable, x: Any, loss: Callable | None = None) -> Any:
        """Differentiate a function of one input."""
        return self.gradients(function, x, loss=loss)[0]

    def value(self, function: Callable, *inputs: Any) -> Any:
        """Call the function under a tape, and compute no gradient."""

        def recorded(*tensors: tf.Tensor) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(tensors)
                return self._inner(function)(*tensors)

        tensors = self._noted(inputs)
        with quiet():
            return self._outer(recorded)(*tensors)

    def derivative(self, function: Callable, x: Any, order: int = 2) -> Any:
        """Differentiate the sum of the outputs ``order`` times, each time by a tape.

        All tapes are in the same place: inside the ``tf.function``, or outside.
        """
        derived = self._inner(function)
        for _ in range(order):
            derived = derivative(derived)
        tensors = self._noted([x])
        with quiet():
            return self._outer(derived)(*tensors)

    def _noted(self, inputs: Iterable) -> list:
        tensors = _tensors(inputs)
        tried.note(self.name, tensors)
        return tensors


def _tensors(values: Iterable) -> list:
    """Convert the inputs. A tensor that is passed twice is copied, because its gradient
    would be the sum of both."""
    tensors: list = []
    for value in values:
        tensor = value if tf.is_tensor(value) else tf.convert_to_tensor(value)
        is_repeated = any(tensor is previous for previous in tensors)
        tensors.append(tf.identity(tensor) if is_repeated else tensor)
    return tensors


@functools.lru_cache
def _built(place: Place, function: Callable, loss: Callable | None) -> Callable:
    def total(*tensors: tf.Tensor) -> Any:
        value = function(*tensors)
        return loss(value) if loss else value

    return place.built(total)


def forget_graphs() -> None:
    """Drop the graphs that ``Place.gradients`` keeps."""
    _built.cache_clear()


def _taped(function: Callable, persistent: bool = False) -> Callable:
    def gradients(*tensors: tf.Tensor) -> list:
        with tf.GradientTape(persistent=persistent) as tape:
            tape.watch(tensors)
            value = function(*tensors)
        return tape.gradient(value, [*tensors])

    return gradients


def derivative(function: Callable, of: Callable = lambda y: y) -> Callable[[Any], Any]:
    """Return the function that computes the gradient of ``of(function(x))`` by a tape."""

    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = of(function(x))
        return tape.gradient(y, x)

    return gradient


def _symbolic(function: Callable) -> Callable:
    return lambda *tensors: tf.gradients(function(*tensors), [*tensors])


_XLA = functools.partial(tf.function, jit_compile=True)

EAGER = Place("eager")
PERSISTENT = Place("persistent tape", _taped=functools.partial(_taped, persistent=True))
INSIDE = Place("inside", _outer=tf.function)
OUTSIDE = Place("outside", tf.function)
NESTED = Place("nested", tf.function, tf.function)
XLA = Place("inside, XLA", _outer=_XLA)
XLA_OUTSIDE = Place("outside, XLA", _XLA)
SYMBOLIC = Place("tf.gradients", _outer=tf.function, _taped=_symbolic)

MODES = [EAGER, PERSISTENT, INSIDE, OUTSIDE, NESTED, XLA, XLA_OUTSIDE, SYMBOLIC]
"""The plain call: no branch, loop or map around it."""
TAPES = [place for place in MODES if place is not SYMBOLIC]
GRAPHS = [INSIDE, OUTSIDE, NESTED, XLA, XLA_OUTSIDE, SYMBOLIC]


def _called_inside(function: Callable) -> Callable:
    called = tf.function(function)
    return tf.function(lambda *tensors: called(*tensors))


def _branch(function: Callable) -> Callable:
    def branch(*tensors: tf.Tensor) -> Any:
        def call() -> Any:
            return function(*tensors)

        return tf.cond(tf.size(tensors[0]) >= 0, call, call)

    return branch


def _loop(function: Callable) -> Callable:
    def loop(*tensors: tf.Tensor) -> Any:
        first = tf.nest.map_structure(tf.zeros_like, function(*tensors))
        _, y = tf.while_loop(
            lambda i, _: i < 1, lambda i, _: (i + 1, function(*tensors)), (0, first)
        )
        return y

    return loop


def _map(function: Callable) -> Callable:
    def mapped(*tensors: tf.Tensor) -> Any:
        outputs = function(*tensors)
        specs = tf.nest.map_structure(tf.TensorSpec.from_tensor, outputs)
        rows = [tensor[tf.newaxis] for tensor in tensors]
        y = tf.map_fn(lambda row: function(*row), rows, fn_output_signature=specs)
        return tf.nest.map_structure(lambda output: output[0], y)

    return mapped


def _vectorized_map(function: Callable) -> Callable:
    """Map over two equal rows, because a batch of one isn't converted."""

    def mapped(*tensors: tf.Tensor) -> Any:
        rows = [tf.stack([tensor, tf.stop_gradient(tensor)]) for tensor in tensors]
        y = tf.vectorized_map(lambda row: function(*row), rows)
        return tf.nest.map_structure(lambda output: output[0], y)

    return mapped


def _taped_rows(function: Callable) -> Callable:
    """Map over two equal rows, and compute the gradients of each row by a tape."""

    def gradients(*tensors: tf.Tensor) -> list:
        is_given: list[bool] = []

        def of_row(row: list) -> list:
            of_inputs = _taped(function)(*row)
            is_given[:] = [gradient is not None for gradient in of_inputs]
            return [
                tf.zeros(()) if gradient is None else tf.convert_to_tensor(gradient)
                for gradient in of_inputs
            ]

        rows = [tf.stack([tensor, tensor]) for tensor in tensors]
        both = tf.vectorized_map(of_row, rows)
        return [of_rows[0] if given else None for of_rows, given in zip(both, is_given)]

    return gradients


def _python(function: Callable) -> Callable:
    """Call a function whose output has the dtype of its first input."""
    return lambda *tensors: tf.py_function(function, tensors, tensors[0].dtype)


def _one_output_of_two(function: Callable) -> Callable:
    """Use one output of a graph whose other output depends on all inputs."""

    @tf.function
    def both(*tensors: tf.Tensor) -> tuple:
        return function(*tensors), [tf.square(tensor) for tensor in tensors]

    return lambda *tensors: both(*tensors)[0]


def _one_branch_of_two(function: Callable) -> Callable:
    """Call the function in a branch whose other branch squares all inputs."""

    def branch(*tensors: tf.Tensor) -> Any:
        def other() -> Any:
            return sum(tf.square(tensor) for tensor in tensors)

        is_taken = tf.size(tensors[0]) >= 0
        return tf.cond(is_taken, lambda: function(*tensors), other)

    return branch


def _replica(function: Callable) -> Callable:
    strategy = tf.distribute.OneDeviceStrategy("CPU:0")
    return lambda *tensors: strategy.run(function, tensors)


def _unknown(rank: bool) -> Callable[[Callable], Callable]:
    """Trace with an unknown batch dimension, or with an unknown rank."""

    def spec(x: tf.Tensor) -> tf.TensorSpec:
        shape = None if rank or not x.shape.rank else [None, *x.shape[1:]]
        return tf.TensorSpec(shape, x.dtype)

    def graph(function: Callable) -> Callable:
        graphs: dict = {}

        def call(*tensors: tf.Tensor) -> Any:
            specs = tuple(map(spec, tensors))
            if specs not in graphs:
                graphs[specs] = tf.function(function, input_signature=specs)
            return graphs[specs](*tensors)

        return call

    return graph


def _both(name: str, block: Callable) -> list[Place]:
    """Put a call into a block of a graph, with the tape inside and with it outside."""

    def graph(function: Callable) -> Callable:
        return tf.function(block(function))

    return [
        Place(f"{name}, inside", block, tf.function),
        Place(f"{name}, outside", graph),
    ]


BLOCKS = [
    Place("nested tf.function, outside", _called_inside),
    *_both("branch", _branch),
    *_both("loop", _loop),
    *_both("branch in a loop", lambda function: _loop(_branch(function))),
    *_both("loop in a branch", lambda function: _branch(_loop(function))),
    *_both("map_fn", _map),
    *_both("strategy.run", _replica),
]
"""A call within something else in a ``tf.function``. ``loop`` and ``map_fn`` call the
function once more, to learn the shape of its output."""
EAGER_BLOCKS = [
    Place("branch, eager", _branch),
    Place("loop, eager", _loop),
    Place("branch in a loop, eager", lambda function: _loop(_branch(function))),
    Place("loop in a branch, eager", lambda function: _branch(_loop(function))),
    Place("map_fn, eager", _map),
    Place("strategy.run, eager", _replica),
]
"""The same without a ``tf.function``."""
VECTORIZED = [
    Place("vectorized_map, eager", _vectorized_map),
    *_both("vectorized_map", _vectorized_map),
]
"""The tape is outside the map, which drops custom gradients."""
TAPE_IN_MAP = [
    Place("tape in vectorized_map, eager", _taped=_taped_rows),
    Place("tape in vectorized_map, inside", _outer=tf.function, _taped=_taped_rows),
]
"""The tape is inside the map, one for each row."""
RECOMPUTED = [
    Place("recompute_grad, eager", tf.recompute_grad),
    *_both("recompute_grad", tf.recompute_grad),
]
IN_PYTHON = [
    Place("py_function, eager", _python),
    *_both("py_function", _python),
]
"""For functions whose output has the dtype of the first input."""
PARTLY_USED = [
    Place("one output of two, outside", _one_output_of_two),
    Place("one branch of two, eager", _one_branch_of_two),
    *_both("one branch of two", _one_branch_of_two),
]
"""Something that isn't used depends on all inputs. ``one branch of two`` is for functions
whose output has the shape and dtype of each input."""
UNKNOWN = [
    Place("unknown batch, inside", _outer=_unknown(rank=False)),
    Place("unknown batch, outside", _unknown(rank=False)),
    Place("unknown rank, inside", _outer=_unknown(rank=True)),
    Place("unknown rank, outside", _unknown(rank=True)),
]
"""Graphs that don't know a batch dimension, or the rank, of any input."""
EVERYWHERE = [*MODES, *BLOCKS, *UNKNOWN]
"""All places but ``VECTORIZED``, ``model.fit`` and loaded models."""
COMMON = [*MODES, *UNKNOWN, *BLOCKS[:5]]
"""For a sentence that names no place: no block within a block, no map, no replica."""
ALL_OUTSIDE = [place for place in EVERYWHERE if "outside" in place.name]
"""The tape is outside the ``tf.function``, as in many training loops."""


@dataclass(frozen=True)
class Forward:
    """A place where forward mode computes a Jacobian–vector product."""

    name: str
    _pushing: Callable

    def __str__(self) -> str:
        return self.name

    def jvp(self, function: Callable, x: Any, dx: Any = None) -> Any:
        """Push a direction through a function of one tensor.

        Args:
            function: takes and returns a tensor.
            x: the input.
            dx: the direction, ones by default.

        Returns:
            The Jacobian–vector product, or ``None`` where ``x`` doesn't matter.
        """
        [x] = _tensors([x])
        tried.note(self.name, [x])
        dx = tf.ones_like(x) if dx is None else tf.cast(dx, x.dtype)
        with quiet():
            return self.built(lambda tensor: function(tensor))(x, dx)

    def built(self, function: Callable) -> Callable:
        """Return the function of an input and a direction that computes the product."""
        return self._pushing(function)


def _pushed(function: Callable) -> Callable:
    def jvp(x: tf.Tensor, dx: tf.Tensor) -> Any:
        with tf.autodiff.ForwardAccumulator(x, dx) as accumulator:
            y = function(x)
        return accumulator.jvp(y)

    return jvp


def _forward(
    name: str, inner: dict | None = None, outer: dict | None = None
) -> Forward:
    """Put a graph around the function, around the accumulator, or around both.

    Args:
        name: of the place.
        inner: options of the ``tf.function`` around the function.
        outer: options of the ``tf.function`` around the accumulator.
    """

    def pushing(function: Callable) -> Callable:
        pushed = _pushed(function if inner is None else tf.function(function, **inner))
        return pushed if outer is None else tf.function(pushed, **outer)

    return Forward(name, pushing)


FORWARDS = [
    _forward("forward mode, eager"),
    _forward("forward mode, inside", outer={}),
    _forward("forward mode, outside", {}),
    _forward("forward mode, nested", {}, {}),
    _forward("forward mode, inside, XLA", outer={"jit_compile": True}),
    _forward("forward mode, outside, XLA", {"jit_compile": True}),
]
