"""Which uses of a variable require `variables=`, in both modes."""

import tensorflow as tf

w = tf.Variable(2.0)
frozen = tf.Variable(3.0, trainable=False)
x = tf.constant(5.0)


def required(forward, inputs=lambda: [x]):
    """The number of variables that grad gets, or None, and the gradients."""
    @tf.custom_gradient
    def decorated(*arguments):
        def grad(upstream, variables=None):
            seen.append(variables and len(variables))
            with tf.GradientTape() as tape:
                tape.watch(arguments)
                y = forward(*arguments)
            downstream = tape.gradient(
                y, [arguments, variables or []], upstream, "zero")
            return downstream[0] if variables is None else downstream

        return forward(*arguments), grad

    def run():
        with tf.GradientTape() as tape:
            tape.watch([x, frozen])
            y = decorated(*inputs())
        return tape.gradient(y, [w, frozen])

    seen = []
    values = [None if each is None else each.numpy() for each in run()]
    tf.function(run, autograph=False).get_concrete_function()
    return *seen, *values


print(f"{'variables:':24} eager  tf.function   to w  to frozen")
for name, *case in (
        ("no variable", lambda x: 2.0 * x),
        ("a trainable one", lambda x: w * x),
        ("the same, twice", lambda x: w * x + w),
        ("trainable=False", lambda x: frozen * x),
        ("passed as a variable", lambda x, w: w * x, lambda: [x, w]),
        ("passed as a tensor", lambda x, w: w * x,
         lambda: [x, tf.convert_to_tensor(w)]),
        ("two, one of them passed", lambda x, v: w * v * x,
         lambda: [x, frozen])):
    eager, graph, to_w, to_frozen = map(str, required(*case))
    print(f"{name:24} {eager:>5}  {graph:>11}  {to_w:>5}  {to_frozen:>9}")
