"""The operations that XLA compiles, and the directions of its comparisons."""

import re

import tensorflow as tf

MOVES = {"parameter", "constant", "reshape", "broadcast", "convert", "tuple",
         "get-tuple-element"}


def slope(function):
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    return gradient


def guarded(x):
    return tf.debugging.check_numerics(tf.math.log(x), "log")


for name, function, x in (
        ("check_numerics of log", guarded, tf.constant(1.0)),
        ("gradient of sqrt", slope(tf.sqrt), tf.constant(1.0 + 2.0j)),
        ("gradient of selu", slope(tf.nn.selu), tf.constant(0.0)),
        ("gradient of reduce_max", slope(tf.reduce_max), tf.ones([3]))):
    graph = tf.function(function, jit_compile=True, autograph=False)
    compiled = graph.experimental_get_compiler_ir(x)(stage="hlo")
    found = set(re.findall(r" = \S+ ([a-z-]+)\(", compiled)) - MOVES
    print(f"{name}: {', '.join(sorted(found))}")
    for direction in sorted(set(re.findall(r"direction=(\w+)", compiled))):
        print("  compares by", direction)
