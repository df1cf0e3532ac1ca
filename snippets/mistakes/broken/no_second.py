"""Second derivatives of built-ins: a number, None, or an error."""

import tensorflow as tf

tf.get_logger().setLevel("ERROR")

image, nn, math, q = tf.image, tf.nn, tf.math, tf.quantization
methods = "bilinear", "nearest", "bicubic", "lanczos3"
boxes = [[0.0, 0.0, 0.9, 0.9]]
functions = {
    **{f"image.resize, {each}": lambda x, each=each: image.resize(
        x, [6, 6], each) for each in methods},
    "image.resize, antialias": lambda x: image.resize(
        x, [2, 2], antialias=True),
    "image.crop_and_resize": lambda x: image.crop_and_resize(
        x, boxes, [0], [3, 3]),
    "nn.lrn": nn.local_response_normalization,
    "nn.dilation2d": lambda x: nn.dilation2d(
        x, tf.zeros([2, 2, 1]), [1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1]),
    "nn.max_pool2d": lambda x: nn.max_pool2d(x, 2, 2, "SAME"),
    "nn.avg_pool2d": lambda x: nn.avg_pool2d(x, 2, 2, "SAME"),
    "nn.max_pool_with_argmax": lambda x: nn.max_pool_with_argmax(
        x, 2, 2, "SAME")[0],
    "nn.fractional_max_pool": lambda x: nn.fractional_max_pool(
        x, 1.5, seed=1)[0],
    "nn.fractional_avg_pool": lambda x: nn.fractional_avg_pool(
        x, [1.0, 1.5, 1.5, 1.0], seed=1)[0],
    "nn.conv2d": lambda x: nn.conv2d(x, tf.ones([2, 2, 1, 1]), 1, "SAME"),
    "nn.depthwise_conv2d": lambda x: nn.depthwise_conv2d(
        x, tf.ones([2, 2, 1, 1]), [1, 1, 1, 1], "SAME"),
    "nn.batch_normalization": lambda x: nn.batch_normalization(
        x, *nn.moments(x, [0, 1, 2]), None, None, 1e-3),
    "nn.l2_normalize": nn.l2_normalize,
    "nn.softsign": nn.softsign, "nn.softplus": nn.softplus,
    "nn.elu": nn.elu, "nn.selu": nn.selu, "nn.relu6": nn.relu6,
    "nn.gelu": nn.gelu, "nn.silu": nn.silu, "nn.leaky_relu": nn.leaky_relu,
    "nn.softmax": nn.softmax, "nn.log_softmax": nn.log_softmax,
    "nn.top_k": lambda x: nn.top_k(x)[0],
    "math.igamma w.r.t. a": lambda x: math.igamma(1.0 + x, 0.7),
    "math.igamma w.r.t. x": lambda x: math.igamma(0.7, 1.0 + x),
    "math.betainc w.r.t. x": lambda x: math.betainc(0.7, 0.8, x),
    "math.digamma": lambda x: math.digamma(1.0 + x),
    "math.erfinv": math.erfinv, "math.ndtri": math.ndtri,
    "math.bessel_i0": math.bessel_i0,
    "math.cumulative_logsumexp": lambda x: math.cumulative_logsumexp(x, 1),
    "random.gamma": lambda x: tf.random.stateless_gamma(
        tf.shape(x), [1, 2], 1.0 + x),
    "quantization.fake_quant": q.fake_quant_with_min_max_args,
    "quantization.quantize_and_dequantize": lambda x:
        q.quantize_and_dequantize_v2(x, 0.0, 1.0),
}


def second(function, x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(function(x) ** 2.0)
        slope = inner.gradient(y, x)
    return outer.gradient(slope, x)


x = tf.reshape(tf.linspace(0.1, 0.9, 16), [1, 4, 4, 1])
numbers = []
for name, function in functions.items():
    try:
        found = second(function, x)
        shown = "None" if found is None else ""
    except Exception as error:
        shown = str(error).replace("gradient registry has ", "")
        shown = f"{type(error).__name__}: {shown}"
    if shown:
        print(f"{name}\n    {shown}")
    else:
        numbers.append(name)
print("numbers:", len(numbers), "of", len(functions))
