"""Run the documented examples with doctest."""

# tracebook: alone

import doctest

import numpy as np
import tensorflow as tf

flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
for name, documented in (
        ("tf.custom_gradient", tf.custom_gradient),
        ("tf.GradientTape", tf.GradientTape),
        ("tf.GradientTape.gradient", tf.GradientTape.gradient),
        ("tf.GradientTape.stop_recording", tf.GradientTape.stop_recording)):
    test = doctest.DocTestParser().get_doctest(
        documented.__doc__, {"tf": tf, "np": np}, name, name, 0)
    result = doctest.DocTestRunner(optionflags=flags).run(
        test, out=lambda text: None)
    print(f"{name}: {result.attempted} examples, {result.failed} fail")

examples = doctest.DocTestParser().get_examples(tf.custom_gradient.__doc__)
for text in ("[x ** 1, x ** 0]", "def log1pexp", "second_order_for_x",
             "tf.random.shuffle"):
    seen = any(text in each.source for each in examples)
    print(f"{text:18} is in an example that is run: {seen}")
