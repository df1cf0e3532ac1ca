"""Mixed second derivatives of x * y, where at least one factor is 0."""

import tensorflow as tf

tf.get_logger().setLevel("ERROR")

math = tf.math
products = {
    "x * y": lambda xy: xy[0] * xy[1],
    "multiply_no_nan": lambda xy: math.multiply_no_nan(xy[0], xy[1]),
    "reduce_prod": math.reduce_prod,
    "cumprod": lambda xy: math.cumprod(xy)[1],
    "segment_prod": lambda xy: math.segment_prod(xy, [0, 0])[0],
    "unsorted_segment_prod": lambda xy: math.unsorted_segment_prod(
        xy, [0, 0], 1)[0],
    "xlogy(x, exp(y))": lambda xy: math.xlogy(xy[0], tf.exp(xy[1])),
    "xdivy(x, 1 / y)": lambda xy: math.xdivy(xy[0], 1.0 / xy[1]),
}


def derivatives(function, xy):
    with tf.GradientTape() as outer:
        outer.watch(xy)
        with tf.GradientTape() as inner:
            inner.watch(xy)
            z = function(xy)
        first = inner.gradient(z, xy)
    return first, outer.jacobian(
        first, xy, unconnected_gradients="zero")


for name, function in products.items():
    for point in [0.0, 2.0], [0.0, 0.0]:
        xy = tf.constant(point)
        if name.startswith("xdivy") and not all(point[1:]):
            continue  # 1 / y is infinite
        first, second = derivatives(function, xy)
        print(f"{name:22} at {point}  gradient {first.numpy()}"
              f"  mixed {second[0, 1].numpy()} {second[1, 0].numpy()}")
