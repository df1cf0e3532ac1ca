"""Two frames are too few for the labels 1, 1, which need a blank between."""

import tensorflow as tf

labels = tf.sparse.from_dense([[1, 1], [1, 2]])
logits = tf.random.stateless_normal([2, 2, 4], seed=[1, 2])  # frames first
frames, lengths = tf.constant([2, 2]), tf.constant([2, 2])


def loss_of(logits):
    return tf.nn.ctc_loss(labels, logits, None, frames, blank_index=-1)


def feasible(labels):
    """Whether a frame is left for each label and each blank between equals."""
    dense = tf.sparse.to_dense(labels, default_value=-1)
    equal = (dense[:, 1:] == dense[:, :-1]) & (dense[:, 1:] >= 0)
    return lengths + tf.reduce_sum(tf.cast(equal, tf.int32), 1) <= frames


def masked(logits):
    return tf.where(feasible(labels), loss_of(logits), 0.0)


for name, function in ("ctc_loss", loss_of), ("masked", masked):
    with tf.GradientTape() as tape:
        tape.watch(logits)
        losses = function(logits)
    gradient = tape.gradient(losses, logits)
    print(f"{name:8} losses", losses.numpy().round(2))
    print("         first example ", gradient[0, 0].numpy().round(2))
dense = tf.sparse.to_dense(labels)
loss = tf.nn.ctc_loss(dense, logits, [2, 2], frames, blank_index=3)
print("dense    losses", loss.numpy().round(2))
print("softmax  first example ", tf.nn.softmax(logits)[0, 0].numpy().round(2))
