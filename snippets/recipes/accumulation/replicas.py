"""The same on two replicas, and in mixed precision."""

import keras
import tensorflow as tf

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(
    cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(
    tf.config.list_logical_devices("CPU"))
STEPS, REPLICAS = 4, strategy.num_replicas_in_sync
x = tf.random.stateless_normal([32, 3], seed=[1, 2])
y = x @ [[1.0], [-2.0], [0.5]]
batches = strategy.experimental_distribute_dataset(
    tf.data.Dataset.from_tensor_slices((x, y)).batch(8))


def add(x, y):
    with tf.GradientTape() as tape:
        errors = tf.cast(model(x, training=True), tf.float32) - y
        loss = optimizer.scale_loss(tf.reduce_mean(tf.square(errors)))
    gradients = tape.gradient(loss, model.trainable_variables)
    for total, gradient in zip(sums, gradients):
        total.assign_add(gradient)


def apply():
    replica = tf.distribute.get_replica_context()
    mean = replica.all_reduce(
        "SUM", [total / (STEPS * REPLICAS) for total in sums])
    limit = optimizer.scale_loss(tf.constant(1.0))  # scaled like the loss
    mean, _ = tf.clip_by_global_norm(mean, limit)
    share = [gradient / REPLICAS for gradient in mean]  # apply() sums
    optimizer.apply_gradients(zip(share, model.trainable_variables))
    for total in sums:
        total.assign(tf.zeros_like(total))


def step(iterator):
    for _ in range(STEPS):  # unrolled: replicas can't wait in a graph's loop
        strategy.run(add, next(iterator))
    strategy.run(apply)


for policy in "float32", "mixed_float16":
    keras.config.set_dtype_policy(policy)
    with strategy.scope():
        keras.utils.set_random_seed(0)
        model = keras.Sequential([keras.Input([3]), keras.layers.Dense(1)])
        optimizer = keras.optimizers.Adam(0.1)
        if policy == "mixed_float16":
            optimizer = keras.optimizers.LossScaleOptimizer(
                optimizer, initial_scale=128)
        optimizer.build(model.trainable_variables)
        sums = [
            tf.Variable(
                tf.zeros(w.shape), trainable=False,
                synchronization=tf.VariableSynchronization.ON_READ,
                aggregation=tf.VariableAggregation.SUM)
            for w in model.trainable_variables]
    one_step = tf.function(step)  # traced anew for each model
    for _ in range(3):
        one_step(iter(batches))
    print(f"{policy:13}", model.layers[0].kernel[:, 0].numpy())
