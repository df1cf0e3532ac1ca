"""Whether a program's rules are right although a part was changed: TensorFlow's own
gradient of each forward pass tells, taken without its rule; of a rule that means
another gradient, what it said before. Nothing of the rule check is used.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf

NEAR = {4: 3e-4, 8: 1e-7}
"""Of the largest number, by the bytes of one."""
BY_CONSTRUCTION = ("calls_", "last_[")
"""What makes a rule depend on other calls."""
_custom_gradient = tf.custom_gradient


def begin(plant: Any) -> Callable[[], str]:
    """Called in the process of the changed program, before it runs."""
    changed = _watched()

    def end() -> str:
        if any(each in plant.source for each in BY_CONSTRUCTION):
            return "it depends on other calls"
        rules = _watched()
        exec(compile(plant.right, "right.py", "exec"), {"__name__": "__main__"})
        numbers = [float(each) for each in re.findall(r"\d+\.\d+", plant.diff)]
        verdict = "nothing was compared"
        for (new, _), (old, calls) in zip(changed, rules):
            for arguments in calls.values():
                for verdict in _verdicts(new, old, arguments, numbers):
                    if verdict != "right":
                        return verdict
        return verdict

    return end


def _watched() -> list[tuple[Callable, dict[str, tuple]]]:
    """All functions that get a rule from here on, each with a call of each shape."""
    functions = []

    def custom_gradient(function: Callable) -> Callable:
        calls: dict[str, tuple] = {}
        functions.append((function, calls))

        def noted(*arguments: Any, **keywords: Any) -> Any:
            if not keywords:
                with tf.init_scope():
                    its = tf.nest.map_structure(_kept, arguments)
                calls.setdefault(str(tf.nest.map_structure(np.shape, its)), its)
            return function(*arguments, **keywords)

        return _custom_gradient(noted)

    tf.custom_gradient = custom_gradient
    return functions


def _kept(value: Any) -> Any:
    """As an array, if it has numbers; drawn, where a graph alone knows them."""
    if isinstance(value, (tf.Tensor, tf.Variable)):
        if hasattr(value, "numpy"):
            return np.asarray(value.numpy())
        shape = [size or 2 for size in value.shape.as_list()]
        drawn = np.random.default_rng(1).standard_normal(shape)
        return drawn.astype(value.dtype.as_numpy_dtype)
    return np.array(value) if isinstance(value, float) else value


def _verdicts(
    new: Callable, old: Callable, arguments: tuple, numbers: list
) -> Iterator[str]:
    """At each point whether the changed rule is right, or what is."""
    plain = None
    for seed, point in enumerate(_points(arguments, numbers)):
        size = (1.0, 1e3, 0.0)[seed % 3]
        try:
            own, said = _answers(old, point, size, seed)
        except Exception:
            continue  # not accepted
        agree = [_alike(*pair) for pair in zip(own, said)]
        plain = agree[0] if plain is None else plain
        try:
            own_now, said_now = _answers(new, point, size, seed)
        except Exception as error:
            if seed % 2 == 0:  # in the dtype of the call
                yield f"at {point} × {size}: {error}"
            continue
        if not all(np.isfinite(each).all() for each in (*own[0], *own_now[0])):
            continue
        orders = [*zip(own_now if plain else said, said_now, agree)]
        # The second loses all its digits in float32, where the forward pass does.
        for right, now, holds in orders[: 1 + seed % 2]:
            if now and (holds or not plain):
                same = _alike(right, now)
                where = f"at {point} × {size}: {now}, but {right} is right"
                yield "right" if same else where


def _answers(function: Callable, point: tuple, size: float, seed: int) -> tuple:
    """The first and second gradients of the forward pass, and those of its rule."""
    its_own = _gradients(lambda *its: function(*its)[0], point, size, seed)
    its_rule = _gradients(_custom_gradient(function), point, size, seed)
    if not its_rule[0]:  # none at all is zero
        its_rule[0] = [np.zeros_like(each) for each in its_own[0]]
    return its_own, its_rule


def _gradients(function: Callable, point: tuple, size: float, seed: int) -> list:
    tf.random.set_seed(1)
    rng = np.random.default_rng(seed)
    inputs = tf.nest.map_structure(
        lambda each: tf.constant(each) if isinstance(each, np.ndarray) else each, point
    )
    sources = [each for each in tf.nest.flatten(inputs) if _moves(each)]

    def drawn(like: Any) -> tf.Tensor:
        return tf.cast(size * rng.standard_normal(like.shape), like.dtype)

    def full(gradients: list, like: list) -> list:
        """As arrays, if there are any."""
        arrays = [
            np.zeros(its.shape, its.dtype.as_numpy_dtype)
            if each is None
            else tf.convert_to_tensor(each).numpy()
            for each, its in zip(gradients, like)
        ]
        return arrays if any(each is not None for each in gradients) else []

    with tf.GradientTape() as outer:
        outer.watch(sources)
        with tf.GradientTape() as tape:
            tape.watch(sources)
            values = [
                each for each in tf.nest.flatten(function(*inputs)) if _moves(each)
            ]
        sources += tape.watched_variables()
        upstream = [drawn(each) for each in values]
        outer.watch(upstream)
        first = tape.gradient(values, sources, upstream)
        weighed = [
            tf.math.real(tf.reduce_sum(weight * (0.0 if each is None else each)))
            for weight, each in zip(map(drawn, sources), first)
        ]
    by = [*sources, *upstream]
    return [full(first, sources), full(outer.gradient(weighed, by), by)]


def _moves(value: Any) -> bool:
    dtype = getattr(value, "dtype", None)
    return isinstance(value, tf.Tensor) and (dtype.is_floating or dtype.is_complex)


def _alike(right: list, said: list) -> bool:
    most = max((abs(each).max(initial=0) for each in right), default=0)
    return len(right) == len(said) and all(
        a.shape == b.shape
        and np.allclose(
            b, a, 0, NEAR[a.real.dtype.itemsize] * abs(a).max(initial=most / 100)
        )
        for a, b in zip(right, said)
    )


def _points(arguments: tuple, numbers: list) -> Iterator[tuple]:
    """The call's inputs, others, other shapes; beside numbers that were changed."""
    rng = np.random.default_rng(0)
    ways: list[Callable] = [
        lambda at: at,
        lambda at: 1.1 * at,
        lambda at: -at,
        lambda at: 0.0 * at,
    ]
    for size in (0.3, 1.0, 5.0, 50.0, 1e-3):
        ways.append(lambda at, s=size: at * np.exp(s * rng.uniform(-1, 1, at.shape)))
        ways.append(lambda at, s=size: s * rng.standard_normal(at.shape))
    for number in numbers:
        ways += [
            lambda at, s=number * side: np.full_like(at, s)
            for side in (0.97, 1.03, -0.97, -1.03)
        ]
    ways += [lambda at: at[:1] if at.ndim else at, lambda at: np.stack([at, 2 * at])]
    ways += [lambda at: np.concatenate([at, at]) if at.ndim else at]
    for way in ways:
        for dtype in (None, np.float64):
            yield tf.nest.map_structure(
                lambda each, way=way, dtype=dtype: (
                    np.asarray(way(each)).astype(
                        dtype if each.dtype == np.float32 and dtype else each.dtype
                    )
                    if isinstance(each, np.ndarray) and each.dtype.kind in "fc"
                    else each
                ),
                arguments,
            )
