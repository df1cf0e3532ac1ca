"""A function with a rule, as a function of numbers: arrays in, arrays out."""

import contextlib
import inspect
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import CodeType
from typing import Any

import numpy as np
import tensorflow as tf

STATIC = (bool, int, str, bytes, type(None))
"""Types of Python's own that reach the function as they are."""
INPUTS = "_inputs"
"""The name by which an expression has all arguments of the call."""
Point = list[np.ndarray]
"""One array for each leaf of the inputs; numbers in the widest dtype."""


REFUSALS = (
    tf.errors.OpError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NotImplementedError,
    TypeError,
    ValueError,
)
"""What functions raise about inputs that they do not accept."""


class Misdeclared(Exception):
    """A declaration that cannot be computed."""


class Refused(Exception):
    """Inputs that the function does not accept."""


def evaluate(expression: str, scope: dict[str, object]) -> object:
    """The value of an expression out of a declaration."""
    try:
        return eval(expression, scope)
    except Exception as error:
        raise Misdeclared(
            f"declared: {expression!r} raises {type(error).__name__}: {error}"
        ) from error


def inexact(dtype: tf.DType) -> bool:
    return dtype.is_floating or dtype.is_complex


def wide(dtype: tf.DType) -> tf.DType:
    return (
        tf.float64
        if dtype.is_floating
        else tf.complex128
        if dtype.is_complex
        else dtype
    )


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

    @property
    def moves(self) -> bool:
        """Return whether a slope by it makes sense."""
        return self.dtype is not None and inexact(self.dtype)


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
    shape = tensor.shape if tensor.shape.rank is not None else ()
    return Leaf(
        name, tensor.dtype, number, tuple(2 if size is None else size for size in shape)
    )


def leaf_of(variable: tf.Variable) -> Leaf:
    value = variable.numpy()
    return Leaf(
        variable.name.partition(":")[0], variable.dtype, value, value.shape, variable
    )


