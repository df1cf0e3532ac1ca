"""``explain``: what is wrong with a custom gradient, as advice."""

import contextlib
import inspect
import io
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from importlib import resources
from typing import Any

import numpy as np
import tensorflow as tf

from .arrays import as_tuple, flat
from .check import check_custom_gradient
from .core import GradientError
from .difference import NUMBER, Gradients, difference, near
from .function import call_of, describe
from .options import options_of
from .point_check import at_arguments

UNNAMED = "check_custom_gradient: "
PATTERNS = {
    "order of calls|second backward pass": "silent#order-of-calls",
    "IndexedSlices": "silent#clipped-slices",
    r"has shape \S.*, but": "silent_values#broadcast-shape",
    "has dtype": "types#double-against-float",
    "inside tf.function the gradient is": "index#another-in-a-graph",
    "unknown batch size": "shapes#unknown-shape",
    "is nan|is -?inf": "index#nan",
}
"""Patterns of the messages of a check, each with its entry in the catalogue."""
MOST = 64
"""Numbers of the arguments, for which the right gradient is computed in full."""


@dataclass(frozen=True)
class Advice:
    """One mistake in a custom gradient, or one of its limits."""

    entry: str
    """Page and entry of the catalogue, for example ``counts#one-gradient-short``."""
    text: str
    """What is wrong, and how to fix it."""
    is_mistake: bool = True
    """True if the gradient is wrong or missing at the arguments. False if it fails only
    in the situation that ``text`` describes."""

    @property
    def is_unnamed(self) -> bool:
        """True if ``text`` says no more than the check itself."""
        return self.text.startswith(UNNAMED)

    def __str__(self) -> str:
        kind = "mistake" if self.is_mistake else "limit"
        return f"{kind}: {self.text} (mistakes/{self.entry})"


def explain(f: Callable, args: Any, **options: Any) -> list[Advice]:
    """Look for known mistakes in a custom gradient: those that the catalogue explains.

    Args:
        f: a function decorated with ``tf.custom_gradient``.
        args: its arguments, as in ``check_custom_gradient``. ``explain`` also tries
            other arguments, which it derives from these.
        **options: options of ``check_custom_gradient``, such as ``like`` for a gradient
            that deliberately isn't the derivative.

    Returns:
        The advice, or an empty list. Mistakes hide what comes behind them: so if there
        is one, fix it, and call ``explain`` again.
    """
    case = _Case(f, as_tuple(args), options)
    advice: list[Advice] = []
    for look in _LOOKS:
        with contextlib.suppress(Exception):  # what one look can't try, the next may
            advice += [item for item in look(case) if item not in advice]
        if any(item.is_mistake for item in advice):
            break
    return sorted(advice, key=lambda item: not item.is_mistake)


class _Case:
    """A function and its arguments, and what several looks need."""

    def __init__(self, function: Callable, args: tuple, options: dict) -> None:
        self.function, self.args, self.options = function, args, options
        self.parsed = options_of(**options)
        self.call = call_of(function, function, args, {})
        self.tensors = self.call.tensors(self.call.start(), double=False)
        self.inputs = list(self.call.packed(self.tensors))
        self.moving = [self.tensors[i] for i in self.call.moving]
        only: Any = self.inputs[0] if len(self.inputs) == 1 else None
        self.single = only if tf.is_tensor(only) and only.dtype.is_floating else None
        """The one argument, if there is only one and it is a float tensor."""
        self.gradients: list = []
        self.error: Exception | None = None
        self.draws = False
        try:
            self.gradients = self.call.both_passes(self.tensors)
            first, second = (flat(self.call.outputs(self.tensors)) for _ in "12")
            self.draws = first.shape != second.shape or not np.allclose(
                first, second, 1e-5, 1e-6, equal_nan=True
            )
        except Exception as error:
            self.error = error

    def in_graph(self, jit_compile: bool = False) -> None:
        run = self.call.both_passes
        self.call.compiled(run, self.tensors, jit_compile=jit_compile)(self.tensors)


def _limit(entry: str, text: str) -> Advice:
    return Advice(entry, text, is_mistake=False)


