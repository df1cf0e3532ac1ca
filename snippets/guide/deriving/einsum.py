"""The gradients of any einsum of two arrays, by exchanging letters."""

import numpy as np
import tensorflow as tf


def gradient_of_input(own, other, out, shape, partner, upstream):
    """Exchange the output with this input, and restore letters it lost."""
    there = "".join(letter for letter in own if letter in other + out)
    bar = tf.einsum(f"{out},{other}->{there}", upstream, partner)
    full = [size if letter in there else 1
            for letter, size in zip(own, shape)]
    return tf.broadcast_to(tf.reshape(bar, full), shape)


def einsum(equation, a, b):
    letters, out = equation.split("->")
    first, second = letters.split(",")

    # truth: tf.size(a) > 0; tf.size(b) > 0
    @tf.custom_gradient
    def function(a, b):
        def grad(upstream):
            return (
                gradient_of_input(first, second, out, a.shape, b, upstream),
                gradient_of_input(second, first, out, b.shape, a, upstream))

        return tf.einsum(equation, a, b), grad

    return function(a, b)


sizes = {"b": 2, "i": 3, "j": 4, "k": 5}
for equation in ("ij,jk->ik", "bij,bjk->bik", "i,j->ij", "ij,j->i",
                 "ij,ij->", "bij,kj->bki", "ij,k->ik"):
    letters = equation.split("->")[0].split(",")
    a, b = (tf.random.stateless_normal(
        [sizes[letter] for letter in part], [n, 1], dtype=tf.float64)
        for n, part in enumerate(letters))
    gradients = []
    for function in tf.einsum, einsum:
        with tf.GradientTape() as tape:
            tape.watch([a, b])
            loss = tf.reduce_sum(tf.sin(function(equation, a, b)))
        gradients.append(tape.gradient(loss, [a, b]))
    close = all(map(np.allclose, *gradients))
    print(f"{equation:12} agrees with the tape: {close}")