@dataclass
class Function:
    """A call as the program made it, to be repeated with other numbers."""

    call: Callable
    forward: Callable
    """Its values alone: the call without its rule, which costs less."""
    arguments: tuple
    """As they were passed: the structure of the inputs."""
    keywords: dict
    leaves: list[Leaf]
    names: dict[str, object]
    """What an expression may use, but for the inputs."""
    signature: inspect.Signature
    in_double: bool = False
    """Whether its values can be had in float64."""
    noisy: bool | None = None
    """Whether it draws random numbers, where that is known; then each call draws the
    same."""
    _took: defaultdict = field(default_factory=lambda: defaultdict(list), init=False)
    _graphs: dict[tuple, Callable | None] = field(default_factory=dict, init=False)
    _making: dict[str, float] = field(default_factory=dict, init=False)
    """Seconds of the call that made the first graph, by what it runs."""

    @property
    def has_composites(self) -> bool:
        """Return whether an input is made of several tensors, such as a ragged one."""
        return len(tf.nest.flatten(self.arguments)) != len(self.inputs)

    @cached_property
    def _structured(self) -> bool:
        return self.has_composites or any(map(tf.nest.is_nested, self.arguments))

    @property
    def inputs(self) -> list[Leaf]:
        return [each for each in self.leaves if each.variable is None]

    @property
    def moving(self) -> list[int]:
        return [i for i, each in enumerate(self.leaves) if each.moves]

    def dtypes(self, double: bool) -> set[str]:
        """Return the names of the dtypes of the leaves that move."""
        dtypes = (self.leaves[i].dtype for i in self.moving)
        return {(wide(each) if double else each).name for each in dtypes}

    def widened(self) -> Point:
        """The point at which the program called."""
        return [
            np.asarray(each.value).astype(wide(each.dtype).as_numpy_dtype)
            if each.moves
            else each.value
            for each in self.leaves
        ]

    def tensors(self, point: Point, double: bool) -> list:
        """The leaves for a call; variables take their values at once."""
        tensors = []
        for leaf, array in zip(self.leaves, point):
            if leaf.dtype is None:
                tensors.append(leaf.value)
                continue
            widened = double and leaf.variable is None
            dtype = wide(leaf.dtype) if widened else leaf.dtype
            if leaf.moves:  # much faster than tf.cast
                array = np.asarray(array).astype(dtype.as_numpy_dtype)
            if leaf.variable is None:
                tensors.append(tf.constant(array, dtype))
            else:
                leaf.variable.assign(array)
                tensors.append(leaf.variable)
        return tensors

    def restore(self) -> None:
        """Give variables the values that the program left them with."""
        for leaf in self.leaves:
            if leaf.variable is not None:
                leaf.variable.assign(leaf.value)

    def packed(self, tensors: list) -> tuple:
        if not self._structured:  # which is slow
            return tuple(tensors[: len(self.inputs)])
        return tf.nest.pack_sequence_as(
            self.arguments, tensors[: len(self.inputs)], expand_composites=True
        )

    def outputs(self, tensors: list) -> list[tf.Tensor]:
        """The outputs that can have a slope; Refused if there are none."""
        return self._soon(0.002, self._values, tensors)

    def _values(self, tensors: list) -> list[tf.Tensor]:
        return self._run(self.forward, tensors)

    def _run(self, call: Callable, tensors: list) -> list[tf.Tensor]:
        if self.noisy and tf.executing_eagerly():
            tf.random.set_seed(1)
            np.random.seed(1)
            random.seed(1)
        inputs = self.packed(tensors)
        try:
            result = call(*inputs, **self.keywords)
            results = [
                tf.convert_to_tensor(each)
                for each in (
                    [result]
                    if isinstance(result, tf.Tensor)
                    else tf.nest.flatten(result, expand_composites=True)
                )
            ]
        except REFUSALS as error:
            raise Refused(describe(error)) from error
        if not (outputs := [each for each in results if inexact(each.dtype)]):
            raise Refused("no output can have a gradient")
        return outputs

    def recorded(
        self, tensors: list, rows: np.ndarray | None = None
    ) -> tuple[list[tf.Tensor], Callable]:
        """The outputs, and the rule as a function of upstream, to be asked once: it
        returns what it does for each leaf that moves. With ``rows``, of these rows
        of each output, so that the rule is given slices of upstream."""
        sources = [tensors[i] for i in self.moving]
        with tf.GradientTape() as tape:
            tape.watch(sources)
            outputs = self._run(self.call, tensors)
            if rows is not None:
                outputs = [tf.gather(each, rows) for each in outputs]
        return outputs, lambda upstream: tape.gradient(
            outputs, sources, output_gradients=upstream
        )

    def gradients(self, tensors: list, upstream: list[tf.Tensor]) -> list:
        """Return the gradients of the rule."""
        return self._soon(0.004, self._both_passes, tensors, upstream)

    def _both_passes(self, tensors: list, upstream: list[tf.Tensor]) -> list:
        return self.recorded(tensors)[1](upstream)

    def in_graph(self, tensors: list, upstream: list[tf.Tensor]) -> list:
        """The same inside ``tf.function``."""
        return self._graph_of(self._both_passes, tensors)(tensors, upstream)

    def _graph_of(self, run: Callable, tensors: list) -> Callable:
        passed = [
            i
            for i, each in enumerate(self.leaves)
            if each.variable is None and each.dtype is not None
        ]

        @tf.function(autograph=False)
        def graph(values: list, *more: list) -> list:
            inside = list(tensors)
            for i, tensor in zip(passed, values):
                inside[i] = tensor
            return run(inside, *more)

        return lambda tensors, *more: graph([tensors[i] for i in passed], *more)

    def _soon(self, slow: float, run: Callable, tensors: list, *more: list) -> list:
        """Run, by a graph where a call takes so long that making a graph costs less.
        The next one, for other shapes, must pay for itself: it is made when the calls
        without it took as long as making the first."""
        kind = (
            run.__name__,
            *(
                (each.dtype, tuple(each.shape))
                for each in tensors
                if isinstance(each, tf.Tensor)
            ),
        )
        start = time.process_time()
        if graph := self._graphs.get(kind):
            try:
                return graph(tensors, *more)
            except Exception:  # told below, if it is the program's
                self._graphs[kind] = None
            finally:
                self._making.setdefault(run.__name__, time.process_time() - start)
        start = time.process_time()
        try:
            return run(tensors, *more)
        finally:
            took = self._took[kind]
            took.append(time.process_time() - start)
            price = self._making.get(run.__name__, 0)
            enough = max(10 * slow, len(took) * slow, price)
            if sum(took) > enough and self.noisy is False:
                self._graphs.setdefault(kind, self._graph_of(run, tensors))

    def second(self, tensors: list, upstream: list, weights: list) -> list:
        """Gradients of ⟨weights, downstream⟩ by leaves and by upstream."""
        sources = [tensors[i] for i in self.moving] + upstream
        with tf.GradientTape() as outer:
            outer.watch(sources)
            first = self._both_passes(tensors, upstream)
            paired = tf.add_n(
                [
                    tf.reduce_sum(
                        tf.math.real(tf.math.conj(w) * tf.convert_to_tensor(g))
                    )
                    for w, g in zip(weights, first)
                    if g is not None
                ]
            )
        return outer.gradient(paired, sources)

    def scope(self, tensors: list, **more: object) -> dict[str, object]:
        """Names for an expression: what the function sees, and its inputs."""
        inputs = self.packed(tensors)
        try:
            bound = self.signature.bind(*inputs, **self.keywords).arguments
        except TypeError:
            bound = {}
        return {**self.names, INPUTS: inputs, **bound, **more}

    def instead(self, expression: str) -> "Function":
        """The function that an expression names, with the same inputs."""

        def call(*arguments: object, **keywords: object) -> object:
            bound = self.signature.bind(*arguments, **keywords)
            result = evaluate(expression, {**self.names, **bound.arguments})
            return result(*arguments, **keywords) if callable(result) else result

        return replace(self, call=call, forward=call)


