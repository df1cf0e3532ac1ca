"""How a wrong gradient differs from the right one, in words."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

NUMBER = "index#wrong-number"
"""The entry of the catalogue for a wrong number that has no other."""


@dataclass
class Gradients:
    """The gradient with respect to one argument, for one upstream gradient."""

    value: np.ndarray
    """The argument."""
    actual: np.ndarray
    right: np.ndarray
    thrice: np.ndarray
    """The actual one, for three times the upstream gradient."""
    nothing: np.ndarray
    """The actual one, for an upstream gradient of zero."""


def difference(
    its: Gradients, others: dict[str, np.ndarray], factors: dict[str, np.ndarray]
) -> tuple[str, str]:
    """Return an entry of the catalogue and a text, or no text for an unknown mistake.

    Args:
        its: the gradient with respect to the argument.
        others: the right gradients with respect to the other arguments, by name.
        factors: all arguments, by name.
    """
    with np.errstate(all="ignore"):
        for look in (_of_upstream, _of_place, _of_ratio, _of_elements):
            if found := next(look(its, others, factors), None):
                return found
    return NUMBER, ""


def _of_upstream(its: Gradients, *_: Any) -> Iterator[tuple[str, str]]:
    if np.isnan(its.actual).any():
        yield "index#nan", "isn't a number"
    if not its.actual.any():
        yield "index#zero", "is zero or None, but shouldn't be"
    if its.nothing.any() and near(its.actual, its.thrice):
        text = "doesn't depend on upstream: multiply by upstream"
        yield "silent_values#no-upstream", text
    if its.nothing.any():
        text = "isn't zero if upstream is: multiply each of its terms by upstream"
        yield NUMBER, text
    if not near(3 * its.actual, its.thrice):
        yield NUMBER, "isn't linear in upstream: multiply by upstream exactly once"


def _of_place(its: Gradients, others: dict, _: dict) -> Iterator[tuple[str, str]]:
    actual, right = its.actual, its.right
    if near(actual, -right):
        yield NUMBER, "has the wrong sign"
    for name, other in others.items():
        if near(actual, other):
            yield "silent_values#changed-places", f"is that with respect to {name}"
    if actual.ndim == 2 and near(actual, right.T):
        yield "silent_values#lost-axis", "is the transpose of the right one"
    if np.iscomplexobj(right) and near(actual, right.conj()):
        yield NUMBER, "is the conjugate of the right one"
    for axis in range(actual.ndim if actual.size > 1 else 0):
        summed = np.broadcast_to(right.sum(axis, keepdims=True), right.shape)
        if near(actual, summed):
            yield NUMBER, f"is summed over axis {axis}, which its argument has"


def _of_ratio(its: Gradients, _: dict, factors: dict) -> Iterator[tuple[str, str]]:
    ratio = its.actual / its.right
    fits = np.isfinite(ratio) & (its.right != 0)
    ratios = ratio[fits]
    if ratios.size and near(ratios, np.full_like(ratios, ratios.flat[0])):
        first = np.round(ratios.flat[0], 6)
        is_real = np.isrealobj(ratios) or not np.imag(first)
        number = f"{np.real(first):g}" if is_real else f"{first:g}"
        yield NUMBER, f"is {number} times the right one"
    for name, factor in factors.items():
        if np.isrealobj(ratio) and ratios.size > 1 and factor.shape == ratio.shape:
            for what, form in (("an extra", factor), ("no", 1 / factor)):
                if near(ratios, form[fits]):
                    yield NUMBER, f"has {what} factor {name}"


def _of_elements(its: Gradients, *_: Any) -> Iterator[tuple[str, str]]:
    actual, right, value = its.actual, its.right, its.value
    wrong = abs(actual - right) > 1e-4 * (abs(right) + abs(right).max(initial=0))
    if 0 < wrong.sum() < wrong.size:
        for text, part in (("positive", value > 0), ("negative", value < 0)):
            if (wrong == part).all():
                yield NUMBER, f"is wrong where the argument is {text}"
        where = [int(i) for i in np.argwhere(wrong)[0]]
        count = f"{wrong.sum()} of {wrong.size} elements"
        yield NUMBER, f"is wrong at {count}, such as {where}"


def near(left: Any, right: Any) -> bool:
    """Return whether arrays are equal but for the errors of finite differences."""
    if np.shape(left) != np.shape(right):
        return False
    return np.allclose(left, right, 1e-4, 1e-4 * abs(np.asarray(right)).max(initial=0))
