"""``explain``: what is wrong with a custom gradient, as advice."""

import contextlib
import inspect
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import tensorflow as tf

from .check import check_rule
from .messages import EXPLAINED, message
from .shared import globals_of


@dataclass(frozen=True)
class Advice:
    """One mistake in a custom gradient, or one of its limits."""

    entry: str
    """Page and entry of the catalogue, for example ``counts#one-gradient-short``."""
    text: str
    """What is wrong, and how to fix it."""
    is_mistake: bool = True
    """True if the gradient is wrong or missing at the inputs. False if it fails only in
    the situation that ``text`` describes."""

    def __str__(self) -> str:
        kind = "mistake" if self.is_mistake else "limit"
        return f"{kind}: {self.text} (mistakes/{self.entry})"


def explain(function: Callable, *inputs: Any, **options: Any) -> list[Advice]:
    """Look for known mistakes in a custom gradient: those that the catalogue explains.

    Args:
        function: a function decorated with ``tf.custom_gradient``.
        *inputs: tensors, arrays or floats at which to try ``function``. ``explain``
            also tries other inputs, which it derives from these.
        **options: options of ``check_rule``, such as ``gradient_of`` for a gradient
            that deliberately isn't the derivative.

    Returns:
        The advice, the most important first, or an empty list. If a mistake raises an
        error, the search ends there. So fix it, and call ``explain`` again.
    """
    case = _Case(function, inputs, options)
    advice: list[Advice] = []
    for look in _LOOKS:
        advice += [item for item in look(case) if item not in advice]
        if case.error:
            break
    return sorted(advice, key=lambda item: not item.is_mistake)


class _Case:
    """A function and its inputs, and what is asked of them more than once."""

    def __init__(self, function: Callable, inputs: tuple, options: dict) -> None:
        self.function, self.options = function, options
        self.inputs: list[Any] = [
            each if tf.is_tensor(each) else tf.nest.map_structure(tf.constant, each)
            for each in inputs
        ]
        self.bare = getattr(function, "__wrapped__", None)
        self.is_eager_only = bool(options.get("eager_only"))
        self.gradients: list = []
        self.error: Exception | None = None
        try:
            self.gradients = self.taped(*self.inputs)
        except Exception as error:
            self.error = error

    def taped(self, *inputs: Any, of: Callable = lambda y: y) -> list:
        """Return the gradients of a tape, for the sum of the outputs."""
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            y = of(self.function(*inputs))
        gradients = tape.gradient(y, [*inputs])
        return [
            g if g is None else tf.convert_to_tensor(g)
            for g in tf.nest.flatten(gradients)
        ]

    @property
    def single(self) -> Any:
        """The one input, if there is one and it is a float tensor."""
        value: Any = self.inputs[0] if len(self.inputs) == 1 else None
        return value if tf.is_tensor(value) and value.dtype.is_floating else None


def _of_error(error: Exception, place: str) -> Advice:
    text_of_error = message(error)
    for pattern, entry, text in EXPLAINED:
        if match := re.search(pattern, text_of_error):
            return Advice(entry, f"{place}: {text.format(*match.groups())}")
    return Advice("messages", f"{place}: the gradient raises {text_of_error}")


def _eager(case: _Case) -> Iterator[Advice]:
    if case.error:
        yield _of_error(case.error, "eagerly")


def _shapes(case: _Case) -> Iterator[Advice]:
    for x, gradient in zip(tf.nest.flatten(case.inputs), case.gradients):
        if gradient is None:
            continue
        if gradient.shape != x.shape:
            yield Advice(
                "silent_values#broadcast-shape",
                f"downstream has the shape {gradient.shape}, but its input has"
                f" {x.shape}: sum it over the axes that were broadcast",
            )
        if gradient.dtype != x.dtype:
            yield Advice(
                "types#double-against-float",
                f"downstream is {gradient.dtype.name}, but its input is {x.dtype.name}",
            )