def call_of(
    function: Callable,
    plain: Callable,
    arguments: tuple,
    keywords: dict,
    instance: object = None,
    returns_rule: bool = False,
) -> Function:
    """A call of a function with a rule; ``plain`` is what got the rule, and may
    return it beside its values."""
    names = getattr(inspect.unwrap(plain), "__globals__", {}) | visible_values(plain)
    if instance is not None:
        names["self"] = instance
        plain = plain.__get__(instance)
    try:
        signature = inspect.signature(plain)
        signature.bind(*arguments, **keywords)
    except (TypeError, ValueError):
        signature = inspect.signature(lambda *inputs, **keywords: None)
    leaves = [leaf(name, part) for name, part in named_tensors(signature, arguments)]
    return Function(
        function,
        (lambda *inputs, **more: plain(*inputs, **more)[0]) if returns_rule else plain,
        arguments,
        keywords,
        leaves,
        names,
        signature,
    )


def named_tensors(
    signature: inspect.Signature, arguments: tuple
) -> Iterator[tuple[str, Any]]:
    """The tensors among the arguments, by the names of the parameters."""
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


def describe(error: BaseException) -> str:
    if isinstance(error, Refused):
        return str(error)
    first = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {first}"[:200]


def flat(arrays: list) -> np.ndarray:
    """All numbers in a row; a complex one is two."""
    parts = []
    for part in arrays:
        array = np.asarray(part)
        kind = np.complex128 if np.iscomplexobj(array) else np.float64
        parts.append(array.astype(kind).ravel().view(np.float64))
    return np.concatenate(parts) if parts else np.zeros(0)


def unflat(row: np.ndarray, like: list[np.ndarray]) -> list[np.ndarray]:
    """The arrays that ``flat`` put in a row."""
    arrays, start = [], 0
    for template in like:
        array = np.asarray(template)
        size = array.size * (2 if np.iscomplexobj(array) else 1)
        part = row[start : start + size]
        kind = np.complex128 if np.iscomplexobj(array) else np.float64
        arrays.append(part.copy().view(kind).reshape(array.shape))
        start += size
    return arrays
