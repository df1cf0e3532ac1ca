"""Which decompositions have a gradient in TensorFlow, and which have none."""

import tensorflow as tf


def show(name, function, *shape):
    A = tf.random.stateless_normal(shape, [1, 2], dtype=tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(A)
        target = function(A)
    try:
        gradient = tape.gradient(target, A)
    except (LookupError, NotImplementedError, ValueError) as error:
        says = str(error).split(" Received")[0]
        print(f"{name:9}{shape}  {type(error).__name__}: {says}")
        return
    h, D = 1e-5, tf.cos(A)
    change = [tf.reduce_sum(part) for part in tf.nest.flatten(
        tf.nest.map_structure(
            lambda p, m: p - m, function(A + h * D), function(A - h * D)))]
    off = tf.reduce_sum(gradient * D) - sum(change) / (2 * h)
    print(f"{name:9}{shape}  right: {bool(abs(off) < 1e-6)}")


def qr(A):
    return tf.linalg.qr(A)


def qr_full(A):
    return tf.linalg.qr(A, full_matrices=True)


def svd_full(A):
    return tf.linalg.svd(A, full_matrices=True)[1:]


def slow(A):
    return tf.linalg.lstsq(A, tf.ones([len(A), 1], A.dtype), fast=False)


def fast(A):
    return tf.linalg.lstsq(A, tf.ones([len(A), 1], A.dtype))


def logm(A):
    return tf.linalg.logm(tf.cast(A, tf.complex128))


def lu(A):
    return tf.linalg.lu(A)[0]


def eigvals(A):
    return abs(tf.linalg.eigvals(A))


tf.get_logger().setLevel("ERROR")  # the gradient of eigvals warns of a cast
for function in (qr, qr_full):
    show(function.__name__, function, 2, 4)
    show(function.__name__, function, 4, 2)
show("svd_full", svd_full, 4, 2)
for function in (slow, fast, tf.linalg.pinv):
    show(function.__name__, function, 4, 2)
    show(function.__name__, function, 2, 4)
for function in logm, lu, eigvals:
    show(function.__name__, function, 2, 2)
