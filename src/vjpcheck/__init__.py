"""Checks the gradient of a TensorFlow function against finite differences.

``check_grads`` checks the derivatives that TensorFlow computes, and
``check_custom_gradient`` the one that you wrote. ``explain`` lists what is wrong with a
custom gradient, and where to read about it. ``check_rule`` is the part of
``check_custom_gradient`` that the site's build calls.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .check import check_rule
    from .derivatives import Result
    from .grads import check_custom_gradient, check_grads
    from .linter import explain

__version__ = "0.1.0"
__all__ = ["Result", "check_custom_gradient", "check_grads", "check_rule", "explain"]

_HOMES = {"Result": "derivatives", "check_rule": "check", "explain": "linter"}


def __getattr__(name: str) -> object:
    # TensorFlow takes seconds to import, and reading declarations does not need it.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(f".{_HOMES.get(name, 'grads')}", __name__), name)
    except ModuleNotFoundError as error:
        if error.name not in ("numpy", "tensorflow"):
            raise
        raise ImportError(
            f"vjpcheck.{name} needs TensorFlow 2.18 or later:"
            " python -m pip install tensorflow"
        ) from error
