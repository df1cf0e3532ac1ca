"""Cross entropy with the logits of one chunk of tokens at a time."""

import gc
import math
import weakref

import keras
import numpy as np
import tensorflow as tf
from tensorflow.python.framework import op_callbacks


# truth: share needs no gradient; first derivative only
@tf.custom_gradient
def total(H, E, labels, share):
    """The sum of share * cross entropy of H @ E^T, chunk by chunk."""
    H, E = tf.stop_gradient(H), tf.stop_gradient(E)
    chunks = tf.shape(H)[0]

    def body(i, loss, dH, dE):
        label = tf.maximum(labels[i], 0)
        logits = tf.matmul(H[i], E, transpose_b=True)
        entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(
            label, logits)
        d = tf.nn.softmax(logits) - tf.one_hot(label, tf.shape(E)[0])
        d *= share[i][:, None]  # gradient for the logits
        dE += tf.matmul(d, H[i], transpose_a=True)
        loss += tf.reduce_sum(share[i] * entropy)
        return i + 1, loss, dH.write(i, d @ E), dE

    dH = tf.TensorArray(H.dtype, chunks, element_shape=H.shape[1:])
    _, loss, dH, dE = tf.while_loop(
        lambda i, *_: i < chunks, body,
        (0, 0.0, dH, tf.zeros_like(E)), parallel_iterations=1)
    dH = dH.stack()

    def grad(upstream):
        return upstream * dH, upstream * dE, None, None

    return loss, grad


def chunked_loss(hidden, table, labels, chunk=64):
    """The mean over the tokens of all replicas with a label >= 0."""
    width = hidden.shape[-1]
    labels = tf.reshape(tf.cast(labels, tf.int32), [-1])
    extra = -tf.size(labels) % chunk
    labels = tf.pad(labels, [[0, extra]], constant_values=-1)
    used = tf.cast(labels >= 0, tf.float32)
    replica = tf.distribute.get_replica_context()
    number = replica.all_reduce("SUM", tf.reduce_sum(used))
    share = used / tf.maximum(number, 1.0)  # of each token in the mean
    H = tf.reshape(tf.cast(hidden, tf.float32), [-1, width])
    H = tf.reshape(tf.pad(H, [[0, extra], [0, 0]]), [-1, chunk, width])
    return total(H, tf.cast(table, tf.float32),
                 tf.reshape(labels, [-1, chunk]),
                 tf.reshape(share, [-1, chunk]))


def plain_loss(hidden, table, labels):
    logits = tf.matmul(hidden, table, transpose_b=True)
    keep = labels >= 0
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels[keep], logits[keep]))


count = {"bytes": 0, "peak": 0}


def freed(size):
    count["bytes"] -= size


def meter(op_type, inputs, attrs, outputs, op_name=None, graph=None):
    for output in outputs:
        size = math.prod(output.shape) * output.dtype.size
        count["bytes"] += size
        weakref.finalize(output, freed, size)
    if count["bytes"] > count["peak"]:
        gc.collect()  # frees tensors in reference cycles
        count["peak"] = max(count["peak"], count["bytes"])


H = tf.random.stateless_normal([512, 32], [1, 2])
E = tf.random.stateless_normal([4000, 32], [3, 4]) / 4.0
labels = np.random.default_rng(0).integers(-1, 4000, 512)
labels[:50] = -1
results = []
for loss_of in plain_loss, chunked_loss:
    gc.collect()
    gc.freeze()
    count.update(bytes=0, peak=0)
    op_callbacks.add_op_callback(meter)
    with tf.GradientTape() as tape:
        tape.watch([H, E])
        loss = loss_of(H, E, labels)
    results.append((loss, *tape.gradient(loss, [H, E])))
    op_callbacks.remove_op_callback(meter)
    print(f"{loss_of.__name__:12}  peak {count['peak'] / 1e6:.1f} MB")
print("same loss and gradients:", all(
    np.allclose(*pair, rtol=1e-3, atol=1e-6) for pair in zip(*results)))


class Tied(keras.Model):
    """Its output is hidden states; the embeddings make the logits."""

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None,
                     training=True):
        table = self.get_layer("tokens").embeddings
        return chunked_loss(y_pred, tf.convert_to_tensor(table), y)


def build():
    keras.utils.set_random_seed(0)
    ids = keras.Input([None], dtype="int32")
    h = keras.layers.Embedding(100, 32, name="tokens")(ids)
    return Tied(ids, h + keras.layers.Dense(32)(h))


x = np.random.default_rng(1).integers(0, 100, [40, 8])
y = np.where(x % 7, (x + 1) % 100, -1)
fitted, model = build(), build()
fitted.compile(keras.optimizers.SGD(5.0))
fitted.fit(x, y, batch_size=40, epochs=5, verbose=0)
sgd = keras.optimizers.SGD(5.0)


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        loss = model.compute_loss(x, y, model(x, training=True))
    weights = model.trainable_variables
    sgd.apply_gradients(zip(tape.gradient(loss, weights), weights))
    return loss


losses = [step(x, y) for _ in range(5)]
print(f"loss {losses[0]:.2f}, then {losses[-1]:.2f}")
print("fit equals loop:", np.allclose(fitted(x), model(x), atol=1e-3))
