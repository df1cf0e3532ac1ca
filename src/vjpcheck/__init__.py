"""Checks gradients in TensorFlow against finite differences.

``check_custom_gradient`` checks the gradient that you wrote, ``check_grads`` the
derivatives that TensorFlow computes, and ``explain`` says what is wrong with a custom
gradient, and where to read about it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .advice import explain
    from .check import check_custom_gradient, check_grads
    from .core import GradientError, Result, Undecided

__version__ = "0.2.0"
__all__ = [
    "GradientError",
    "Result",
    "Undecided",
    "check_custom_gradient",
    "check_grads",
    "explain",
]
_HOMES = {
    "check_custom_gradient": "check",
    "check_grads": "check",
    "explain": "advice",
    "GradientError": "core",
    "Undecided": "core",
    "Result": "core",
}


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> object:
    # TensorFlow takes seconds to import, and not all that is here needs it.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    except ModuleNotFoundError as error:
        if error.name not in ("numpy", "tensorflow"):
            raise
        raise ImportError(
            f"vjpcheck.{name} needs TensorFlow 2.18 or later:"
            " python -m pip install tensorflow"
        ) from error
