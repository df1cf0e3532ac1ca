"""The claims of docs/guide/real_complex.md."""

import numpy as np
import pytest
import tensorflow as tf

from tests.harness import contrast, same

GRAPHS = {
    "eager": lambda function: function,
    "tf.function": tf.function,
    "XLA": tf.function(jit_compile=True),
}


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64], ids=lambda d: d.name)
@pytest.mark.parametrize("wrap", GRAPHS.values(), ids=GRAPHS)
def test_irfft_length(wrap, dtype):
    def back(x):
        return tf.signal.irfft(tf.signal.rfft(x))

    def back_with_length(x):
        return tf.signal.irfft(tf.signal.rfft(x), [x.shape[-1]])

    back, back_with_length = wrap(back), wrap(back_with_length)
    for values in (3, 5, 9):
        for batch in ((), (2,)):
            x = tf.constant(np.random.default_rng(0).normal(size=(*batch, values)))
            x = tf.cast(x, dtype)
            assert back(x).shape == (*batch, values - 1)
    with contrast("with a length, too"):
        assert same(back_with_length(x), x, 1e-4)
    with contrast("an even number of values: none is lost"):
        assert same(back(x[..., :8]), x[..., :8], 1e-4)
