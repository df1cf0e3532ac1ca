"""The claims of docs/systems/checkpoints.md."""

import weakref

import pytest
import tensorflow as tf

from tests.harness import contrast, same


class Steps:
    """Steps of a chain, which count their runs and the results alive at once."""

    def __init__(self, step=tf.sin):
        self._step, self._alive, self.runs, self.peak = step, 0, 0, 0

    def __call__(self, x, count):
        for _ in range(count):
            x = self._step(x)
            self.runs += 1
            self._alive += 1
            self.peak = max(self.peak, self._alive)
            weakref.finalize(x, self._drop)
        return x

    def _drop(self):
        self._alive -= 1


def counted(sizes, step=tf.sin, recompute=tf.recompute_grad, persistent=False):
    """Differentiate a chain in blocks, and return the peak, the runs, the gradient."""
    steps, x = Steps(step), tf.constant(0.5)
    with tf.GradientTape(persistent) as tape:
        tape.watch(x)
        y = x
        for size in sizes:
            y = recompute(lambda x, size=size: steps(x, size))(y)
    gradient = tape.gradient(y, x)
    return steps.peak, steps.runs, gradient


def plain(n, step=tf.sin):
    """Count without recomputation."""
    return counted([n], step, recompute=lambda function: function)


STEP = pytest.mark.parametrize("step", [tf.sin, tf.tanh, lambda x: x * x])


@STEP
@pytest.mark.parametrize("n", [16, 36, 64])
def test_equal_blocks(n, step):
    for k in (k for k in range(1, n + 1) if n % k == 0):
        peak, runs, gradient = counted([k] * (n // k), step)
        assert peak == n // k + k and runs == 2 * n
        most, once, right = plain(n, step)
        assert same(gradient, right, 1e-5)
        with contrast("without tf.recompute_grad, too"):
            assert (most, once) == (n, n)
        if k in (1, n):
            with contrast("always lower than without blocks"):
                assert peak == n + 1 > most
        if k * k == n:
            assert counted([k] * k, step, persistent=True)[:2] == (2 * k, 2 * n)


@STEP
def test_unequal_blocks(step):
    sizes = [10, 10, 9, 8, 7, 6, 5, 4, 3, 2]
    assert sum(sizes) == 64
    peak, runs, gradient = counted(sizes, step)
    assert (peak, runs) == (12, 128)
    assert same(gradient, plain(64, step)[2], 1e-5)
    with contrast("also with a persistent tape"):
        assert counted(sizes, step, persistent=True)[:2] == (20, 128)
    with contrast("in any order: with the short blocks first, more are alive"):
        assert counted(sizes[::-1], step)[:2] == (20, 128)
    with contrast("equal blocks, of which the best have the peak 16"):
        equal = [counted([k] * (64 // k), step)[0] for k in (1, 2, 4, 8, 16, 32, 64)]
        assert min(equal) == 16
