"""``tf.RegisterGradient``: operations of graphs that get their gradient by name."""

import inspect
from collections.abc import Callable

import tensorflow as tf

from vjpcheck.function import Function, leaf


def operations(graphs: list[tf.Graph], name: str) -> list[tf.Operation]:
    """Return the operations whose gradient is registered under a name."""
    return [
        operation
        for graph in graphs
        for operation in graph.get_operations()
        if name in (operation.type, _gradient_name(operation))
    ]


def _gradient_name(operation: tf.Operation) -> str | None:
    try:
        return operation.get_attr("_gradient_op_type").decode()
    except ValueError:
        return None


def as_call(operation: tf.Operation, gradient: Callable) -> Function:
    """Return an operation as a call of a function with its registered gradient."""
    names = [argument.name for argument in operation.op_def.input_arg]
    if len(names) != len(operation.inputs):
        names = [f"input_{n}" for n in range(len(operation.inputs))]
    signature = inspect.Signature(
        [inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY) for name in names]
    )
    inputs, forward = tuple(operation.inputs), _forward(operation)
    return Function(
        _with_gradient(forward, gradient),
        forward,
        inputs,
        {},
        list(map(leaf, names, inputs)),
        dict(gradient.__globals__),
        signature,
    )


def _with_gradient(forward: Callable, gradient: Callable) -> Callable:
    """Return a function of the inputs that has the registered gradient."""

    @tf.custom_gradient
    def function(*inputs: tf.Tensor) -> tuple:
        def grad(*upstreams: tf.Tensor) -> list:
            return backward(inputs, upstreams)

        return forward(*inputs), grad

    @tf.function(autograph=False)
    def backward(inputs: tuple, upstreams: tuple) -> list:
        [output, *_] = tf.nest.flatten(forward(*inputs))
        return tf.nest.flatten(gradient(output.op, *upstreams))

    return function


def _forward(operation: tf.Operation) -> Callable:
    """Return a function that runs the operation with the same attributes."""
    definition = operation.op_def
    from_inputs = {
        name
        for argument in definition.input_arg
        for name in (argument.type_attr, argument.number_attr, argument.type_list_attr)
    }
    fixed = {
        attribute.name: operation.get_attr(attribute.name)
        for attribute in definition.attr
        if attribute.name not in from_inputs
    }

    def call(*inputs: tf.Tensor) -> object:
        rest, arguments = list(inputs), {}
        for argument in definition.input_arg:
            if attribute := argument.number_attr or argument.type_list_attr:
                size = operation.get_attr(attribute)
                count = size if argument.number_attr else len(size)
                arguments[argument.name], rest = rest[:count], rest[count:]
            else:
                arguments[argument.name] = rest.pop(0)
        return getattr(tf.raw_ops, operation.type)(**arguments, **fixed)

    return call
