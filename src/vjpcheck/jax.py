"""Checks derivatives in JAX against finite differences."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .arrays import as_tuple, moved_to, wide
from .core import Result
from .levels import MODES, DerivativeCheck, argument_names


def check_grads(
    f: Callable, args: Any, order: int = 2, modes: Sequence[str] = MODES, **options: Any
) -> Result:
    """Check the derivatives that JAX computes, at ``args``.

    Args:
        f: the function. It takes ``*args``, and returns an array or a pytree.
        args: a tuple of pytrees. Leaves that are neither floating nor complex reach
            ``f`` unchanged.
        order: the highest order of the derivatives.
        modes: ``"rev"`` (``jax.vjp``), ``"fwd"`` (``jax.jvp``), or both. JAX refuses
            ``"fwd"`` for a ``jax.custom_vjp``. Complex cotangents follow JAX.
        **options: ``atol``, ``rtol`` and ``eps``, as in ``vjpcheck.check_grads``.

    Returns and raises: as ``vjpcheck.check_grads``.
    """
    return _JaxCheck(f, as_tuple(args)).check(order, modes, **options)


class _JaxCheck(DerivativeCheck):
    """A JAX function of the leaves that can have a derivative."""

    conjugates = True

    def __init__(self, f: Callable, args: tuple) -> None:
        self._f = f
        self._leaves, self._tree = jax.tree.flatten(args)
        names = [
            name + jax.tree_util.keystr(path)
            for name, part in zip(argument_names(f, args), args)
            for path, _ in jax.tree.leaves_with_path(part)
        ]
        self._moving = [n for n, leaf in enumerate(self._leaves) if _moves(leaf)]
        arrays = [jnp.asarray(self._leaves[n]) for n in self._moving]
        self.names = [names[n] for n in self._moving]
        self.dtypes = [array.dtype.name for array in arrays]
        self.values = [np.asarray(x).astype(wide(x.dtype.name)) for x in arrays]

    def precision(self, double: bool) -> AbstractContextManager:
        return jax.enable_x64(True) if double else nullcontext()

    def tensor(self, array: np.ndarray, dtype: str) -> jax.Array:
        return jnp.asarray(array, dtype)

    def run(self, inputs: list) -> list:
        leaves = moved_to(self._leaves, self._moving, inputs)
        outputs = jax.tree.leaves(self._f(*jax.tree.unflatten(self._tree, leaves)))
        return [jnp.asarray(each) for each in outputs if _moves(each)]

    def vjp(self, run: Callable, inputs: list, upstream: list) -> list:
        return list(jax.vjp(lambda *arrays: run([*arrays]), *inputs)[1](upstream))

    def jvp(self, run: Callable, inputs: list, tangents: list) -> list:
        return jax.jvp(lambda *arrays: run([*arrays]), inputs, tangents)[1]


def _moves(leaf: Any) -> bool:
    """Return whether a leaf of a pytree can have a derivative."""
    is_number = hasattr(leaf, "dtype") or isinstance(leaf, (float, complex))
    return is_number and jnp.issubdtype(jnp.result_type(leaf), jnp.inexact)
