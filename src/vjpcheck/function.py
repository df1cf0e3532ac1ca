"""A call of a TensorFlow function, to be repeated with other numbers."""

import contextlib
import inspect
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from types import CodeType
from typing import Any

import numpy as np
import tensorflow as tf

from . import arrays
from .core import Arrays, GradientError, Refused, Undecided, demand_form, describe

STATIC = (bool, int, str, bytes, type(None), np.bool_)
"""Types that reach the function as they are."""
GRAPH_AFTER = 12
"""Calls of both passes with the same shapes, after which a graph costs less than it
saves. A forward pass alone needs ten times as many."""
REFUSALS = (
    tf.errors.OpError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""What functions raise about inputs that they do not accept."""


class Misdeclared(Exception):
    """An option that can't be computed."""


def inexact(dtype: tf.DType) -> bool:
    return dtype.is_floating or dtype.is_complex


def wide(dtype: tf.DType) -> tf.DType:
    """Return the widest dtype of the same kind."""
    return tf.as_dtype(arrays.wide(dtype.name)) if inexact(dtype) else dtype


def widened(tensors: list) -> Arrays:
    """Return tensors as arrays of the widest dtypes."""
    return [
        np.asarray(tf.convert_to_tensor(each)).astype(wide(each.dtype).as_numpy_dtype)
        for each in tensors
    ]


@dataclass
class Leaf:
    """One tensor among the inputs, or one variable that the function reads."""

    name: str
    dtype: Any
    """As the program has it; None for what stays as it is."""
    value: Any
    """As the program has it; None where only a graph knows it."""
    shape: tuple[int, ...] = ()
    variable: tf.Variable | None = None
    is_fixed: bool = False
    """True if it must have no gradient."""

    @property
    def moves(self) -> bool:
        """Return whether the check moves it."""
        return self.dtype is not None and inexact(self.dtype) and not self.is_fixed


def leaf(name: str, value: Any) -> Leaf:
    """Return a value that a program passed, without the program's graph."""
    if isinstance(value, STATIC):
        return Leaf(name, None, value)
    if hasattr(value, "numpy"):
        with tf.init_scope():
            number = np.array(value.numpy())
        return Leaf(name, tf.as_dtype(value.dtype), number, number.shape)
    try:
        tensor = tf.convert_to_tensor(value)
    except (TypeError, ValueError):  # as TensorFlow will say itself
        return Leaf(name, None, value)
    number = tensor.numpy() if hasattr(tensor, "numpy") else tf.get_static_value(tensor)
    known = tensor.shape if tensor.shape.rank is not None else ()
    shape = tuple(2 if size is None else size for size in known)
    return Leaf(name, tensor.dtype, number, shape)


@dataclass
class Function:
    """A call as the program made it."""

    call: Callable
    forward: Callable
    """Its values alone: the call without its custom gradient, which costs less."""
    arguments: tuple
    """As they were passed: the structure of the inputs."""
    keywords: dict
    leaves: list[Leaf]
    names: dict[str, object]
    """What the function finds by name, in addition to the inputs."""
    signature: inspect.Signature
    in_double: bool = False
    """Whether its values can be had in float64."""
    noisy: bool | None = None
    """Whether it draws random numbers, where that is known; then each call draws the
    same."""
    reset: Callable[[], None] = lambda: None
    """Lets the next call draw what the last one drew."""
    _calls: Counter = field(default_factory=Counter, init=False)
    _graphs: dict[tuple, Callable | None] = field(default_factory=dict, init=False)
    _latest: tuple[Arrays, bool, list] | None = field(default=None, init=False)
    """A point, whether it was computed in float64, and its outputs."""

    @property
    def has_composites(self) -> bool:
        """Return whether an input is made of several tensors, such as a ragged one."""
        return len(tf.nest.flatten(self.arguments)) != len(self.inputs)

    @property
    def inputs(self) -> list[Leaf]:
        return [each for each in self.leaves if each.variable is None]

    @property
    def moving(self) -> list[int]:
        return [i for i, each in enumerate(self.leaves) if each.moves]

    @property
    def has_narrow_variable(self) -> bool:
        """Return whether a variable moves by steps of its own, whatever comes out."""
        leaves = [
            each for each in self.leaves if each.moves and each.variable is not None
        ]
        return any(each.dtype != wide(each.dtype) for each in leaves)

    @property
    def tensors_passed(self) -> list[int]:
        """The places of the inputs that are tensors."""
        return [i for i, each in enumerate(self.inputs) if each.dtype is not None]

    def dtypes(self, double: bool) -> list[tf.DType]:
        """Return the dtypes of the leaves that move."""
        dtypes = [self.leaves[i].dtype for i in self.moving]
        return [wide(each) for each in dtypes] if double else dtypes

    def start(self) -> Arrays:
        """Return the point at which the program called, in the widest dtypes."""
        return [
            np.asarray(each.value).astype(wide(each.dtype).as_numpy_dtype)
            if each.moves
            else each.value
            for each in self.leaves
        ]

    def tensors(self, point: Arrays, double: bool) -> list:
        """Return the leaves for a call; variables take their values at once."""
        tensors = []
        for each, array in zip(self.leaves, point):
            if each.dtype is None:
                tensors.append(each.value)
                continue
            is_narrow = not double or each.variable is not None
            dtype = each.dtype if is_narrow else wide(each.dtype)
            if each.moves:  # much faster than tf.cast
                array = np.asarray(array).astype(dtype.as_numpy_dtype)
            if each.variable is None:
                tensors.append(tf.constant(array, dtype))
            else:
                each.variable.assign(array)
                tensors.append(each.variable)
        return tensors

    def specs(self, point: Arrays, double: bool) -> list[tf.TensorSpec]:
        """Return the shapes and dtypes of the leaves that move."""
        shapes = [np.shape(point[i]) for i in self.moving]
        return list(map(tf.TensorSpec, shapes, self.dtypes(double)))

    def packed(self, tensors: list) -> tuple:
        """Return the inputs in the structure of the call."""
        inputs = tensors[: len(self.inputs)]
        if self.has_composites or any(map(tf.nest.is_nested, self.arguments)):
            return tf.nest.pack_sequence_as(
                self.arguments, inputs, expand_composites=True
            )
        return tuple(inputs)

    def outputs(self, tensors: list) -> list[tf.Tensor]:
        """Return the outputs that can have a derivative; Refused if there are none."""
        return self._soon_a_graph(self._values, 10 * GRAPH_AFTER, tensors)

    def outputs_at(self, point: Arrays, double: bool) -> list[tf.Tensor]:
        """Return the outputs at a point. Those at the latest one are kept, because
        several steps of a check need them."""
        if self._latest and self._latest[0] is point and self._latest[1] == double:
            return self._latest[2]
        outputs = self.outputs(self.tensors(point, double))
        self._latest = point, double, outputs
        return outputs

    def _values(self, tensors: list) -> list[tf.Tensor]:
        return self.run(self.forward, tensors)

    def run(self, call: Callable, tensors: list) -> list[tf.Tensor]:
        """Return the outputs of another function of the same inputs."""
        if self.noisy and tf.executing_eagerly():
            self.reset()
        try:
            result = call(*self.packed(tensors), **self.keywords)
            is_one = isinstance(result, tf.Tensor)
            parts = (
                [result] if is_one else tf.nest.flatten(result, expand_composites=True)
            )
            results = [tf.convert_to_tensor(each) for each in parts]
        except REFUSALS as error:
            raise Refused(describe(error)) from error
        if not (outputs := [each for each in results if inexact(each.dtype)]):
            raise Refused("no output can have a gradient")
        return outputs

    def recorded(
        self, tensors: list, rows: np.ndarray | None = None, persistent: bool = False
    ) -> tuple[list[tf.Tensor], Callable]:
        """Return the outputs, and the pullback as a function of upstream: it returns
        what it does for each leaf that moves. With ``rows``, of these rows of each
        output, so that the custom gradient is given slices of upstream."""
        sources = [tensors[i] for i in self.moving]
        with tf.GradientTape(persistent=persistent) as tape:
            tape.watch(sources)
            outputs = self.run(self.call, tensors)
            if rows is not None:
                outputs = [tf.gather(each, rows) for each in outputs]
        return outputs, lambda upstream, of=outputs: tape.gradient(
            of, sources, output_gradients=upstream
        )

    def gradients(self, tensors: list, upstream: list[tf.Tensor]) -> list:
        """Return the gradients of a tape."""
        return self._soon_a_graph(self.both_passes, GRAPH_AFTER, tensors, upstream)

    def both_passes(self, tensors: list, upstream: list | None = None) -> list:
        """Return the gradients; those for ones, without upstream gradients."""
        return self.recorded(tensors)[1](upstream)

    def second(self, tensors: list, upstream: list, weights: list) -> list:
        """Return the gradients of ⟨weights, downstream⟩ by leaves and by upstream."""
        sources = [tensors[i] for i in self.moving] + upstream
        with tf.GradientTape() as outer:
            outer.watch(sources)
            pairs = zip(weights, self.both_passes(tensors, upstream))
            products = [
                tf.math.real(tf.math.conj(weight) * tf.convert_to_tensor(gradient))
                for weight, gradient in pairs
                if gradient is not None
            ]
            paired = tf.add_n([tf.reduce_sum(each) for each in products])
        return outer.gradient(paired, sources)

    def compiled(
        self,
        run: Callable,
        tensors: list,
        *more: list,
        unknown: str = "",
        jit_compile: bool = False,
    ) -> Callable:
        """Return ``run`` inside ``tf.function``, as a function of such tensors and
        more: without knowledge of the first axis or of the rank, if one is named."""
        places = self.tensors_passed
        values = [tensors[i] for i in places]
        specify = partial(_spec, unknown, self.batch)
        specs = tf.nest.map_structure(specify, [values, *more])

        def graph(values: list, *more: list) -> list:
            return run(arrays.moved_to(tensors, places, values), *more)

        made = tf.function(graph, autograph=False, jit_compile=jit_compile)
        concrete = made.get_concrete_function(*specs)  # never traced again
        return lambda tensors, *more: concrete([tensors[i] for i in places], *more)

    @property
    def batch(self) -> int | None:
        """The length of the first axis of the inputs, if it may be that of a batch."""
        shapes = [np.shape(each.value) for each in self.inputs if each.moves]
        [first, *_] = sorted(shapes, key=len, reverse=True) or [()]
        # A length of one may broadcast, and that of a square matrix may not be free.
        return None if first[:1] in ((), (1,)) or is_square(first) else first[0]

    def in_graph(self, run: Callable, tensors: list, *more: list, **how: Any) -> list:
        """Run inside ``tf.function``, in the same graph for the same shapes."""
        kind = (*_kind(run, tensors), *how.items())
        graph = self._graphs.get(kind) or self.compiled(run, tensors, *more, **how)
        self._graphs[kind] = graph
        return graph(tensors, *more)

    def _soon_a_graph(
        self, run: Callable, after: int, tensors: list, *more: list
    ) -> list:
        """Run, by a graph after so many calls with the same shapes."""
        kind = _kind(run, tensors)
        self._calls[kind] += 1
        if self.noisy is not False or self._calls[kind] < after:
            return run(tensors, *more)
        if kind not in self._graphs or self._graphs[kind]:
            try:
                return self.in_graph(run, tensors, *more)
            except Exception:  # told below, if it is the program's
                self._graphs[kind] = None
        return run(tensors, *more)


def _kind(run: Callable, tensors: list) -> tuple:
    shapes = ((each.dtype, tuple(each.shape)) for each in tensors if tf.is_tensor(each))
    return run.__name__, *shapes


def _spec(unknown: str, batch: int | None, value: tf.Tensor) -> tf.TensorSpec:
    """Return the shape, as far as it is known, and the dtype."""
    shape = None if unknown == "rank" else [*value.shape]
    if unknown == "batch" and shape and shape[0] == batch:
        shape[0] = None
    return tf.TensorSpec(shape, value.dtype)


def is_square(shape: tuple[int, ...]) -> bool:
    return len(shape) > 1 and len(set(shape)) == 1


def call_of(
    function: Callable,
    plain: Callable,
    arguments: tuple,
    keywords: dict,
    instance: object = None,
    returns_rule: bool = False,
) -> Function:
    """Return a call of a function with a custom gradient; ``plain`` is what was
    decorated, and may return the gradient function beside its values."""
    names = getattr(inspect.unwrap(plain), "__globals__", {}) | visible_values(plain)
    if instance is not None:
        names["self"] = instance
        plain = plain.__get__(instance)
    try:
        signature = inspect.signature(plain)
        signature.bind(*arguments, **keywords)
    except (TypeError, ValueError):
        signature = inspect.signature(lambda *inputs, **keywords: None)
    return Function(
        function,
        (lambda *inputs, **more: plain(*inputs, **more)[0]) if returns_rule else plain,
        arguments,
        keywords,
        [leaf(name, part) for name, part in named_tensors(signature, arguments)],
        names,
        signature,
    )


def named_tensors(
    signature: inspect.Signature, arguments: tuple
) -> Iterator[tuple[str, Any]]:
    """Yield the tensors among the arguments, by the names of the parameters."""
    for name, value in signature.bind_partial(*arguments).arguments.items():
        parts = tf.nest.flatten(value, expand_composites=True)
        for n, part in enumerate(parts):
            yield name if len(parts) == 1 else f"{name}[{n}]", part


def codes_of(function: Callable) -> list[CodeType]:
    """Return the code of a function, and of those that are written in it."""
    outer = getattr(inspect.unwrap(function), "__code__", None)
    codes = [outer] if outer else []
    for code in codes:  # grows while it is read
        codes += [part for part in code.co_consts if isinstance(part, CodeType)]
    return codes


def visible_values(function: Callable) -> dict[str, Any]:
    """Return the values that a function finds by name beside its inputs."""
    inner = inspect.unwrap(function)
    around = getattr(inner, "__globals__", {})
    values = {
        name: around[name]
        for code in codes_of(inner)
        for name in code.co_names
        if name in around
    }
    cells = getattr(inner, "__closure__", None) or ()
    for name, cell in zip(inner.__code__.co_freevars if cells else (), cells):
        with contextlib.suppress(ValueError):  # not yet filled
            values[name] = cell.cell_contents
    return values


def as_arrays(gradients: list, likes: list, names: list[str]) -> Arrays:
    """Return gradients as arrays in the widest dtypes, zero for None. Raises
    GradientError if a shape or a dtype isn't that of its argument."""
    tensors = []
    for gradient, like, name in zip(gradients, likes, names):
        if gradient is None:
            gradient = tf.zeros(like.shape, like.dtype)
        try:
            gradient = tf.convert_to_tensor(gradient)
        except (ValueError, tf.errors.OpError) as error:  # of tf.IndexedSlices
            raise GradientError(
                f"the gradient with respect to {name} isn't a tensor: {describe(error)}"
            ) from error
        demand_form(name, gradient, like)
        tensors.append(gradient)
    return widened(tensors)


def runs_widely(run: Callable[[], list]) -> bool:
    """Return whether float64 goes in and comes out."""
    try:
        dtypes = [tf.as_dtype(each.dtype) for each in run() if each is not None]
        return all(each == wide(each) for each in dtypes)
    except (Refused, Misdeclared, *REFUSALS):
        return False


@contextlib.contextmanager
def demanded(name: str = "the forward pass") -> Iterator[None]:
    """Raise Undecided where the inputs are refused."""
    try:
        yield
    except Refused as error:
        raise Undecided(f"{name}: {error}") from error


def added_up(parts: tf.Tensor, rows: np.ndarray, length: int) -> tf.Tensor:
    """Return ``tf.IndexedSlices`` of these parts and rows as a tensor."""
    sums = np.zeros((length, *parts.shape[1:]), parts.dtype.as_numpy_dtype)
    np.add.at(sums, rows, parts.numpy())
    return tf.constant(sums)
