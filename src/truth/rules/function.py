"""A function with a rule, as a function of numbers: arrays in, arrays out."""

import contextlib
import inspect
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
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
        """Whether a slope by it makes sense."""
        return self.dtype is not None and inexact(self.dtype)


def leaf(name: str, value: Any) -> Leaf:
    """What a program passed, remembered without the program's graph."""
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
    arguments: tuple
    """As they were passed: the structure of the inputs."""
    keywords: dict
    leaves: list[Leaf]
    names: dict[str, object]
    """What an expression may use, but for the inputs."""
    signature: inspect.Signature
    in_double: bool = False
    """Whether its values can be had in float64."""
    noisy: bool = False
    """Whether it draws random numbers; then each call draws the same."""

    @property
    def has_composites(self) -> bool:
        """Whether an input is made of several tensors, such as a ragged one."""
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
        made = []
        for each, array in zip(self.leaves, point):
            if each.dtype is None:
                made.append(each.value)
                continue
            widened = double and each.variable is None
            dtype = wide(each.dtype) if widened else each.dtype
            if each.moves:  # much faster than tf.cast
                array = np.asarray(array).astype(dtype.as_numpy_dtype)
            if each.variable is None:
                made.append(tf.constant(array, dtype))
            else:
                each.variable.assign(array)
                made.append(each.variable)
        return made

    def restore(self) -> None:
        """Give variables the values that the program left them with."""
        for each in self.leaves:
            if each.variable is not None:
                each.variable.assign(each.value)

    def packed(self, tensors: list) -> tuple:
        if not self._structured:  # which is slow
            return tuple(tensors[: len(self.inputs)])
        return tf.nest.pack_sequence_as(
            self.arguments, tensors[: len(self.inputs)], expand_composites=True
        )

    def outputs(self, tensors: list) -> list[tf.Tensor]:
        """The outputs that can have a slope; Refused if there are none."""
        if self.noisy and tf.executing_eagerly():
            tf.random.set_seed(1)
            np.random.seed(1)
            random.seed(1)
        inputs = self.packed(tensors)
        try:
            result = self.call(*inputs, **self.keywords)
        except REFUSALS as error:
            raise Refused(said(error)) from error
        every = [
            tf.convert_to_tensor(each)
            for each in (
                [result]
                if isinstance(result, tf.Tensor)
                else tf.nest.flatten(result, expand_composites=True)
            )
        ]
        if not (outputs := [each for each in every if inexact(each.dtype)]):
            raise Refused("no output can have a gradient")
        return outputs

    def recorded(self, tensors: list) -> tuple[list[tf.Tensor], Callable]:
        """The outputs, and the rule as a function of upstream, to be asked once: it
        returns what it does for each leaf that moves."""
        sources = [tensors[i] for i in self.moving]
        with tf.GradientTape() as tape:
            tape.watch(sources)
            outputs = self.outputs(tensors)
        return outputs, lambda upstream: tape.gradient(
            outputs, sources, output_gradients=upstream
        )

    def gradients(self, tensors: list, upstream: list[tf.Tensor]) -> list:
        """What the rule returns."""
        return self.recorded(tensors)[1](upstream)

    def in_graph(self, tensors: list, upstream: list[tf.Tensor]) -> list:
        """The same inside ``tf.function``."""
        given = [
            i
            for i, each in enumerate(self.leaves)
            if each.variable is None and each.dtype is not None
        ]

        @tf.function(autograph=False)
        def both_passes(some: list, upstream: list) -> list:
            inside = list(tensors)
            for i, tensor in zip(given, some):
                inside[i] = tensor
            return self.gradients(inside, upstream)

        return both_passes([tensors[i] for i in given], upstream)

    def second(self, tensors: list, upstream: list, weights: list) -> list:
        """Gradients of ⟨weights, downstream⟩ by leaves and by upstream."""
        sources = [tensors[i] for i in self.moving] + upstream
        with tf.GradientTape() as outer:
            outer.watch(sources)
            first = self.gradients(tensors, upstream)
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

        return replace(self, call=call)


def called(
    function: Callable,
    plain: Callable,
    arguments: tuple,
    keywords: dict,
    instance: object = None,
) -> Function:
    """A call of a function with a rule; ``plain`` is the same without it."""
    inner = inspect.unwrap(plain)
    code = getattr(inner, "__code__", None)
    names = dict(getattr(inner, "__globals__", {}))
    for name, cell in zip(
        getattr(code, "co_freevars", ()), getattr(inner, "__closure__", None) or ()
    ):
        with contextlib.suppress(ValueError):  # not yet filled
            names[name] = cell.cell_contents
    if instance is not None:
        names["self"] = instance
        plain = plain.__get__(instance)
    try:
        signature = inspect.signature(plain)
        signature.bind(*arguments, **keywords)
    except (TypeError, ValueError):
        signature = inspect.signature(lambda *inputs, **keywords: None)
    leaves = [leaf(name, part) for name, part in named(signature, arguments)]
    return Function(function, arguments, keywords, leaves, names, signature)


def named(signature: inspect.Signature, arguments: tuple) -> Iterator[tuple[str, Any]]:
    """The tensors among the arguments, by the names of the parameters."""
    for name, value in signature.bind_partial(*arguments).arguments.items():
        parts = tf.nest.flatten(value, expand_composites=True)
        for n, part in enumerate(parts):
            yield name if len(parts) == 1 else f"{name}[{n}]", part


def said(error: BaseException) -> str:
    if isinstance(error, Refused):
        return str(error)
    first = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {first}"[:200]


def flat(arrays: list) -> np.ndarray:
    """All numbers in a row; a complex one is two."""
    parts = []
    for each in arrays:
        array = np.asarray(each)
        kind = np.complex128 if np.iscomplexobj(array) else np.float64
        parts.append(array.astype(kind).ravel().view(np.float64))
    return np.concatenate(parts) if parts else np.zeros(0)


def unflat(row: np.ndarray, like: list[np.ndarray]) -> list[np.ndarray]:
    """The arrays that ``flat`` put in a row."""
    arrays, start = [], 0
    for each in like:
        array = np.asarray(each)
        size = array.size * (2 if np.iscomplexobj(array) else 1)
        part = row[start : start + size]
        kind = np.complex128 if np.iscomplexobj(array) else np.float64
        arrays.append(part.copy().view(kind).reshape(array.shape))
        start += size
    return arrays
