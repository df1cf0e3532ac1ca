"""``tf.RegisterGradient``: operations in graphs that ask for a rule by name."""

import inspect
from collections.abc import Callable

import tensorflow as tf

from vjpcheck.function import Function, leaf


def operations(graphs: list[tf.Graph], name: str) -> list[tf.Operation]:
    """Those that a graph holds with this rule."""
    return [
        operation
        for graph in graphs
        for operation in graph.get_operations()
        if name in (operation.type, _asked_for(operation))
    ]


def _asked_for(operation: tf.Operation) -> str | None:
    try:
        return operation.get_attr("_gradient_op_type").decode()
    except ValueError:
        return None


def call_of(operation: tf.Operation, rule: Callable) -> Function:
    """The operation as a call of a function whose gradient is the rule."""
    names = [each.name for each in operation.op_def.input_arg]
    if len(names) != len(operation.inputs):
        names = [f"input_{n}" for n in range(len(operation.inputs))]
    signature = inspect.Signature(
        [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in names]
    )
    inputs, again = tuple(operation.inputs), _raw(operation)
    return Function(
        _replay(again, rule),
        again,
        inputs,
        {},
        list(map(leaf, names, inputs)),
        dict(rule.__globals__),
        signature,
    )


def _replay(again: Callable, rule: Callable) -> Callable:
    """The operation as a function of its inputs, with the rule as its gradient."""

    @tf.custom_gradient
    def forward(*inputs: tf.Tensor) -> tuple:
        def grad(*upstreams: tf.Tensor) -> list:
            return backward(inputs, upstreams)

        return again(*inputs), grad

    @tf.function(autograph=False)
    def backward(inputs: tuple, upstreams: tuple) -> list:
        [output, *_] = tf.nest.flatten(again(*inputs))
        return tf.nest.flatten(rule(output.op, *upstreams))

    return forward


def _raw(operation: tf.Operation) -> Callable:
    """The operation by itself: same type, same attributes, other inputs."""
    definition = operation.op_def
    given = {
        name
        for each in definition.input_arg
        for name in (each.type_attr, each.number_attr, each.type_list_attr)
    }
    fixed = {
        each.name: operation.get_attr(each.name)
        for each in definition.attr
        if each.name not in given
    }

    def call(*inputs: tf.Tensor) -> object:
        rest, named = list(inputs), {}
        for each in definition.input_arg:
            if each.number_attr:
                count = operation.get_attr(each.number_attr)
            elif each.type_list_attr:
                count = len(operation.get_attr(each.type_list_attr))
            else:
                named[each.name] = rest.pop(0)
                continue
            named[each.name], rest = rest[:count], rest[count:]
        return getattr(tf.raw_ops, operation.type)(**named, **fixed)

    return call
