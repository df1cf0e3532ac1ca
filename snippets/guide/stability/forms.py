"""Four forms of one local derivative, and the derivative of each form."""

import tensorflow as tf

forms = {
    "exp(x) / (1 + exp(x))": lambda x: tf.exp(x) / (1.0 + tf.exp(x)),
    "1 - 1 / (1 + exp(x))": lambda x: 1.0 - 1.0 / (1.0 + tf.exp(x)),
    "1 / (1 + exp(-x))": lambda x: 1.0 / (1.0 + tf.exp(-x)),
    "tf.sigmoid": tf.sigmoid}

points = (-100.0, -20.0, 0.0, 20.0, 100.0)
print(f"{'x':28}", *[f"{value:8.0f}" for value in points])
for name, form in forms.items():
    x = tf.constant(points)
    with tf.GradientTape() as tape:
        tape.watch(x)
        local = form(x)
    slope = tape.gradient(local, x)
    print(f"{name:21} value ", *[f"{number:8.2g}" for number in local])
    print(f"{'':21} deriv ", *[f"{number:8.2g}" for number in slope])