def _of_error(error: Exception, place: str) -> Advice:
    table = resources.files(__package__).joinpath("messages.toml").read_text("utf-8")
    for known in tomllib.loads(table)["message"]:
        if match := re.search(known["pattern"], f"{type(error).__name__}: {error}"):
            text = known["text"].format(*match.groups())
            return Advice(known["entry"], f"{place}: {text}")
    return Advice("messages", f"{place}: the gradient raises {describe(error)}")


def _eager(case: _Case) -> Iterator[Advice]:
    if case.error:
        yield _of_error(case.error, "eagerly")


def _graph(case: _Case) -> Iterator[Advice]:
    if not case.parsed.graph:
        return
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            case.in_graph()
    except Exception as error:
        yield _of_error(error, "inside tf.function")
    if re.search(r'Tensor\("|SymbolicTensor', printed.getvalue()):
        yield _limit(
            "silent#printed-once",
            "it prints a symbolic tensor once, while TensorFlow traces it: use"
            " tf.print",
        )


def _values(case: _Case) -> Iterator[Advice]:
    problem = _problem(case, order=1)
    if not problem:
        return
    for pattern, entry in PATTERNS.items():
        if re.search(pattern, problem):
            yield Advice(entry, problem)
            return
    advice: list[Advice] = []
    with contextlib.suppress(Exception):
        advice = [*_differences(case)]
    yield from advice or [Advice(NUMBER, f"{UNNAMED}{problem}")]


def _problem(case: _Case, **options: Any) -> str:
    try:
        check_custom_gradient(case.function, case.args, **case.options | options)
    except GradientError as error:
        return " ".join(str(error).split())[:300]
    return ""


def _differences(case: _Case) -> Iterator[Advice]:
    """Say how a wrong gradient differs from the right one, at the arguments."""
    options = replace(case.parsed, shapes=False, graph=False)
    with at_arguments(case.function, case.args, options, MOST) as check:
        rule = check.rule
        upstream = [rule.random(each) for each in check.outputs]
        right, actual = check.right(upstream), check.gradients(upstream)
        thrice = check.gradients([3 * each for each in upstream])
        nothing = check.gradients([0 * each for each in upstream])
    moving = rule.function.moving
    factors = {name: rule.here[i] for name, i in zip(rule.names, moving)}
    for i, name in enumerate(rule.names):
        if near(actual[i], right[i]):
            continue
        others = {rule.names[k]: right[k] for k in range(len(right)) if k != i}
        gradients = Gradients(factors[name], actual[i], right[i], thrice[i], nothing[i])
        entry, text = difference(gradients, others, factors)
        if text:
            yield Advice(entry, f"the gradient with respect to {name} {text}")


def _closed_over(case: _Case) -> Iterator[Advice]:
    bare = getattr(case.function, "__wrapped__", None)
    if bare is None:
        return
    captured = inspect.getclosurevars(inspect.unwrap(bare))
    for name, tensor in {**captured.globals, **captured.nonlocals}.items():
        if not (isinstance(tensor, tf.Tensor) and tensor.dtype.is_floating):
            continue
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([tensor, *case.moving])
            by_rule = case.function(*case.inputs)
            by_tape = bare(*case.inputs)[0]
        right = tape.gradient(by_tape, tensor)
        is_lost = tape.gradient(by_rule, tensor) is None
        if is_lost and right is not None and np.any(_array(right)):
            yield _limit(
                "silent#closed-over",
                f"{name} is captured, so its gradient is None: if you need its"
                " gradient, make it an argument",
            )


def _xla(case: _Case) -> Iterator[Advice]:
    try:
        case.in_graph(jit_compile=True)
    except Exception as error:
        if "PyFunc" in str(error):
            yield _limit(
                "graphs#xla-pyfunc",
                "XLA can't compile Python: the function or its gradient function calls"
                " NumPy",
            )


