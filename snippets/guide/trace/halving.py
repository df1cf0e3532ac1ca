"""One probe, a few runs: where among 64 steps does the NaN enter?"""

import tensorflow as tf

STEPS = [tf.sin, tf.tanh, tf.sigmoid, tf.square] * 16
STEPS[22] = lambda x: x + tf.sqrt(tf.square(x - tf.reduce_max(x)))


def probe(x, seen):
    @tf.custom_gradient
    def identity(x):
        def grad(upstream):
            seen.append(tf.reduce_all(tf.math.is_finite(upstream)))
            return upstream

        return tf.identity(x), grad

    return identity(x)


def passes_on_finite(place):
    """Whether the gradient that STEPS[place] passes on is finite."""
    seen = []
    x = tf.constant([0.5, 1.5])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for i, step in enumerate(STEPS):
            y = step(probe(y, seen) if i == place else y)
    tape.gradient(y, x)
    return bool(seen[0])


bad, fine = 0, len(STEPS) - 1
print(len(STEPS), "steps")
for place in (fine, bad):
    print(f"step {place:2}  downstream is finite: {passes_on_finite(place)}")
while fine - bad > 1:
    middle = (bad + fine) // 2
    verdict = passes_on_finite(middle)
    print(f"step {middle:2}  downstream is finite: {verdict}")
    bad, fine = (bad, middle) if verdict else (middle, fine)
print("the NaN enters in the gradient function of step", bad)
