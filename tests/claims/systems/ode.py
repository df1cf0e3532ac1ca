"""The claims of docs/systems/ode.md."""

import pytest
import tensorflow as tf

from tests.harness import BLOCKS, MODES, contrast, program, same

IN_BLOCKS = [*BLOCKS[1:5], *BLOCKS[9:11]]  # branch, loop and map_fn, inside and outside


def falling(t, y):
    """The equation y' = -y, for a solver that passes a list of states."""
    return [-y]


def size_of_graph(function, y):
    """Return the number of operations in a function's graph and its inner graphs."""
    graph = tf.function(function).get_concrete_function(y).graph.as_graph_def()
    return len(graph.node) + sum(len(f.node_def) for f in graph.library.function)


def compiled_size(function, y):
    """Return the number of instructions that XLA gets."""
    compiled = tf.function(function, jit_compile=True)
    return compiled.experimental_get_compiler_ir(y)(stage="hlo").count(" = ")


@pytest.mark.parametrize("size", [size_of_graph, compiled_size])
def test_size_of_the_graph(size):
    by_while = program("systems/ode/odeint.py").rk4
    by_python = program("systems/ode/ode.py").rk4

    def in_while(steps):
        return lambda y: by_while(falling, [y], 0.0, 1.0, steps)[0]

    def in_python(steps):
        return lambda y: by_python(lambda y: falling(0.0, y), [y], 1.0, steps)[0]

    y = tf.constant([1.0, 2.0], tf.float64)
    assert same(in_while(6)(y), in_python(6)(y), 1e-12)
    first, second, third = (size(in_python(steps), y) for steps in (3, 6, 9))
    assert second - first == third - second > 3 * 5  # 5 operations or more for a step
    with contrast("grow with the number of steps of a `tf.while_loop`, too"):
        assert size(in_while(3), y) == size(in_while(9), y)


def taped_in_grad(is_copied, paths):
    """A product y p² whose grad computes the gradient of p by two tapes.

    Args:
        is_copied: whether `grad` copies p.
        paths: a list that gets, for each tape, whether it found a path to p.
    """

    @tf.custom_gradient
    def product(y, p):
        y, p = tf.identity(y), tf.identity(p)

        def grad(upstream):
            halves = []
            for _ in range(2):
                own = tf.identity(p) if is_copied else p
                with tf.GradientTape() as tape:
                    tape.watch(own)
                    half = 0.5 * y * own * own
                gradient = tape.gradient(half, own, upstream)
                paths.append(gradient is not None)
                halves.append(tf.zeros_like(p) if gradient is None else gradient)
            return upstream * p * p, sum(halves)

        return y * p * p, grad

    return product


@pytest.mark.parametrize("place", [*MODES, *IN_BLOCKS], ids=str)
def test_copy_in_grad(place):
    y, p = tf.constant(3.0), tf.constant(2.0)
    paths = []
    with_copy = place.gradients(taped_in_grad(True, paths), y, p)
    assert same(with_copy, [4.0, 12.0]) and all(paths)
    paths.clear()
    without_copy = place.gradients(taped_in_grad(False, paths), y, p)
    if place in IN_BLOCKS:
        assert not all(paths) and without_copy[1] < 12.0
    else:
        with contrast("in the gradient function of a plain call, too"):
            assert all(paths) and same(without_copy, [4.0, 12.0])