def _vectorized(case: _Case) -> Iterator[Advice]:
    x: Any = case.single
    if x is None or case.draws:
        return
    with tf.GradientTape() as tape:
        batch = tf.stack([x, x])
        tape.watch(batch)
        y = tf.vectorized_map(case.function, batch)
    mapped = tape.gradient(y, batch)
    [alone] = case.gradients
    is_dropped = mapped is None or alone is None
    if is_dropped or not np.allclose(_array(mapped)[0], _array(alone), 1e-3, 1e-6):
        yield _limit(
            "silent_systems#vectorized-map",
            "tf.vectorized_map drops the custom gradient if the tape is outside, and"
            " here that changes the gradient: put the tape inside, or use tf.map_fn",
        )


def _sparse(case: _Case) -> Iterator[Advice]:
    x: Any = case.single
    y: Any = case.function(x) if x is not None and not case.draws else None
    if not tf.is_tensor(y) or not y.shape.rank or not y.shape[0]:
        return
    try:
        _gradient(lambda x: tf.gather(case.function(x), [0, 0]), x)
    except (TypeError, AttributeError, ValueError):
        yield _limit(
            "sparse#times-float",
            "behind tf.gather, upstream is IndexedSlices, and the gradient function"
            " raises an error: start it with upstream = tf.convert_to_tensor(upstream)",
        )


def _second(case: _Case) -> Iterator[Advice]:
    x: Any = case.single
    if x is None:
        return
    try:
        second = _gradient(partial(_gradient, case.function), x)
    except Exception as error:
        yield _of_second(error, "the second derivative")
        return
    if second is None and _varies(case.function, x):
        yield _limit(
            "orders#only-a-number",
            "the second derivative is None, but the gradient isn't constant: the"
            " gradient function computes outside TensorFlow, stops its gradient, or is"
            " itself decorated",
        )
    if case.parsed.order > 1 and "the second derivative" in (text := _problem(case)):
        yield _limit("orders#only-a-number", text)
    if not case.parsed.graph:
        return
    try:
        _gradient(partial(_gradient, tf.function(case.function)), x)
    except Exception as error:
        yield _of_second(
            error, "with all tapes outside a tf.function, the second derivative"
        )


def _gradient(function: Callable, x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    gradient = None if y is None else tape.gradient(y, x)
    return None if gradient is None else tf.convert_to_tensor(gradient)


def _varies(function: Callable, x: Any) -> bool:
    """Return whether the gradient changes close to the argument, by more than rounding
    and less than by a jump."""
    near_x = [_array(_gradient(function, x * (1 + h))) for h in (0.0, 0.01, 0.02)]
    step, next_step = (abs(b - a).max() for a, b in zip(near_x, near_x[1:]))
    size = abs(near_x[0]).max()
    return bool(1e-3 * size < step < 0.2 * size and 0.5 < next_step / step < 2)


def _of_second(error: Exception, subject: str) -> Advice:
    is_nested = "out of scope" in str(error)
    entry = "orders#nested-out-of-scope" if is_nested else "orders#no-entry"
    return _limit(entry, f"{subject} raises {type(error).__name__}")


def _random(case: _Case) -> Iterator[Advice]:
    if case.draws:
        yield _limit(
            "silent_systems#recomputed-dropout",
            "two calls with the same inputs differ: what is computed again, for"
            " example by tf.recompute_grad, draws different random numbers",
        )


def _edges(case: _Case) -> Iterator[Advice]:
    x: Any = case.single
    for value in (0.0, 1e-30, 1e4, 1e30, -1e4) if x is not None else ():
        filled = tf.fill(x.shape, tf.cast(value, x.dtype))
        try:
            outputs = tf.nest.flatten(case.function(filled))
            gradient = _array(_gradient(case.function, filled))
        except Exception:
            continue
        is_finite = all(np.isfinite(_array(each)).all() for each in outputs)
        if is_finite and not np.isfinite(gradient).all():
            text = f"at {value:g} the value is finite, but the gradient isn't"
            yield _limit("index#nan", text)
            return


_LOOKS = [
    _eager,
    _graph,
    _values,
    _closed_over,
    _xla,
    _vectorized,
    _sparse,
    _second,
    _random,
    _edges,
]


def _array(value: Any) -> np.ndarray:
    return np.asarray(tf.cast(tf.convert_to_tensor(value), tf.complex128))
