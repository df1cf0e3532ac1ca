"""What the comments above a gradient function declare, as options of its check."""

import functools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import tensorflow as tf

from vjpcheck.function import Function, Misdeclared, inexact
from vjpcheck.options import Options

WIDEST = 0.01
"""Tolerance, relative, that still proves something."""
INPUTS = "_inputs"
"""The name by which an expression has all arguments of the call."""


@dataclass
class Declared:
    """The declaration of one gradient function; expressions are Python."""

    surrogate: str = ""
    becomes: dict[str, str] = field(default_factory=dict)
    generators: dict[str, str] = field(default_factory=dict)
    conditions: list[str] = field(default_factory=list)
    fixed: list[str] = field(default_factory=list)
    within: float | None = None
    eager_only: bool = False
    dense: bool = False
    once: bool = False
    right: bool = False
    clauses: list[str] = field(default_factory=list)
    """All of it, word for word."""

    def call(self, call: Function) -> Function:
        """Return a call that makes its inputs as declared. Raises Misdeclared."""
        for name in (*self.fixed, *self.generators):
            if not _leaves(call, name):
                raise Misdeclared(f"no input is {name!r}")
        for name in self.fixed:
            for leaf in _leaves(call, name):
                leaf.is_fixed = True
        if not self.generators:
            return call
        made = functools.partial(self._made, call)
        self._demand_varied(call, made)

        def before(function: Callable) -> Callable:
            @functools.wraps(function, updated=())
            def changed(*inputs: Any, **keywords: Any) -> Any:
                return function(*made(inputs), **keywords)

            return changed

        return replace(call, call=before(call.call), forward=before(call.forward))

    def _made(self, call: Function, inputs: tuple) -> tuple:
        made, names = list(inputs), list(call.signature.parameters)
        for name, expression in self.generators.items():
            place = names.index(name)
            value = eval(expression, _scope(call, tuple(made)))
            made[place] = tf.cast(value, tf.convert_to_tensor(made[place]).dtype)
        return tuple(made)

    def _demand_varied(self, call: Function, made: Callable) -> None:
        """Raise Misdeclared for an input that is made, but always the same."""
        start = call.start()
        if any(each is None for each in start):
            return
        moved = [
            each + 0.1 if leaf.moves else each for each, leaf in zip(start, call.leaves)
        ]
        try:
            first, second = (
                made(call.packed(call.tensors(point, double=True)))
                for point in (start, moved)
            )
        except tf.errors.OpError:  # a shape that isn't known before it is drawn
            return
        names = list(call.signature.parameters)
        for name in self.generators.keys() - self.fixed:
            place = names.index(name)
            if np.array_equal(first[place], second[place]):
                raise Misdeclared(f"'{name} = …' is the same for all inputs")

    def options(self, call: Function, nested: bool, shapes: bool | str) -> Options:
        """Return what the declaration asks of a call, as ``call`` returned it."""
        options = Options(
            shapes=shapes,
            where=[self._condition(call, each) for each in self.conditions],
            order=1 if self.once else 2,
            needs_second=nested,
            graph=not self.eager_only,
            unknown=False,
            slices=not self.dense,
            rtol=self.within,
        )
        if self.surrogate:
            options.like = self._surrogate(call)
        if upstream := self.becomes.get("upstream"):
            options.means = functools.partial(_becomes, call, "upstream", upstream)
        if downstream := self.becomes.get("downstream"):
            function = options.like or call.forward
            options.like = None
            options.vjp = functools.partial(_changed, call, function, downstream)
        return options

    def _inputs(self, call: Function, inputs: tuple) -> tuple:
        return self._made(call, inputs) if self.generators else inputs

    def _condition(self, call: Function, expression: str) -> Callable:
        return lambda *inputs: eval(
            expression, _scope(call, self._inputs(call, inputs))
        )

    def _surrogate(self, call: Function) -> Callable:
        def like(*inputs: Any, **keywords: Any) -> Any:
            inputs = self._inputs(call, inputs)
            result = _evaluate(self.surrogate, _scope(call, inputs))
            return result(*inputs, **keywords) if callable(result) else result

        return like


def _becomes(
    call: Function, name: str, expression: str, value: tf.Tensor, *inputs: Any
) -> Any:
    return _evaluate(expression, _scope(call, inputs, **{name: value}))


def _changed(
    call: Function, function: Callable, expression: str, upstream: Any, *inputs: Any
) -> list:
    """Return the gradients of a function, each changed as declared."""
    moving = [
        each
        for each in tf.nest.flatten(inputs)
        if tf.is_tensor(each) and inexact(each.dtype)
    ]
    with tf.GradientTape() as tape:
        tape.watch(moving)
        values = tf.nest.flatten(function(*inputs, **call.keywords))
    values = [each for each in values if inexact(each.dtype)]
    upstream = upstream if isinstance(upstream, list) else [upstream]
    gradients = tape.gradient(values, moving, upstream, tf.UnconnectedGradients.ZERO)
    return [
        _becomes(call, "downstream", expression, each, *inputs) for each in gradients
    ]


def _leaves(call: Function, name: str) -> list:
    return [
        each
        for each in call.inputs
        if each.name == name or each.name.startswith(f"{name}[")
    ]


def _scope(call: Function, inputs: tuple, **more: object) -> dict[str, object]:
    """Return names for an expression: what the function sees, and its inputs."""
    try:
        bound = call.signature.bind(*inputs, **call.keywords).arguments
    except TypeError:
        bound = {}
    return {**call.names, INPUTS: inputs, **bound, **more}


def _evaluate(expression: str, scope: dict[str, object]) -> Any:
    try:
        return eval(expression, scope)
    except Exception as error:
        raise Misdeclared(
            f"declared: {expression!r} raises {type(error).__name__}: {error}"
        ) from error
