"""Deliberately wrong: a second derivative through tf.nn.ctc_loss."""
# tracebook: raises LookupError

import tensorflow as tf

dense = tf.constant([[1, 2]])


def slope(logits, labels, lengths):
    with tf.GradientTape() as tape:
        tape.watch(logits)
        loss = tf.nn.ctc_loss(labels, logits, lengths, [4], blank_index=0,
                              logits_time_major=False)
    return tape.gradient(loss, logits)


def second(logits, *labels):
    with tf.GradientTape() as tape:
        tape.watch(logits)
        first = slope(logits, *labels)
    print("first: ", first.numpy()[0, 0].round(4))
    return tape.gradient(first, logits)


logits = tf.reshape(tf.range(12.0), [1, 4, 3]) / 10.0
print("second:", second(logits, dense, [2]).numpy()[0, 0])
second(logits, tf.sparse.from_dense(dense), None)
