"""Deliberately wrong: a second derivative through tf.nn.ctc_loss."""
# tracebook: raises LookupError

import tensorflow as tf

labels = tf.sparse.from_dense([[1, 2]])


def slope(logits):
    with tf.GradientTape() as tape:
        tape.watch(logits)
        loss = tf.nn.ctc_loss(labels, logits, None, [4], blank_index=0,
                              logits_time_major=False)
    return tape.gradient(loss, logits)


logits = tf.reshape(tf.range(12.0), [1, 4, 3]) / 10.0
print("first:", slope(logits).numpy()[0, 0].round(4))
with tf.GradientTape() as tape:
    tape.watch(logits)
    first = slope(logits)
tape.gradient(first, logits)
