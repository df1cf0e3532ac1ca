"""Checks derivatives in PyTorch against finite differences."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch.autograd import forward_ad

from .arrays import as_tuple, dtype_name, moved_to
from .core import GradientError, Result
from .levels import MODES, DerivativeCheck, argument_names


def check_grads(
    f: Callable, args: Any, order: int = 2, modes: Sequence[str] = MODES, **options: Any
) -> Result:
    """Check the derivatives that PyTorch computes, at ``args``.

    Args:
        f: the function. It takes ``*args``, and returns a tensor or a tuple of tensors.
        args: a tuple. As in ``torch.autograd.gradcheck``, the check moves the tensors
            that require a gradient. Other arguments reach ``f`` unchanged.
        order: the highest order of the derivatives. As in ``gradgradcheck``, only those
            of ``"rev"`` have higher orders.
        modes: ``"rev"`` (``torch.autograd.grad``), ``"fwd"`` (``forward_ad``), or both.
            A ``torch.autograd.Function`` needs a ``jvp`` for ``"fwd"``.
        **options: ``atol``, ``rtol`` and ``eps``, as in ``vjpcheck.check_grads``.

    Returns and raises: as ``vjpcheck.check_grads``.
    """
    return _TorchCheck(f, as_tuple(args)).check(order, modes, **options)


class _TorchCheck(DerivativeCheck):
    """A PyTorch function of the tensors that require a gradient."""

    nests_forward = False

    def __init__(self, f: Callable, args: tuple) -> None:
        self._f, self._args = f, args
        self._moving = [
            n
            for n, each in enumerate(args)
            if isinstance(each, torch.Tensor) and each.requires_grad
        ]
        names = argument_names(f, args)
        self.names = [names[n] for n in self._moving]
        self.dtypes = [dtype_name(args[n]) for n in self._moving]
        self.values = [self.array(args[n]) for n in self._moving]
        self._device = next((args[n].device for n in self._moving), None)

    def array(self, tensor: torch.Tensor) -> np.ndarray:
        dtype = torch.complex128 if tensor.is_complex() else torch.float64
        return tensor.detach().to("cpu", dtype).resolve_conj().numpy()

    def tensor(self, array: np.ndarray, dtype: str) -> torch.Tensor:
        return torch.tensor(array, dtype=getattr(torch, dtype), device=self._device)

    def run(self, inputs: list) -> list:
        outputs = self._f(*moved_to(self._args, self._moving, inputs))
        outputs = [outputs] if isinstance(outputs, torch.Tensor) else outputs
        return [y for y in outputs if y.is_floating_point() or y.is_complex()]

    def vjp(self, run: Callable, inputs: list, upstream: list) -> list:
        inputs = [x if x.requires_grad else x.requires_grad_() for x in inputs]
        before = [up.detach().clone() for up in upstream]
        outputs = run(inputs)
        used = [n for n, y in enumerate(outputs) if y.requires_grad]
        if not used:
            return [torch.zeros_like(x) for x in inputs]
        # Unlike torch.func.vjp, this also accepts a Function without setup_context.
        gradients = torch.autograd.grad(
            [outputs[n] for n in used],
            inputs,
            [upstream[n] for n in used],
            create_graph=True,
            materialize_grads=True,
        )
        if not all(map(torch.equal, before, upstream)):
            raise GradientError("the backward pass changes upstream in place")
        return list(gradients)

    def jvp(self, run: Callable, inputs: list, tangents: list) -> list:
        with forward_ad.dual_level():
            duals = [forward_ad.make_dual(x, t) for x, t in zip(inputs, tangents)]
            outputs = [forward_ad.unpack_dual(y) for y in run(duals)]
        return [
            torch.zeros_like(y.primal) if y.tangent is None else y.tangent
            for y in outputs
        ]