def _upstream(case: _Case) -> Iterator[Advice]:
    once, twice = (
        case.taped(*case.inputs, of=lambda y, k=k: [k * p for p in _floats(y)])
        for k in (1.0, 3.0)
    )
    pairs = [(a, b) for a, b in zip(once, twice) if a is not None and b is not None]
    if any(_nonzero(a) for a, _ in pairs) and all(_is_close(a, b) for a, b in pairs):
        yield Advice(
            "silent_values#no-upstream",
            "downstream doesn't depend on upstream: multiply by upstream",
        )


def _values(case: _Case) -> Iterator[Advice]:
    is_second_demanded = bool(case.options.get("second_order"))
    for second_order in dict.fromkeys([False, case.options.get("second_order")]):
        try:
            check_rule(
                case.function,
                *case.inputs,
                **{
                    **case.options,
                    "eager_only": case.is_eager_only,
                    "second_order": second_order,
                },
            )
        except AssertionError as error:
            problem = f"check_rule: {' '.join(str(error).split())[:300]}"
            if second_order is False:
                yield Advice("index#wrong-number", problem)
            else:
                yield Advice("orders#only-a-number", problem, is_second_demanded)
            return


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
            tape.watch(tensor)
            tape.watch(case.inputs)
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
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            inside = tf.function(case.taped)(*case.inputs)
    except Exception as error:
        advice = _of_error(error, "inside tf.function")
        yield replace(advice, is_mistake=not case.is_eager_only)
        case.is_eager_only = True
        return
    if re.search(r'Tensor\("|SymbolicTensor', printed.getvalue()):
        yield Advice(
            "silent#printed-once",
            "it prints a symbolic tensor once, while TensorFlow traces it: use"
            " tf.print",
            is_mistake=False,
        )
    if not all(map(_is_close, case.gradients, inside)):
        yield Advice(
            "index#another-in-a-graph",
            "inside tf.function the gradient differs from the eager one",
        )


def _xla(case: _Case) -> Iterator[Advice]:
    try:
        tf.function(case.taped, jit_compile=True)(*case.inputs)
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
    if x is None:
        return
    try:
        with tf.GradientTape() as tape:
            batch = tf.stack([x, x])
            tape.watch(batch)
            y = tf.vectorized_map(case.function, batch)
        mapped = tape.gradient(y, batch)
    except Exception:
        return
    if mapped is None or not _is_close(_array(mapped)[0], case.gradients[0], 1e-3):
        yield Advice(
            "silent_systems#vectorized-map",
            "tf.vectorized_map drops the custom gradient if the tape is outside, and"
            " here that changes the gradient: put the tape inside, or use tf.map_fn",
            is_mistake=False,
        )


def _sparse(case: _Case) -> Iterator[Advice]:
    x: Any = case.single
    y: Any = case.function(x) if x is not None else None
    if not tf.is_tensor(y) or not y.shape.rank or not y.shape[0]:
        return
    rows = [0, 0]
    try:
        sparse, dense = (
            case.taped(x, of=lambda y, change=change: tf.gather(change(y), rows))[0]
            for change in (lambda y: y, lambda y: y + 0.0)
        )
    except (TypeError, AttributeError, ValueError):
        yield Advice(
            "sparse#times-float",
            "behind tf.gather, upstream is IndexedSlices, and the gradient function"
            " raises an error: start it with upstream = tf.convert_to_tensor(upstream)",
            is_mistake=False,
        )
        return
    if sparse is not None and not _is_close(sparse, dense, 1e-3):
        yield Advice(
            "silent#clipped-slices",
            "behind tf.gather, upstream is IndexedSlices, and the gradient differs"
            " from the one for the same upstream as a tensor",
            is_mistake=False,
        )


