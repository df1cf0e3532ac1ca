"""Each gradient is found by the ref() of its variable."""

import tensorflow as tf

slope = tf.Variable(2.0, name="slope")
offset = tf.Variable(1.0, name="offset")


# truth: x.shape == []
@tf.custom_gradient
def line(x):
    def grad(upstream, variables):
        found = {slope.ref(): upstream * x, offset.ref(): upstream}
        assert found.keys() == {v.ref() for v in variables}
        return upstream * slope, [found[v.ref()] for v in variables]

    return slope * x + offset, grad


def plain(x):
    return slope * x + offset


x = tf.constant(5.0)
for name, run in (("eager", line), ("graph", tf.function(lambda x: line(x))),
                  ("plain", plain)):
    with tf.GradientTape() as tape:
        y = run(x)
    found = tape.gradient(y, [slope, offset])
    print(f"{name} to slope: {found[0].numpy()}"
          f"  to offset: {found[1].numpy()}")
