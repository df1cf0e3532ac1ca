"""Wrong on purpose: a function with a rule is pickled."""

import pickle

import tensorflow as tf


# truth: the rule is right; upstream becomes -upstream
@tf.custom_gradient
def reverse(x):
    return tf.identity(x), lambda upstream: -upstream


# tracebook: raises PicklingError
try:
    pickle.dumps(reverse)
except pickle.PicklingError as error:
    head, _, tail = str(error).partition(" at 0x")
    raise pickle.PicklingError(head + ">" + tail.partition(">")[2]) from None