def _second(case: _Case) -> Iterator[Advice]:
    x: Any = case.single
    if x is None or case.bare is None:
        return

    def twice(function: Callable) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = function(x)
            first = inner.gradient(y, x)
        return outer.gradient(first, x)

    try:
        by_rule = twice(case.function)
    except Exception as error:
        yield _of_second(error, "the second derivative")
        return
    right = case.options.get("gradient_of") or (lambda x: case.bare(x)[0])
    with contextlib.suppress(Exception):  # it may have no second derivative, either
        if by_rule is None and _nonzero(twice(right)):
            yield Advice(
                "orders#only-a-number",
                "the second derivative is None, but shouldn't be: the gradient function"
                " computes outside TensorFlow, stops its gradient, or is itself"
                " decorated",
                is_mistake=False,
            )
    if case.is_eager_only:
        return
    try:
        twice(tf.function(case.function))
    except Exception as error:
        yield _of_second(
            error, "with all tapes outside a tf.function, the second derivative"
        )


def _of_second(error: Exception, subject: str) -> Advice:
    is_nested = "out of scope" in str(error)
    entry = "orders#nested-out-of-scope" if is_nested else "orders#no-entry"
    text = f"{subject} raises {type(error).__name__}"
    return Advice(entry, text, is_mistake=False)


def _random(case: _Case) -> Iterator[Advice]:
    first, second = (tf.nest.flatten(case.function(*case.inputs)) for _ in range(2))
    if not all(map(_is_close, first, second)):
        yield Advice(
            "silent_systems#recomputed-dropout",
            "two calls with the same inputs differ: what is computed again, for"
            " example by tf.recompute_grad, draws different random numbers",
            is_mistake=False,
        )


def _second_pass(case: _Case) -> Iterator[Advice]:
    advice = Advice(
        "silent#order-of-calls",
        "a second backward pass of the same call, as in tape.jacobian, {}: let the"
        " gradient function capture what it needs, and not change that",
        is_mistake=False,
    )
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(case.inputs)
        y = case.function(*case.inputs)
    once = tape.gradient(y, case.inputs)
    try:
        twice = tape.gradient(y, case.inputs)
    except Exception as error:
        raised = f"raises {type(error).__name__}"
        yield replace(advice, text=advice.text.format(raised))
        return
    if not all(map(_is_close, *map(tf.nest.flatten, (once, twice)))):
        yield replace(advice, text=advice.text.format("returns a different gradient"))


def _shared(case: _Case) -> Iterator[Advice]:
    """Global variables that each call sets, and that the gradient function reads.
    Another function may set them in between."""
    names = globals_of(case.function)
    case.function(*case.inputs)  # the first call may fill a cache
    before = [space.get(name) for space, name in names]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(case.inputs)
        y = case.function(*case.inputs)
    for (space, name), previous in zip(names, before):
        if (value := space.get(name)) is previous:
            continue
        right = tape.gradient(y, case.inputs)
        space[name] = object()
        try:
            changed = tape.gradient(y, case.inputs)
            depends = not all(map(_is_close, *map(tf.nest.flatten, (right, changed))))
        except Exception:
            depends = True
        finally:
            space[name] = value
        if depends:
            yield Advice(
                "silent#order-of-calls",
                f"each call sets the global variable {name}, and the gradient function"
                " reads it: if another function sets it in between, the gradient is"
                " wrong",
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
    _shapes,
    _upstream,
    _graph,
    _values,
    _closed_over,
    _xla,
    _vectorized,
    _sparse,
    _second,
    _random,
    _second_pass,
    _shared,
    _edges,
]


def _floats(y: Any) -> list:
    return [each for each in tf.nest.flatten(y) if each.dtype.is_floating]


def _array(value: Any) -> np.ndarray:
    if isinstance(value, tf.IndexedSlices):
        value = tf.convert_to_tensor(value)
    return np.asarray(tf.cast(value, tf.complex128))


def _nonzero(value: Any) -> bool:
    return value is not None and bool(np.any(_array(value)))


def _finite(value: Any) -> bool:
    return all(bool(np.all(np.isfinite(_array(p)))) for p in tf.nest.flatten(value))


def _is_close(first: Any, second: Any, within: float = 1e-5) -> bool:
    if first is None or second is None:
        return first is None and second is None
    a, b = _array(first), _array(second)
    return a.shape == b.shape and np.allclose(a, b, within, 1e-6, equal_nan=True)
