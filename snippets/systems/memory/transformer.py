"""Four transformer blocks in eager mode: memory for six choices."""

import gc
import math
import weakref

import tensorflow as tf
from tensorflow.python.framework import op_callbacks

count = {"bytes": 0, "peak": 0, "products": 0}


def freed(size):
    count["bytes"] -= size


def meter(op_type, inputs, attrs, outputs, op_name=None, graph=None):
    for each in outputs:
        size = math.prod(each.shape) * each.dtype.size
        if size > 4 * n * width:  # larger than the input of a block
            count["bytes"] += size
            weakref.finalize(each, freed, size)
    if count["bytes"] > count["peak"]:
        gc.collect()  # frees tensors in reference cycles
        count["peak"] = max(count["peak"], count["bytes"])
    if "MatMul" in str(op_type):
        settings = dict(zip(attrs[::2], attrs[1::2]))
        first = settings.get("transpose_a", settings.get("adj_x"))
        inner = inputs[0].shape[-2 if first else -1]
        count["products"] += math.prod(outputs[0].shape) * inner


def weight(*shape):
    return tf.Variable(tf.random.stateless_normal(shape, [1, 2]) / 8.0)


n, width, heads = 128, 64, 4
qkv, out = weight(width, 3 * width), weight(width, width)
up, down = weight(width, 4 * width), weight(4 * width, width)


def normed(x):
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return (x - mean) * tf.math.rsqrt(variance + 1e-6)


def mix(q, k, v):
    scores = tf.matmul(q, k, transpose_b=True) / math.sqrt(width // heads)
    return tf.matmul(tf.nn.softmax(scores), v)


def attention(x, mix=mix):
    split = tf.reshape(normed(x) @ qkv, [n, 3, heads, width // heads])
    q, k, v = tf.unstack(tf.transpose(split, [1, 2, 0, 3]))
    mixed = tf.transpose(mix(q, k, v), [1, 0, 2])
    return x + tf.reshape(mixed, [n, width]) @ out


def mlp(x):
    return x + tf.nn.gelu(normed(x) @ up) @ down


def cheap_attention(x):
    return attention(x, tf.recompute_grad(mix))


def block(x):
    return mlp(attention(x))


attention_again = tf.recompute_grad(attention)
mlp_again = tf.recompute_grad(mlp)


def measured(parts):
    x = tf.random.stateless_normal([n, width], [3, 4])
    gc.collect()
    start = count["bytes"]
    count.update(peak=start, products=0)
    with tf.GradientTape() as tape:
        y = x
        for _ in range(4):
            for part in parts:
                y = part(y)
        loss = tf.reduce_sum(y * tf.cos(x))
    gc.collect()
    kept = count["bytes"] - start
    gradient = tape.gradient(loss, qkv)
    return kept, count["peak"] - start, count["products"], gradient


gc.freeze()
op_callbacks.add_op_callback(meter)
first = None
for name, parts in {
        "nothing": [attention, mlp],
        "mixing": [cheap_attention, mlp],
        "mlp": [attention, mlp_again],
        "attention": [attention_again, mlp],
        "both parts": [attention_again, mlp_again],
        "whole block": [tf.recompute_grad(block)]}.items():
    kept, peak, products, gradient = measured(parts)
    first = first or (products, gradient)
    same = float(tf.reduce_max(abs(gradient - first[1]))) < 1e-3
    print(f"{name:11}  kept {kept / 1e6:.2f} MB  peak {peak / 1e6:.2f} MB"
          f"  products {products / first[0]:.2f}  same gradient {same}")
op_callbacks.remove_op_callback(meter)
gc.unfreeze()
