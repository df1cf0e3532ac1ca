"""``explain``: what is wrong with a custom gradient, as advice."""

import contextlib
import inspect
import io
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib import resources
from typing import Any

import numpy as np
import tensorflow as tf

from .check import as_tuple, check_custom_gradient
from .core import GradientError, Result
from .difference import NUMBER, Gradients, difference, near
from .function import call_of, describe
from .options import options_of
from .rule import Rule

UNNAMED = "check_custom_gradient: "
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
    """A function and its arguments, and what is asked of them more than once."""

    def __init__(self, function: Callable, args: tuple, options: dict) -> None:
        self.function, self.options, self.args = function, options, args
        self.parsed = options_of(**options)
        self.call = call_of(function, function, args, {})
        self.tensors = self.call.tensors(self.call.start(), double=False)
        self.inputs = list(self.call.packed(self.tensors))
        self.moving = [self.tensors[i] for i in self.call.moving]
        self.bare = getattr(function, "__wrapped__", None)
        self.gradients: list = []
        self.error: Exception | None = None
        self.draws = False
        try:
            self.gradients = _both(self)(self.tensors)
            self.draws = not _all_close(
                *(self.call.outputs(self.tensors) for _ in "12")
            )
        except Exception as error:
            self.error = error

    def taped(self, *inputs: Any, of: Callable = lambda y: y) -> list:
        """Return the gradients of a tape, for the sum of the outputs."""
        parts = tf.nest.flatten(inputs, expand_composites=True)
        moving = [each for each in parts if _is_inexact(each)]
        with tf.GradientTape() as tape:
            tape.watch(moving)
            y = of(self.function(*inputs))
        return [
            g if g is None else tf.convert_to_tensor(g)
            for g in tape.gradient(y, moving)
        ]

    @property
    def single(self) -> Any:
        """The one argument, if there is one and it is a float tensor."""
        value: Any = self.inputs[0] if len(self.inputs) == 1 else None
        return value if tf.is_tensor(value) and value.dtype.is_floating else None


def _is_inexact(value: Any) -> bool:
    return tf.is_tensor(value) and (value.dtype.is_floating or value.dtype.is_complex)


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


SITUATIONS = {
    "order of calls|second backward pass": "silent#order-of-calls",
    "IndexedSlices": "silent#clipped-slices",
    r"has shape \S.*, but": "silent_values#broadcast-shape",
    "has dtype": "types#double-against-float",
    "inside tf.function the gradient is": "index#another-in-a-graph",
    "unknown batch size": "shapes#unknown-shape",
    "is nan|is -?inf": "index#nan",
}
"""Patterns of what a check says, each with its entry in the catalogue."""


def _values(case: _Case) -> Iterator[Advice]:
    try:
        check_custom_gradient(case.function, case.args, **case.options | {"order": 1})
    except GradientError as error:
        problem = " ".join(str(error).split())[:300]
        entries = [its for each, its in SITUATIONS.items() if re.search(each, problem)]
        if entries:
            yield Advice(entries[0], problem)
            return
        try:
            named = [*_named(case)]
        except Exception:
            named = []
        yield from named or [Advice(NUMBER, f"{UNNAMED}{problem}")]


def _named(case: _Case) -> Iterator[Advice]:
    """Say how a wrong gradient differs from the right one, at the arguments."""
    call = call_of(case.function, case.function, case.args, {})
    options = replace(case.parsed, shapes=False, graph=False)
    rule = Rule(call, options, Result(), np.random.default_rng(0), far=False)
    try:
        actual, right, thrice, nothing = rule.compared_here(MOST)
        names = rule.names
        values = [rule.here[i] for i in call.moving]
    finally:
        rule.close()
    is_wrong = [not near(a, r) for a, r in zip(actual, right)]
    for i, name in enumerate(names):
        if is_wrong[i]:
            others = {names[k]: right[k] for k in range(len(names)) if k != i}
            factors = dict(zip(names, values))
            its = Gradients(values[i], actual[i], right[i], thrice[i], nothing[i])
            entry, text = difference(its, others, factors)
            if text:
                yield Advice(entry, f"the gradient with respect to {name} {text}")


def _closed_over(case: _Case) -> Iterator[Advice]:
    if case.bare is None:
        return
    captured = inspect.getclosurevars(inspect.unwrap(case.bare))
    tensors = {
        name: value
        for name, value in {**captured.globals, **captured.nonlocals}.items()
        if isinstance(value, tf.Tensor) and value.dtype.is_floating
    }
    for name, tensor in tensors.items():
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([tensor, *case.moving])
            by_rule = case.function(*case.inputs)
            by_tape = case.bare(*case.inputs)[0]
        if tape.gradient(by_rule, tensor) is None and _nonzero(
            tape.gradient(by_tape, tensor)
        ):
            yield Advice(
                "silent#closed-over",
                f"{name} is captured, so its gradient is None: if you need its"
                " gradient, make it an argument",
                is_mistake=False,
            )


def _graph(case: _Case) -> Iterator[Advice]:
    if not case.parsed.graph:
        return
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            _in_graph(case)
    except Exception as error:
        yield _of_error(error, "inside tf.function")
    if re.search(r'Tensor\("|SymbolicTensor', printed.getvalue()):
        yield Advice(
            "silent#printed-once",
            "it prints a symbolic tensor once, while TensorFlow traces it: use"
            " tf.print",
            is_mistake=False,
        )


