"""The claim of docs/systems/applications.md."""

import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import strategies as st

from tests.harness import contrast, raised


def gather(tensor, index):
    """Return one element."""
    return tf.gather_nd(tensor, index)


compiled = tf.function(gather, jit_compile=True)
in_graph = tf.function(gather)
DTYPES = [tf.float32, tf.float64, tf.int32]


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.name)
@given(row=st.integers(-9, 9), column=st.integers(-9, 9))
def test_out_of_range(dtype, row, column):
    tensor, index = tf.ones([3, 4], dtype), tf.constant([row, column])
    is_outside = not (0 <= row < 3 and 0 <= column < 4)
    with tf.device("CPU"):
        for function in (gather, in_graph):
            error = raised(function, tensor, index)
            if is_outside:
                assert isinstance(error, tf.errors.InvalidArgumentError)
            else:
                with contrast("raises an error for each index"):
                    assert error is None
        with contrast("raises an error under XLA, too"):
            assert raised(compiled, tensor, index) is None
            assert compiled(tensor, index).shape == []
    if is_outside:
        constant = tf.function(lambda x: gather(x, [row, column]), jit_compile=True)
        assert raised(constant, tensor) is None
