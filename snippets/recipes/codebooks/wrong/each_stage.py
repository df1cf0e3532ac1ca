"""Deliberately wrong: straight through in each stage of residual VQ."""

import tensorflow as tf

stop = tf.stop_gradient


def stage(rest, E):
    d = tf.reduce_sum(E * E, 1) - 2.0 * tf.matmul(rest, E, transpose_b=True)
    e = tf.gather(E, tf.argmin(d, -1))
    loss = tf.reduce_mean((rest - stop(e)) ** 2)  # commitment
    return e, stop(e) + (rest - stop(rest)), loss


codebooks = [
    tf.random.stateless_normal([8, 4], seed=[1, 2]) / (1.0 + i)
    for i in range(3)]
z = tf.random.stateless_normal([64, 4], seed=[3, 4])
for way in "subtract q", "subtract stop(q)", "once":
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(z)
        rest, total, losses = z, 0.0, []
        for E in codebooks:
            e, q, loss = stage(rest, E)
            losses.append(loss)
            total += stop(e) if way == "once" else q
            rest -= q if way == "subtract q" else stop(q)
        if way == "once":
            total += z - stop(z)
    through = tape.gradient(total, z)[0, 0].numpy()
    norms = [f"{tf.norm(tape.gradient(loss, z)):.3f}" for loss in losses]
    print(f"{way:16} passes {through:.0f}, commitment {' '.join(norms)}")