def _in_graph(case: _Case, jit_compile: bool = False) -> None:
    graph = case.call.compiled(_both(case), case.tensors, jit_compile=jit_compile)
    graph(case.tensors)


def _both(case: _Case) -> Callable:
    def both(tensors: list) -> list:
        outputs, pullback = case.call.recorded(tensors)
        return pullback([tf.ones_like(each) for each in outputs])

    return both


def _xla(case: _Case) -> Iterator[Advice]:
    try:
        _in_graph(case, jit_compile=True)
    except Exception as error:
        if "PyFunc" in str(error):
            yield Advice(
                "graphs#xla-pyfunc",
                "XLA can't compile Python: the function or its gradient function calls"
                " NumPy",
                is_mistake=False,
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
    if mapped is None or not _is_close(_array(mapped)[0], case.gradients[0], 1e-3):
        yield Advice(
            "silent_systems#vectorized-map",
            "tf.vectorized_map drops the custom gradient if the tape is outside, and"
            " here that changes the gradient: put the tape inside, or use tf.map_fn",
            is_mistake=False,
        )


def _sparse(case: _Case) -> Iterator[Advice]:
    x: Any = case.single
    y: Any = case.function(x) if x is not None and not case.draws else None
    if not tf.is_tensor(y) or not y.shape.rank or not y.shape[0]:
        return
    rows = [0, 0]
    try:
        case.taped(x, of=lambda y: tf.gather(y, rows))
    except (TypeError, AttributeError, ValueError):
        yield Advice(
            "sparse#times-float",
            "behind tf.gather, upstream is IndexedSlices, and the gradient function"
            " raises an error: start it with upstream = tf.convert_to_tensor(upstream)",
            is_mistake=False,
        )


def _second(case: _Case) -> Iterator[Advice]:
    x: Any = case.single
    if x is None:
        return
    try:
        by_rule = _twice(case.function, x)
    except Exception as error:
        yield _of_second(error, "the second derivative")
        return
    if by_rule is None and _varies(case, x):
        yield Advice(
            "orders#only-a-number",
            "the second derivative is None, but the gradient isn't constant: the"
            " gradient function computes outside TensorFlow, stops its gradient, or is"
            " itself decorated",
            is_mistake=False,
        )
    if case.options.get("order", 2) > 1:
        try:
            check_custom_gradient(case.function, case.args, **case.options)
        except GradientError as error:
            if "the second derivative" in str(error):
                text = " ".join(str(error).split())[:300]
                yield Advice("orders#only-a-number", text, is_mistake=False)
    if not case.parsed.graph:
        return
    try:
        _twice(tf.function(case.function), x)
    except Exception as error:
        yield _of_second(
            error, "with all tapes outside a tf.function, the second derivative"
        )


def _twice(function: Callable, x: Any) -> Any:
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = function(x)
        first = inner.gradient(y, x)
    return None if first is None else outer.gradient(first, x)


def _varies(case: _Case, x: Any) -> bool:
    """Return whether the gradient changes close to the argument, by more than rounding
    and less than by a jump."""
    first = [_array(case.taped(x * (1 + h))[0]) for h in (0.0, 0.01, 0.02)]
    step, next_step = (abs(b - a).max() for a, b in zip(first, first[1:]))
    size = abs(first[0]).max()
    return bool(1e-3 * size < step < 0.2 * size and 0.5 < next_step / step < 2)


def _of_second(error: Exception, subject: str) -> Advice:
    is_nested = "out of scope" in str(error)
    entry = "orders#nested-out-of-scope" if is_nested else "orders#no-entry"
    text = f"{subject} raises {type(error).__name__}"
    return Advice(entry, text, is_mistake=False)


def _random(case: _Case) -> Iterator[Advice]:
    if case.draws:
        yield Advice(
            "silent_systems#recomputed-dropout",
            "two calls with the same inputs differ: what is computed again, for"
            " example by tf.recompute_grad, draws different random numbers",
            is_mistake=False,
        )


def _edges(case: _Case) -> Iterator[Advice]:
    x: Any = case.single
    if x is None:
        return
    for value in (0.0, 1e-30, 1e4, 1e30, -1e4):
        filled = tf.fill(x.shape, tf.cast(value, x.dtype))
        try:
            y, [gradient] = case.function(filled), case.taped(filled)
        except Exception:
            continue
        if gradient is not None and _finite(y) and not _finite(gradient):
            yield Advice(
                "index#nan",
                f"at {value:g} the value is finite, but the gradient isn't",
                is_mistake=False,
            )
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


def _nonzero(value: Any) -> bool:
    return value is not None and bool(np.any(_array(value)))


def _finite(value: Any) -> bool:
    return all(bool(np.all(np.isfinite(_array(p)))) for p in tf.nest.flatten(value))


def _all_close(first: list, second: list) -> bool:
    return all(map(_is_close, first, second))


def _is_close(first: Any, second: Any, within: float = 1e-5) -> bool:
    if first is None or second is None:
        return first is None and second is None
    a, b = _array(first), _array(second)
    return a.shape == b.shape and np.allclose(a, b, within, 1e-6, equal_nan=True)
